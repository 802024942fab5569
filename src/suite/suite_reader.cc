// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_reader.h"

#include <algorithm>

#include "base/strings.h"
#include "go/format.h"
#include "go/quote.h"
#include "yaml/locate.h"

namespace chartwright::suite {

using value::Value;

base::Result<SuiteMap> SuiteMap::open(const SuiteText& text, const Value& v, Steps steps) {
  SuiteMap map(text, v.is_nil() ? Value::dict() : v, std::move(steps));
  if (!map.v_.is_dict()) {
    return map.error({}, "expected a map, got " + std::string(value::kind_noun(v.kind())));
  }
  return map;
}

SuiteMap::Steps SuiteMap::steps_to(std::string_view key) const {
  Steps steps = steps_;
  if (!key.empty()) {
    steps.emplace_back(std::string(key));
  }
  return steps;
}

base::SourcePos SuiteMap::pos(std::string_view key) const {
  base::SourcePos pos{text_.file, static_cast<int>(text_.lines_before) + 1, 1};
  if (const auto place = yaml::nearest_in_yaml(text_.written, steps_to(key))) {
    pos.line = place->pos.line + static_cast<int>(text_.lines_before);
    pos.column = place->pos.column;
  }
  return pos;
}

base::Error SuiteMap::error(std::string_view key, std::string_view problem) const {
  const std::string path = value::Path(steps_to(key)).to_string();
  return base::Error(base::ErrorCode::kParse,
                     path.empty() ? std::string(problem) : path + ": " + std::string(problem))
      .at(pos(key));
}

base::Error SuiteMap::wrong(std::string_view key, std::string_view wanted) const {
  return error(key, "expected " + std::string(wanted) + ", got " +
                        std::string(value::kind_noun(v_.find(key)->kind())));
}

Value SuiteMap::get(std::string_view key) {
  read_.emplace_back(key);
  const Value* member = v_.find(key);
  return member != nullptr ? *member : Value();
}

base::Status SuiteMap::text(std::string_view key, std::string& into) {
  const Value member = get(key);
  if (member.is_list() || member.is_dict()) {
    return wrong(key, "a string");
  }
  if (!member.is_nil()) {
    into = member.is_string() ? member.as_string() : go::format_value(member);
  }
  return {};
}

base::Status SuiteMap::boolean(std::string_view key, bool& into) {
  const Value member = get(key);
  // go-yaml still reads the words of YAML 1.1 where a bool is wanted.
  const std::string word = member.is_string() ? base::to_lower_ascii(member.as_string()) : "";
  if (word == "yes" || word == "on" || word == "y") {
    into = true;
  } else if (word == "no" || word == "off" || word == "n") {
    into = false;
  } else if (!member.is_nil() && !member.is_bool()) {
    return wrong(key, "true or false");
  } else if (member.is_bool()) {
    into = member.as_bool();
  }
  return {};
}

base::Status SuiteMap::integer(std::string_view key, int64_t& into) {
  std::optional<int64_t> found;
  CW_TRY_VOID(integer(key, found));
  into = found.value_or(into);
  return {};
}

base::Status SuiteMap::integer(std::string_view key, std::optional<int64_t>& into) {
  const Value member = reread(get(key));
  if (member.is_int()) {
    into = member.as_int();
  } else if (!member.is_nil()) {
    return wrong(key, "a whole number");
  }
  return {};
}

base::Status SuiteMap::texts(std::string_view key, std::vector<std::string>& into) {
  CW_TRY(const std::vector<Value> items, list(key));
  for (const Value& item : items) {
    if (item.is_list() || item.is_dict()) {
      return error(key, "expected a list of strings");
    }
    const std::string text = item.is_nil() ? "" : go::format_value(item);
    into.push_back(text);
  }
  return {};
}

base::Status SuiteMap::dict(std::string_view key, Value& into) {
  const Value member = get(key);
  if (!member.is_nil() && !member.is_dict()) {
    return wrong(key, "a map");
  }
  if (member.is_dict()) {
    into = member;
  }
  return {};
}

base::Result<SuiteMap> SuiteMap::map(std::string_view key) {
  return open(text_, get(key), steps_to(key));
}

base::Result<std::vector<Value>> SuiteMap::list(std::string_view key) {
  const Value member = get(key);
  if (member.is_nil()) {
    return std::vector<Value>();
  }
  if (!member.is_list()) {
    return wrong(key, "a list");
  }
  return member.as_list().items;
}

bool SuiteMap::was_read(std::string_view key) const {
  return std::ranges::find(read_, key) != read_.end();
}

std::string SuiteMap::unknown(std::string_view key) const {
  const std::vector<std::string_view> known(read_.begin(), read_.end());
  const std::string_view near = base::nearest(key, known);
  return "unknown key " + go::quote(key) +
         (near.empty() ? "" : ", did you mean " + go::quote(near) + "?");
}

void SuiteMap::finish() {
  for (const auto& [key, member] : v_.as_dict()) {
    if (!was_read(key)) {
      text_.warnings.push_back(pos(key).to_string() + ": " + unknown(key));
    }
  }
}

base::Status SuiteMap::finish_strictly() const {
  for (const auto& [key, member] : v_.as_dict()) {
    if (!was_read(key)) {
      return base::Error(base::ErrorCode::kParse, unknown(key)).at(pos(key));
    }
  }
  return {};
}

}  // namespace chartwright::suite
