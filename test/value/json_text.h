// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "value/json.h"

namespace chartwright::value::testing {

/// Decodes JSON that is known to be valid, with numbers as in Kubernetes objects.
inline Value json(std::string_view text) { return CW_MUST(parse_json(text, Numbers::kInt64)); }

}  // namespace chartwright::value::testing
