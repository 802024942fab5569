// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "value/json.h"
#include "value/value.h"
#include "value/yaml_nodes.h"

namespace chartwright::value {

/// Aliases expanded, merge keys applied, scalars typed, keys turned into strings: what sigs'
/// YAMLToJSON followed by encoding/json gives. Errors: as parse_yaml, without its prefix.
base::Result<Value> decode_yaml_document(const YamlDocument& document, Numbers numbers);

}  // namespace chartwright::value
