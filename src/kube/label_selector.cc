// SPDX-License-Identifier: Apache-2.0
#include "kube/label_selector.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "kube/names.h"
#include "kube/object.h"

namespace chartwright::kube {
namespace {

using value::Value;
using Op = LabelRequirement::Op;

constexpr size_t kSelectorBytesMax = 16384;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

/// Reads one requirement after the other.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  base::Result<std::vector<LabelRequirement>> run() {
    std::vector<LabelRequirement> found;
    skip_space();
    while (!rest_.empty()) {
      CW_TRY(LabelRequirement requirement, next());
      found.push_back(std::move(requirement));
      skip_space();
      if (rest_.empty()) {
        break;
      }
      if (!take(",")) {
        return wrong("a comma is needed before " + quoted(rest_));
      }
      skip_space();
      if (rest_.empty()) {
        return wrong("a requirement is needed after the last comma");
      }
    }
    return found;
  }

 private:
  static base::Error wrong(const std::string& problem) {
    return {base::ErrorCode::kInvalidArgument, problem};
  }

  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }

  bool take(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) {
      return false;
    }
    rest_.remove_prefix(token.size());
    return true;
  }

  std::string_view word() {
    skip_space();
    const size_t end = std::min(rest_.find_first_of(" \t,()=!<>"), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }

  base::Result<std::string> key() {
    const std::string_view found = word();
    if (!is_label_key(found)) {
      return wrong(quoted(found) + " is not a label key such as \"app\" or \"example.com/app\"");
    }
    return std::string(found);
  }

  base::Result<std::string> value() {
    const std::string_view found = word();
    if (!is_label_value(found)) {
      return wrong(quoted(found) + " is not a label value");
    }
    return std::string(found);
  }

  base::Result<std::vector<std::string>> values() {
    if (!take("(")) {
      return wrong("a list of values in parentheses is needed before " + quoted(rest_));
    }
    std::vector<std::string> found;
    do {
      CW_TRY(std::string one, value());
      found.push_back(std::move(one));
    } while (take(","));
    if (!take(")")) {
      return wrong("a closing parenthesis is missing");
    }
    return found;
  }

  base::Result<LabelRequirement> compare(LabelRequirement requirement, Op op) {
    requirement.op = op;
    CW_TRY(std::string one, value());
    if ((op == Op::kAbove || op == Op::kBelow) && !base::parse_int(one)) {
      return wrong(quoted(one) + " is not a whole number, which > and < need");
    }
    requirement.values.push_back(std::move(one));
    return requirement;
  }

  base::Result<LabelRequirement> next() {
    LabelRequirement requirement;
    if (take("!")) {
      requirement.op = Op::kAbsent;
      CW_TRY(requirement.key, key());
      return requirement;
    }
    CW_TRY(requirement.key, key());
    if (take("==") || take("=")) {
      return compare(std::move(requirement), Op::kIn);
    }
    if (take("!=")) {
      return compare(std::move(requirement), Op::kNotIn);
    }
    if (take(">")) {
      return compare(std::move(requirement), Op::kAbove);
    }
    if (take("<")) {
      return compare(std::move(requirement), Op::kBelow);
    }
    skip_space();
    if (rest_.empty() || rest_.front() == ',') {
      return requirement;
    }
    const std::string_view op = word();
    if (op != "in" && op != "notin") {
      return wrong(quoted(op) + " is not an operator: =, ==, !=, in, notin, >, <");
    }
    requirement.op = op == "in" ? Op::kIn : Op::kNotIn;
    CW_TRY(requirement.values, values());
    return requirement;
  }

  std::string_view rest_;
};

bool takes_values(Op op) { return op == Op::kIn || op == Op::kNotIn; }

base::Error malformed(const std::string& problem) {
  return {base::ErrorCode::kInvalidArgument, "has a spec.selector " + problem};
}

base::Result<LabelRequirement> read_expression(const Value& expression) {
  const std::string key(expression.string_at({"key"}));
  const auto op = label_operator(expression.string_at({"operator"}));
  if (!is_label_key(key) || !op) {
    return malformed("with an expression that lacks a key or an operator");
  }
  LabelRequirement requirement{key, *op};
  if (const Value* values = expression.find("values"); values && values->is_list()) {
    for (const Value& one : values->as_list().items) {
      if (!one.is_string()) {
        return malformed("with an expression whose values are not strings");
      }
      requirement.values.push_back(one.as_string());
    }
  }
  if (takes_values(*op) == requirement.values.empty()) {
    return malformed(takes_values(*op) ? "with an expression that lacks values"
                                       : "with an expression that has values, but needs none");
  }
  return requirement;
}

