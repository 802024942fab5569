// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "value/json.h"
#include "value/value.h"
#include "yaml/nodes.h"

namespace chartwright::yaml {

/// Aliases expanded, merge keys applied, scalars typed, keys turned into strings: what sigs'
/// YAMLToJSON followed by encoding/json gives. Errors: as parse_yaml, without its prefix.
base::Result<value::Value> decode_yaml_document(const YamlDocument& document,
                                                value::Numbers numbers);

}  // namespace chartwright::yaml
