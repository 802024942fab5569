// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/json.h"
#include "value/value.h"
#include "yaml/resolve.h"

namespace chartwright::yaml {

/// A scalar as it is written in a YAML text. Views into its node.
struct WrittenScalar {
  std::string_view tag;  ///< The full tag; empty for none.
  std::string_view text;
  bool implicit = false;  ///< Plain: where there is no tag, the text decides the type.
};

/// Its type, tag and quotes considered. Error: kParse where the text does not fit the tag.
base::Result<YamlScalar> type_yaml_scalar(const WrittenScalar& scalar);

/// Its value after the way through JSON; infinities and NaN, which JSON has no form for, stay.
/// Errors: as type_yaml_scalar, and kParse for !!binary that is not base64.
base::Result<value::Value> yaml_scalar_value(const WrittenScalar& scalar, value::Numbers numbers);

/// Its text as a JSON key; nullopt for null and for integers that only uint64 holds, which
/// sigs.k8s.io/yaml refuses. Errors: as yaml_scalar_value.
base::Result<std::optional<std::string>> yaml_key_text(const WrittenScalar& scalar);

/// Its text where a Go struct has a string field: numbers and booleans in their normal form
/// (1.10 is "1.1"), null is "". Errors: as yaml_scalar_value.
base::Result<std::string> yaml_string_field_text(const WrittenScalar& scalar);

}  // namespace chartwright::yaml
