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

/// A scalar as it is written in YAML. Its strings are views into its node.
struct WrittenScalar {
  std::string_view tag;  ///< The full tag; empty for none.
  std::string_view text;
  bool implicit = false;  ///< Plain: without a tag, the text decides the type.
};

/// Resolves a scalar from its text, its tag and whether it is quoted. Error: kParse if the text
/// does not fit the tag.
base::Result<Scalar> type_yaml_scalar(const WrittenScalar& scalar);

/// Returns the value of a scalar after the conversion through JSON. Infinities and NaN, which
/// JSON cannot represent, are kept. Errors: as for type_yaml_scalar, and kParse for !!binary that
/// is not base64.
base::Result<value::Value> yaml_scalar_value(const WrittenScalar& scalar, value::Numbers numbers);

/// Returns the text of a scalar as a JSON key; nullopt for null and for integers that fit uint64
/// only, which sigs.k8s.io/yaml rejects. Errors: as for yaml_scalar_value.
base::Result<std::optional<std::string>> yaml_key_text(const WrittenScalar& scalar);

/// Returns the text of a scalar as Go decodes it into a string field: numbers and booleans in their
/// normal form (1.10 is "1.1"), null as "". Errors: as for yaml_scalar_value.
base::Result<std::string> yaml_string_field_text(const WrittenScalar& scalar);

}  // namespace chartwright::yaml
