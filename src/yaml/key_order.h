// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace chartwright::yaml {

/// go-yaml's natural order of map keys: runs of digits compare as numbers, letters come after other
/// characters. Source: go.yaml.in/yaml/v2 sorter.go. Both texts are UTF-8.
bool yaml_key_less(std::string_view a, std::string_view b);

}  // namespace chartwright::yaml
