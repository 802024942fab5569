// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "value/value.h"

// Decodes YAML and JSON into maps and lists as Go does for map[string]interface{} and
// []interface{}. Null or empty YAML gives an empty map or list. Any other type at the top level is
// an error in Go's words.
namespace chartwright::helm {

base::Result<value::Value> decode_yaml_dict(std::string_view text);
base::Result<value::Value> decode_yaml_list(std::string_view text);
base::Result<value::Value> decode_json_dict(std::string_view text);
base::Result<value::Value> decode_json_list(std::string_view text);

}  // namespace chartwright::helm
