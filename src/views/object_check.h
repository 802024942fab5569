// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "value/value.h"
#include "views/view.h"

namespace chartwright::views {

/// Checks an object that a client sends: that it is of the view's kind and in the namespace of the
/// request, has a valid name, and matches the schema. Errors: 400, 422 with the fields at fault.
base::Status check_object(const View& view, const value::Value& object, const std::string& ns);

/// Reports whether a value is nil or a mapping to texts, as labels and annotations are. Clients in
/// Go refuse a whole list for a single one that is not.
bool is_text_map(const value::Value& value);

/// Returns the paths of the fields that the schema does not have: "spec.colour". Empty without a
/// schema.
std::vector<std::string> unknown_fields(const View& view, const value::Value& object);

}  // namespace chartwright::views
