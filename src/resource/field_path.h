// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::op {

/// The path of a field in objects that need not have the same items in the same order, in the form
/// in which compare_fields writes it: "spec.template.spec.containers[name=web].image". Immutable.
class FieldPath {
 public:
  /// The item of a list whose member `key` has the identity `id`.
  struct Item {
    std::string key;
    std::string id;
  };
  using Step = std::variant<std::string, size_t, Item>;

  /// Reads a path. An " (order)" at its end counts as the list. Errors: kParse with the column,
  /// kBudget beyond the limits of value::Path.
  static base::Result<FieldPath> parse(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<Step>& steps() const { return steps_; }
  /// Returns the path of the field in `object`; nullopt if that has no such field.
  std::optional<value::Path> in(const value::Value& object) const;

 private:
  FieldPath(std::string text, std::vector<Step> steps)
      : text_(std::move(text)), steps_(std::move(steps)) {}

  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace chartwright::op
