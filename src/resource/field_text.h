// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/secret_mask.h"
#include "resource/field_changes.h"

namespace chartwright::op {

/// The values of a field as they are shown: as JSON, masked, cut, and printable.
struct ShownValues {
  std::optional<std::string> before;
  std::optional<std::string> after;
};

/// Returns the values of a field, with *** in place of secrets. Of long values it shows the part
/// where they begin to differ, at most 160 bytes.
ShownValues shown_values(const FieldChange& field, const host::SecretMask& secrets);

/// Returns the path of a field, printable, at most 256 bytes.
std::string shown_path(const FieldChange& field);

/// Returns the managers of a field, printable, at most five: "foo, kubectl-edit".
std::string shown_managers(const FieldChange& field);

}  // namespace chartwright::op
