// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "value/value.h"
#include "views/view.h"

namespace chartwright::apiserver {

/// Returns the document of /openapi/v2.
value::Value openapi_v2(const std::vector<views::View>& views);
/// Returns the document of /openapi/v3/apis/GROUP/VERSION; nil if there is none.
value::Value openapi_v3(const std::vector<views::View>& views, std::string_view group,
                        std::string_view version);
/// Returns the index of /openapi/v3, whose addresses contain a digest of each document.
value::Value openapi_v3_index(const std::vector<views::View>& views);

}  // namespace chartwright::apiserver
