// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::bundle {

/// A condition: true, false, or an expression in CEL that never fails.
class Cel {
 public:
  /// The binding of an expression, from tight to loose.
  enum class Form : uint8_t { kOperand, kComparison, kAnd, kOr };

  static Cel constant(bool value);
  /// An expression that costs at most `cost` of an API server's units.
  static Cel expression(std::string text, uint64_t cost, Form form = Form::kOperand);

  bool is(bool value) const { return constant_ == value; }
  const std::string& text() const { return text_; }
  uint64_t cost() const { return cost_; }

  // These fold constants.
  friend Cel all_of(const std::vector<Cel>& conditions);
  friend Cel any_of(const std::vector<Cel>& conditions);
  friend Cel exactly_one_of(const std::vector<Cel>& conditions);
  friend Cel negated(const Cel& condition);

 private:
  /// Joins conditions by `form`, kAnd or kOr.
  static Cel joined(const std::vector<Cel>& conditions, Form form);
  /// The text, in parentheses if it binds less than `form`.
  std::string within(Form form) const;

  std::optional<bool> constant_;
  std::string text_;
  uint64_t cost_ = 0;
  Form form_ = Form::kOperand;
};

Cel all_of(const std::vector<Cel>& conditions);
Cel any_of(const std::vector<Cel>& conditions);
Cel exactly_one_of(const std::vector<Cel>& conditions);
Cel negated(const Cel& condition);

/// Returns the name that CEL has for a field; nullopt if it has none.
/// Source: k8s.io/apiserver pkg/cel/escaping.go.
std::optional<std::string> cel_name(std::string_view field);
/// Returns a string, bool or number as CEL writes it: 5.0 is a double, and so is 5 with
/// `is_double`.
std::string cel_literal(const value::Value& value, bool is_double = false);

}  // namespace chartwright::bundle
