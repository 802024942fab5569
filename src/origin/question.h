// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/object.h"
#include "release/inventory.h"
#include "resource/field_path.h"

namespace chartwright::origin {

/// A child as a person names it.
struct ChildName {
  std::string kind;   ///< In any case, also in the plural.
  std::string group;  ///< Empty: any.
  std::string ns;     ///< Empty: any.
  std::string name;
};

/// A field that somebody asks about.
struct Question {
  std::optional<ChildName> child;  ///< nullopt: the field is one of the custom resource's own spec.
  op::FieldPath field;
};

/// Reports whether an argument is a field rather than the name of a custom resource: it has the
/// form that parse_question reads.
bool is_question(std::string_view argument);

/// Reads "KIND[.GROUP]/[NAMESPACE/]NAME:PATH", a field of a child, or "spec.PATH". Errors:
/// kInvalidArgument, with the form, and those of FieldPath::parse.
base::Result<Question> parse_question(std::string_view argument);

/// A child, and the name by which the chart renders it.
struct Child {
  kube::ObjectRef ref;
  kube::ObjectRef slot;
};

/// Returns the child that a name means. Errors: kNotFound with those that there are, or the one
/// with the nearest name; kInvalidArgument where the name means several.
base::Result<Child> find_child(const ChildName& name, const release::Inventory& children);

/// Returns the sentence about a field that `objects` do not have, with the nearest ones that they
/// have. `where`: "Deployment.apps team/web".
base::Error no_such_field(const op::FieldPath& field, const std::string& where,
                          const std::vector<value::Value>& objects);

}  // namespace chartwright::origin
