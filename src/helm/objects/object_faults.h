// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helm/objects/object_types.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::helm {

/// A part of an object that an API server would reject, drop or change, or a missing field.
/// Contains no value but the key of a list item.
struct ObjectFault {
  enum class Reason : uint8_t {
    kUnknownField,
    kWrongType,
    kMissingField,
    kRepeatedKey,   ///< A map has the key twice.
    kRepeatedItem,  ///< A list whose items differ in their keys, or a set, has the item twice.
  };
  Reason reason;
  std::string text;                      ///< "spec.replicas: expected an integer, got a string"
  std::vector<value::Path::Step> steps;  ///< The way to it from the document.
};

/// Returns the faults in the fields of an object; none for unknown kinds. Checks the items of a
/// List one by one.
std::vector<ObjectFault> find_object_faults(const ObjectTypes& types, const value::Value& object);

/// Finds keys that occur more than once in a map of a YAML document, where only the last one
/// counts.
std::vector<ObjectFault> find_repeated_keys(std::string_view document);

}  // namespace chartwright::helm
