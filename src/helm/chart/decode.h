// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "value/value.h"

// YAML and JSON texts decoded into maps and lists as Go decodes into map[string]interface{} and
// []interface{}: null and empty YAML give an empty one, another top type is an error in Go's words.
namespace chartwright::helm {

base::Result<value::Value> decode_yaml_dict(std::string_view text);
base::Result<value::Value> decode_yaml_list(std::string_view text);
base::Result<value::Value> decode_json_dict(std::string_view text);
base::Result<value::Value> decode_json_list(std::string_view text);

}  // namespace chartwright::helm
