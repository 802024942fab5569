// SPDX-License-Identifier: Apache-2.0
#include "views/selector.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "kube/names.h"
#include "kube/object.h"
#include "views/failure.h"

namespace chartwright::views {
namespace {

constexpr size_t kSelectorBytesMax = 16384;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

/// Reads one requirement after the other.
class LabelSelector::Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  base::Result<std::vector<Requirement>> run() {
    std::vector<Requirement> found;
    skip_space();
    while (!rest_.empty()) {
      CW_TRY(Requirement requirement, next());
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
    return bad_request("unable to parse labelSelector: " + problem);
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
    if (!kube::is_label_key(found)) {
      return wrong(quoted(found) + " is not a label key such as \"app\" or \"example.com/app\"");
    }
    return std::string(found);
  }

  base::Result<std::string> value() {
    const std::string_view found = word();
    if (!kube::is_label_value(found)) {
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

  base::Result<Requirement> compare(Requirement requirement, Op op) {
    requirement.op = op;
    CW_TRY(std::string one, value());
    if ((op == Op::kAbove || op == Op::kBelow) && !base::parse_int(one)) {
      return wrong(quoted(one) + " is not a whole number, which > and < need");
    }
    requirement.values.push_back(std::move(one));
    return requirement;
  }

  base::Result<Requirement> next() {
    Requirement requirement;
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

base::Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  if (text.size() > kSelectorBytesMax) {
    return bad_request("labelSelector is longer than 16 KiB");
  }
  LabelSelector selector;
  CW_TRY(selector.requirements_, Parser(text).run());
  return selector;
}

bool LabelSelector::holds(const Requirement& requirement, const value::Value& object) {
  const std::optional<std::string_view> label = kube::label_of(object, requirement.key);
  const auto& values = requirement.values;
  const bool listed = label && std::find(values.begin(), values.end(), *label) != values.end();
  const auto number = label ? base::parse_int(*label) : std::nullopt;
  switch (requirement.op) {
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

bool LabelSelector::matches(const value::Value& object) const {
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& one) { return holds(one, object); });
}

base::Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  FieldSelector selector;
  if (text.size() > kSelectorBytesMax) {
    return bad_request("fieldSelector is longer than 16 KiB");
  }
  for (const std::string_view part : base::split(text, ',')) {
    if (part.empty()) {
      continue;
    }
    const size_t at = part.find('=');
    if (at == std::string_view::npos || at == 0) {
      return bad_request("invalid field selector: " + quoted(part) +
                         ": metadata.name=NAME or metadata.namespace=NAMESPACE is needed");
    }
    Requirement requirement;
    requirement.equal = part[at - 1] != '!';
    const std::string_view field = part.substr(0, requirement.equal ? at : at - 1);
    const bool is_double = part.substr(at).starts_with("==");
    requirement.value = part.substr(at + (is_double ? 2 : 1));
    requirement.is_name = field == "metadata.name";
    if (!requirement.is_name && field != "metadata.namespace") {
      return bad_request("field label not supported: " + std::string(field) +
                         ": use metadata.name or metadata.namespace");
    }
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

bool FieldSelector::matches(const value::Value& object) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& one) {
    const std::string_view is = one.is_name ? kube::name_of(object) : kube::namespace_of(object);
    return (is == one.value) == one.equal;
  });
}

}  // namespace chartwright::views
