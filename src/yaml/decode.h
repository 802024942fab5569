// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "value/json.h"
#include "value/value.h"
#include "yaml/nodes.h"

namespace chartwright::yaml {

/// Decodes as sigs' YAMLToJSON followed by encoding/json does: expands aliases, applies merge keys,
/// resolves the types of scalars and turns keys into strings. Errors: as for parse_yaml, without
/// its prefix.
base::Result<value::Value> decode_yaml_document(const Document& document, value::Numbers numbers);

}  // namespace chartwright::yaml
