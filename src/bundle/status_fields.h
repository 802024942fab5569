// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "helm/render/operator_template.h"
#include "value/value.h"

namespace chartwright::bundle {

/// Returns the fields of a status that the operator writes itself. Of these, operator/status.yaml
/// may write only `conditions`.
std::span<const std::string_view> engine_status_fields();

/// A schema of a status: JSON Schema, or the structural one of a CRD.
struct StatusSchema {
  const value::Value& root;
  std::string name;  ///< In errors: "status.schema.json".
};

/// Checks what operator/status.yaml writes, on any branch, against a schema: fields that it does
/// not have (a CRD drops them), values that are certainly of another type, and conditions without
/// type or status, or of a type that the operator writes. Text that a helper
/// or a value writes is not known and passes. `file` is the path of the template in errors. Error:
/// kInvalidArgument with file:line:column, and the field that may be meant.
base::Status check_status_fields(const helm::OperatorTemplate& status, const std::string& file,
                                 const StatusSchema& schema);

}  // namespace chartwright::bundle
