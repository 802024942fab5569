// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::op {

/// A field of an object that is added, changed or removed.
struct FieldChange {
  /// "spec.template.spec.containers[name=web].image"; the name of a list alone, followed by
  /// " (order)", if only the order of its items changes.
  std::string path;
  std::optional<value::Value> before;
  std::optional<value::Value> after;
  bool secret = false;                ///< Neither value may be shown.
  std::vector<std::string> managers;  ///< The managers of the live field, besides ourselves.
};

/// The number of changes of one object that are kept.
inline constexpr size_t kFieldsMax = 1000;

struct FieldChanges {
  std::vector<FieldChange> kept;
  size_t left_out = 0;  ///< Changes beyond kFieldsMax.
};

/// Reports whether the value of a field of an object of that kind may not be shown. Pure.
bool is_secret_field(const kube::Gvk& kind, const std::vector<value::Path::Step>& steps);

/// Returns the differences of two objects, field by field, in the order of their names. An object
/// that is nil has no fields. Leaves out what names the object, its status, and the bookkeeping of
/// the API server; for a new object, also its owner references. Items of a list are recognised by
/// what identifies them ("name", "mountPath", ...), otherwise by their place. `own_manager`: the
/// field manager that is not named, beside the one of ours that all custom resources had in common.
/// Pure.
FieldChanges compare_fields(const value::Value& before, const value::Value& after,
                            std::string_view own_manager = {});

}  // namespace chartwright::op
