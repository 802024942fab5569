// SPDX-License-Identifier: Apache-2.0
#include "bundle/cel.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "value/json.h"

namespace chartwright::bundle {
namespace {

constexpr std::array<std::string_view, 21> kReserved = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

bool may_be_in_name(char c) {
  return base::is_ascii_letter(c) || base::is_ascii_digit(c) || c == '_' || c == '.' || c == '-' ||
         c == '/';
}

}  // namespace

Cel Cel::constant(bool value) {
  Cel result;
  result.constant_ = value;
  result.text_ = value ? "true" : "false";
  return result;
}

Cel Cel::expression(std::string text, uint64_t cost, Form form) {
  Cel result;
  result.text_ = std::move(text);
  result.cost_ = cost;
  result.form_ = form;
  return result;
}

std::string Cel::within(Form form) const { return form_ > form ? "(" + text_ + ")" : text_; }

Cel Cel::joined(const std::vector<Cel>& conditions, Form form) {
  const bool is_neutral = form == Form::kAnd;  // The constant that changes nothing.
  std::vector<Cel> open;
  for (const Cel& condition : conditions) {
    if (condition.is(!is_neutral)) {
      return condition;
    }
    if (!condition.is(is_neutral)) {
      open.push_back(condition);
    }
  }
  if (open.empty()) {
    return constant(is_neutral);
  }
  if (open.size() == 1) {
    return open.front();
  }
  Cel result = expression("", 0, form);
  const std::string_view between = form == Form::kAnd ? " && " : " || ";
  for (const Cel& condition : open) {
    result.text_ += result.text_.empty() ? "" : between;
    result.text_ += condition.within(form);
    result.cost_ += condition.cost_ + 1;
  }
  return result;
}

Cel all_of(const std::vector<Cel>& conditions) { return Cel::joined(conditions, Cel::Form::kAnd); }

Cel any_of(const std::vector<Cel>& conditions) { return Cel::joined(conditions, Cel::Form::kOr); }

Cel exactly_one_of(const std::vector<Cel>& conditions) {
  const auto met = std::ranges::count_if(conditions, [](const Cel& c) { return c.is(true); });
  std::vector<Cel> open;
  std::ranges::copy_if(conditions, std::back_inserter(open),
                       [](const Cel& c) { return !c.is(true) && !c.is(false); });
  if (met > 1 || open.empty()) {
    return Cel::constant(met == 1);
  }
  if (met == 1) {
    return negated(any_of(open));
  }
  if (open.size() == 1) {
    return open.front();
  }
  Cel sum = Cel::expression("", 1, Cel::Form::kComparison);
  for (const Cel& condition : open) {
    sum.text_ += (sum.text_.empty() ? "(" : " + (") + condition.text_ + " ? 1 : 0)";
    sum.cost_ += condition.cost_ + 2;
  }
  sum.text_ += " == 1";
  return sum;
}

Cel negated(const Cel& condition) {
  if (condition.constant_) {
    return Cel::constant(!*condition.constant_);
  }
  const bool is_negated = condition.form_ == Cel::Form::kOperand && condition.text_[0] == '!';
  return Cel::expression(
      is_negated ? condition.text_.substr(1) : "!" + condition.within(Cel::Form::kOperand),
      condition.cost_ + 1);
}

std::optional<std::string> cel_name(std::string_view field) {
  if (field.empty() || base::is_ascii_digit(field.front()) ||
      !std::ranges::all_of(field, may_be_in_name)) {
    return std::nullopt;
  }
  if (std::ranges::find(kReserved, field) != kReserved.end()) {
    return "__" + std::string(field) + "__";
  }
  std::string name;
  for (size_t i = 0; i < field.size(); ++i) {
    if (field.substr(i).starts_with("__")) {
      name += "__underscores__";
      ++i;
    } else if (field[i] == '.') {
      name += "__dot__";
    } else if (field[i] == '-') {
      name += "__dash__";
    } else if (field[i] == '/') {
      name += "__slash__";
    } else {
      name += field[i];
    }
  }
  return name;
}

std::string cel_literal(const value::Value& value, bool is_double) {
  if (value.is_string()) {
    // The escapes of JSON are among those of CEL, but for that of a slash, which is not written.
    return value::to_json(value, value::JsonEscape::kNone).value_or("\"\"");
  }
  std::string text = value::to_json(value).value_or("0");
  if (is_double && text.find_first_of(".eE") == std::string::npos) {
    text += ".0";
  }
  return text;
}

}  // namespace chartwright::bundle
