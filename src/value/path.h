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

/// A path from a document's root to one of its members: `spec.template.spec.containers[0].image`,
/// `metadata.annotations["example.com/name"]`. Immutable.
class Path {
 public:
  /// The name of a dict's member, or the index of a list's element.
  using Step = std::variant<std::string, size_t>;
  static constexpr size_t kMaxBytes = 8192;
  static constexpr size_t kMaxSteps = 256;

  /// Parses a path. Grammar: `member { "." member | "[" digits "]" | "[" quoted "]" }`, where the
  /// first step may also be bracketed, a bare member consists of letters, digits, `_`, `-`, `$` and
  /// `/`, and a quoted one supports the escapes \" and \\. Errors: kParse with the column, kBudget
  /// if a limit above is exceeded.
  static base::Result<Path> parse(std::string_view text);
  explicit Path(std::vector<Step> steps) : steps_(std::move(steps)) {}

  const std::vector<Step>& steps() const { return steps_; }
  /// Returns text that `parse` converts back to the same steps.
  std::string to_string() const;

  /// Returns the member at this path, or nullptr if a step is missing or of another kind.
  const Value* get(const Value& root) const;
  /// Sets the member at this path to `v`, creating dicts for missing (or nil) members on the way.
  /// Dicts are changed in place, so every Value that shares one sees the change; lists are rebuilt.
  /// Errors: kInvalidArgument if the path runs through a scalar or past the end of a list; `root`
  /// is then unchanged.
  base::Status set(Value& root, Value v) const;
  /// Removes the member or list element at this path. Returns false if it did not exist.
  bool erase(Value& root) const;

 private:
  std::vector<Step> steps_;
};

}  // namespace chartwright::value