base::Status read_labels(const Value& labels, std::vector<LabelRequirement>& into) {
  if (!labels.is_dict()) {
    return malformed("that is not a map of labels");
  }
  for (const auto& [key, label] : labels.as_dict()) {
    if (!label.is_string()) {
      return malformed("that is not a map of labels");
    }
    into.push_back({key, Op::kIn, {label.as_string()}});
  }
  return {};
}

base::Result<std::vector<LabelRequirement>> read_selector(const Value& selector) {
  const Value* labels = selector.find("matchLabels");
  const Value* expressions = selector.find("matchExpressions");
  const bool has_labels = labels != nullptr && labels->is_dict();
  const bool has_expressions = expressions != nullptr && expressions->is_list();
  std::vector<LabelRequirement> found;
  if (!has_labels && !has_expressions) {
    CW_TRY_VOID(read_labels(selector, found));
    return found;
  }
  if (has_labels) {
    CW_TRY_VOID(read_labels(*labels, found));
  }
  if (has_expressions) {
    for (const Value& expression : expressions->as_list().items) {
      CW_TRY(LabelRequirement one, read_expression(expression));
      found.push_back(std::move(one));
    }
  }
  return found;
}

}  // namespace

std::optional<Op> label_operator(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Op>, 4> kOperators = {
      {{"In", Op::kIn},
       {"NotIn", Op::kNotIn},
       {"Exists", Op::kExists},
       {"DoesNotExist", Op::kAbsent}}};
  const auto found = std::ranges::find(kOperators, name, &decltype(kOperators)::value_type::first);
  return found == kOperators.end() ? std::nullopt : std::optional(found->second);
}

const std::string* LabelRequirement::only_value() const {
  return op == Op::kIn && values.size() == 1 ? &values.front() : nullptr;
}

bool LabelRequirement::is_met_by(const Value& object) const {
  const std::optional<std::string_view> label = label_of(object, key);
  const bool listed = label && std::ranges::find(values, *label) != values.end();
  const auto number = label ? base::parse_int(*label) : std::nullopt;
  switch (op) {
    case Op::kIn:
      return listed;
    case Op::kNotIn:
      return !listed;
    case Op::kExists:
      return label.has_value();
    case Op::kAbsent:
      return !label.has_value();
    case Op::kAbove:
      return number && *number > base::parse_int(values.front()).value_or(0);
    case Op::kBelow:
      return number && *number < base::parse_int(values.front()).value_or(0);
  }
  return false;
}

std::string LabelRequirement::to_string() const {
  switch (op) {
    case Op::kIn:
      return values.size() == 1 ? key + "=" + values.front()
                                : key + " in (" + base::join(values, ",") + ")";
    case Op::kNotIn:
      return key + " notin (" + base::join(values, ",") + ")";
    case Op::kExists:
      return key;
    case Op::kAbsent:
      return "!" + key;
    case Op::kAbove:
      return key + ">" + values.front();
    case Op::kBelow:
      return key + "<" + values.front();
  }
  return key;
}

base::Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  if (text.size() > kSelectorBytesMax) {
    return base::Error(base::ErrorCode::kInvalidArgument, "it is longer than 16 KiB");
  }
  CW_TRY(std::vector<LabelRequirement> found, Parser(text).run());
  return LabelSelector(std::move(found));
}

base::Result<LabelSelector> LabelSelector::of(const Value& object) {
  const auto read = [&object]() -> base::Result<std::vector<LabelRequirement>> {
    const Value* selector = object.find_path({"spec", "selector"});
    if (selector == nullptr || !selector->is_dict()) {
      return base::Error(base::ErrorCode::kInvalidArgument, "has no spec.selector");
    }
    CW_TRY(auto found, read_selector(*selector));
    if (found.empty()) {
      return base::Error(base::ErrorCode::kInvalidArgument,
                         "selects everything: its spec.selector is empty");
    }
    return found;
  };
  auto found = read();
  if (!found.ok()) {
    return base::Error(found.error().code(),
                       ref_of(object).to_string() + " " + found.error().message());
  }
  return LabelSelector(*std::move(found));
}

bool LabelSelector::matches(const Value& object) const {
  return std::ranges::all_of(
      requirements_, [&object](const LabelRequirement& one) { return one.is_met_by(object); });
}

const std::string* LabelSelector::only_value(std::string_view key) const {
  for (const LabelRequirement& one : requirements_) {
    if (one.key == key && one.only_value() != nullptr) {
      return one.only_value();
    }
  }
  return nullptr;
}

}  // namespace chartwright::kube
