// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "helm/analysis/usage.h"
#include "value/value.h"

namespace chartwright::coverage {

/// Collects which members of a chart's values.yaml get other values. It remembers paths of these
/// defaults alone, so that its size does not depend on what tests set.
class ChangedValues {
 public:
  /// `defaults` is a dict.
  explicit ChangedValues(value::Value defaults) : defaults_(std::move(defaults)) {}

  /// Notes the values that are given to a render. Numbers are equal whatever their type.
  void note(const value::Value& given);
  /// Adds those of another object with the same defaults.
  void add(const ChangedValues& other);

  const value::Value& defaults() const { return defaults_; }
  /// Reports whether the default at `path`, or a table that holds it, was replaced or removed.
  bool has(const helm::analysis::Steps& path) const;

 private:
  void note(const value::Value& given, const value::Value& defaults);

  value::Value defaults_;
  helm::analysis::Steps path_;  ///< The path of the table that is being looked at.
  std::set<helm::analysis::Steps> changed_;
};

/// The defaults that templates may read: tables are those of their members, unless they are empty.
struct ReadDefaults {
  size_t total = 0;
  /// The paths of those that no test changed: "image.tag".
  std::vector<std::string> unset;
};

ReadDefaults read_defaults(const ChangedValues& changed, const helm::analysis::KeyUsage& usage);

}  // namespace chartwright::coverage
