// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::kube {

/// The requirement of a selector on one label.
struct LabelRequirement {
  enum class Op : uint8_t { kIn, kNotIn, kExists, kAbsent, kAbove, kBelow };

  std::string key;
  Op op = Op::kExists;
  /// For kExists and kAbsent none, for kAbove and kBelow one.
  std::vector<std::string> values = {};

  /// Returns the only value with which the label meets the requirement; null if others do, too.
  const std::string* only_value() const;
  bool is_met_by(const value::Value& object) const;
  /// Returns the form that the API takes: "tier in (a,b)".
  std::string to_string() const;
  bool operator==(const LabelRequirement&) const = default;
};

/// Requirements on labels, all of which a selected object meets. Immutable.
class LabelSelector {
 public:
  LabelSelector() = default;  ///< Selects everything.
  explicit LabelSelector(std::vector<LabelRequirement> requirements)
      : requirements_(std::move(requirements)) {}

  /// Reads the form that the API takes: "app=web,tier in (a, b),!old". Error: kInvalidArgument with
  /// what is wrong. Source: k8s.io/apimachinery pkg/labels/selector.go.
  static base::Result<LabelSelector> parse(std::string_view text);
  /// Reads the `spec.selector` of an object: a metav1.LabelSelector, as a Deployment has it, or
  /// labels, as a Service has them. Errors: kInvalidArgument if there is none, if it selects
  /// everything, or if it is malformed.
  static base::Result<LabelSelector> of(const value::Value& object);

  const std::vector<LabelRequirement>& requirements() const { return requirements_; }
  bool empty() const { return requirements_.empty(); }
  bool matches(const value::Value& object) const;
  /// Returns the only value that a label of selected objects may have; null if there are others, or
  /// if nothing is known of it.
  const std::string* only_value(std::string_view key) const;

 private:
  std::vector<LabelRequirement> requirements_;
};

/// Returns the meaning of a metav1.LabelSelectorOperator; nullopt for other texts.
std::optional<LabelRequirement::Op> label_operator(std::string_view name);

}  // namespace chartwright::kube
