// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::value {

/// The way from a document's root to one of its members: `spec.template.spec.containers[0].image`,
/// `metadata.annotations["example.com/name"]`. Immutable.
class Path {
 public:
  /// A member of a dict, or an element of a list.
  using Step = std::variant<std::string, size_t>;
  static constexpr size_t kMaxBytes = 8192;
  static constexpr size_t kMaxSteps = 256;

  /// Grammar: `member { "." member | "[" digits "]" | "[" quoted "]" }`, where the first step may
  /// also be bracketed, a bare member is made of letters, digits, `_`, `-`, `$` and `/`, and a
  /// quoted one knows the escapes \" and \\. Errors: kParse with the column; kBudget past the
  /// limits above.
  static base::Result<Path> parse(std::string_view text);
  explicit Path(std::vector<Step> steps) : steps_(std::move(steps)) {}

  const std::vector<Step>& steps() const { return steps_; }
  /// The text that `parse` reads back to the same steps.
  std::string to_string() const;

  /// The member at this path; nullptr when any step is missing or of another kind.
  const Value* get(const Value& root) const;
  /// Writes `v` at this path, making dicts for missing (or nil) members on the way. Dicts are
  /// changed in place, so every Value that shares one sees it; lists are rebuilt. Errors:
  /// kInvalidArgument where the path runs through a scalar or past the end of a list; `root` is
  /// then unchanged.
  base::Status set(Value& root, Value v) const;
  /// Removes the member or list element at this path. False when it was not there.
  bool erase(Value& root) const;

 private:
  std::vector<Step> steps_;
};

}  // namespace chartwright::value
