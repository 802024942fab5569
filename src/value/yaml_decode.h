// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "value/json.h"
#include "value/value.h"
#include "value/yaml_nodes.h"
#include "value/yaml_resolve.h"

namespace chartwright::value {

/// Aliases expanded, merge keys applied, scalars typed, keys turned into strings: what sigs'
/// YAMLToJSON followed by encoding/json gives. Errors: as parse_yaml, without its prefix.
base::Result<Value> decode_yaml_document(const YamlDocument& document, Numbers numbers);

/// The type of a scalar node, tag and quotes considered. Error: kParse where the text does not fit
/// the tag.
base::Result<YamlScalar> type_yaml_scalar(const YamlNode& node);

/// A typed scalar as a value; `text` is its written form. Infinities and NaN stay what they are.
Value yaml_scalar_value(const YamlScalar& scalar, std::string_view text, Numbers numbers);

}  // namespace chartwright::value
