// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::yaml {

enum class StringRole : uint8_t { kKey, kValue };

/// Returns the string that results when encoding/json writes `text` and go-yaml reads it back:
/// invalid UTF-8 becomes U+FFFD, and U+0085, which is a line break in YAML but an ordinary
/// character in JSON, is folded away. Error: kInvalidArgument if go-yaml cannot read it (control
/// characters, U+0085 in a key, a key of more than 1024 characters).
base::Result<std::string> yaml_read_back(std::string_view text, StringRole role);

}  // namespace chartwright::yaml
