// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helm/lint/message.h"
#include "helm/lint/object_types.h"
#include "value/value.h"

namespace chartwright::helm::lint {

/// A field that an API server would refuse, drop or miss. Never tells a value.
struct ObjectFault {
  enum class Reason : uint8_t { kUnknownField, kWrongType, kMissingField, kRepeatedKey };
  Reason reason;
  std::string text;  ///< "spec.replicas: expected an integer, got a string"
};

/// What is wrong with the fields of an object; of kinds that nobody knows nothing is. The items of
/// a List are looked at one by one.
std::vector<ObjectFault> find_object_faults(const ObjectTypes& types, const value::Value& object);

/// The keys that stand more than once in one table of a YAML document, of which the last one
/// counts.
std::vector<ObjectFault> find_repeated_keys(std::string_view document);

}  // namespace chartwright::helm::lint
