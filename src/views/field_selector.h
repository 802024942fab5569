// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::views {

/// A field selector of a request. As for custom resources without selectable fields, the fields are
/// metadata.name and metadata.namespace. Immutable.
class FieldSelector {
 public:
  FieldSelector() = default;  ///< Selects everything.
  /// Error: kInvalid (400 BadRequest) with what is wrong.
  static base::Result<FieldSelector> parse(std::string_view text);
  bool matches(const value::Value& object) const;

 private:
  struct Requirement {
    bool is_name = true;  ///< Else the namespace.
    bool equal = true;
    std::string value;
  };
  std::vector<Requirement> requirements_;
};

}  // namespace chartwright::views
