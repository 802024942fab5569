// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "chart/profile.h"
#include "value/value.h"

// YAML and JSON texts decoded into maps and lists as Go decodes into map[string]interface{} and
// []interface{}: null and empty YAML give an empty one, another top type is an error in Go's words.
namespace chartwright::chart {

base::Result<value::Value> decode_yaml_dict(std::string_view text);
/// A values file: its first document, or all of them laid over each other.
/// Source: helm/helm v4 pkg/chart/v2/loader/load.go LoadValues.
base::Result<value::Value> decode_values_file(std::string_view text, ValuesRule rule);
base::Result<value::Value> decode_yaml_list(std::string_view text);
base::Result<value::Value> decode_json_dict(std::string_view text);
base::Result<value::Value> decode_json_list(std::string_view text);

}  // namespace chartwright::chart
