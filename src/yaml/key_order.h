// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace chartwright::yaml {

/// Reports whether `a` comes before `b` in go-yaml's natural order of map keys: runs of digits
/// compare as numbers, and letters come after other characters. Both strings must be UTF-8. Source:
/// go.yaml.in/yaml/v2 sorter.go.
bool yaml_key_less(std::string_view a, std::string_view b);

}  // namespace chartwright::yaml
