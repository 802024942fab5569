// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::fields {

/// A field that another custom resource has set to another value.
struct FieldConflict {
  std::string path;     ///< The text that value::Path writes.
  std::string manager;  ///< The field manager of the other custom resource.
  bool operator==(const FieldConflict&) const = default;
};

/// Removes from `body`, a partial object, the fields that managers of other custom resources than
/// `manager` have set in `live` to other values, and returns them. A field that two set to the same
/// value is one of both. A list that has no keys is one field.
std::vector<FieldConflict> leave_conflicts(const value::Value& live, std::string_view manager,
                                           value::Value& body);

}  // namespace chartwright::fields
