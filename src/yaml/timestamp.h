// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace chartwright::yaml {

/// Reports whether go-yaml takes the text for a timestamp: "2001-1-1", "2001-01-01T10:00:00.5Z",
/// "2001-01-01 10:00:00". Source: go.yaml.in/yaml/v2 resolve.go parseTimestamp, Go time.Parse.
bool is_yaml_timestamp(std::string_view text);

}  // namespace chartwright::yaml
