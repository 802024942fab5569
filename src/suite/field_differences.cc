// SPDX-License-Identifier: Apache-2.0
#include "suite/field_differences.h"

#include <algorithm>
#include <utility>

#include "base/unicode.h"
#include "suite/typed_yaml.h"
#include "value/compare.h"
#include "value/differences.h"
#include "value/json.h"

namespace chartwright::suite {
namespace {

using value::Value;

constexpr size_t kItemsMax = 100;
constexpr size_t kPathBytesMax = 256;

std::string json_of(const Value& v) {
  return value::to_json(v, value::JsonEscape::kNone).value_or("(no JSON)");
}

FieldDifference texts_of(const value::Difference& found) {
  value::DifferentTexts texts;
  if (found.first != nullptr) {
    texts.first = json_of(*found.first);
  }
  if (found.second != nullptr) {
    texts.second = json_of(*found.second);
  }
  // Numbers and times of different types may have the same text.
  if (texts.first && texts.first == texts.second) {
    *texts.first += " (" + go_type(*found.first) + ")";
    *texts.second += " (" + go_type(*found.second) + ")";
  }
  value::shorten(texts);
  return {base::shortened(found.path, kPathBytesMax), std::move(texts.first),
          std::move(texts.second)};
}

bool has_common_member(const Value& item, const Value& expected) {
  return std::any_of(expected.as_dict().begin(), expected.as_dict().end(), [&](const auto& entry) {
    const Value* const found = item.find(entry.first);
    return found != nullptr && value::deep_equal(*found, entry.second);
  });
}

size_t count_of(const FieldDifferences& found) { return found.kept.size() + found.left_out; }

std::string line_of(const FieldDifference& field) {
  const std::string expected = field.expected ? "expected " + *field.expected : "not expected";
  return field.path + ": " + expected + ", " +
         (field.actual ? "actual " + *field.actual : "missing");
}

}  // namespace

FieldDifferences field_differences(const Value& expected, const Value& actual) {
  FieldDifferences found;
  const bool is_structured =
      (expected.is_dict() && actual.is_dict()) || (expected.is_list() && actual.is_list());
  if (!is_structured) {
    return found;
  }
  const auto visit = [&](const value::Difference& one) {
    // Lists of scalars differ as a whole, which the texts of both show.
    if (one.steps.empty()) {
      return;
    }
    if (found.kept.size() == kFieldsMax) {
      ++found.left_out;
      return;
    }
    found.kept.push_back(texts_of(one));
  };
  value::compare_members(&expected, &actual,
                         {.is_equal = value::deep_equal, .skips = {}, .visit = visit});
  return found;
}

Value narrowed(const Value& map, const Value& members) {
  Value out = Value::dict();
  for (const auto& [name, member] : members.as_dict()) {
    const Value* const found = map.find(name);
    if (found != nullptr || member.is_nil()) {
      out.mutable_dict().set(name, found != nullptr ? *found : Value());
    }
  }
  return out;
}

std::optional<NearestItem> nearest_item(const std::vector<Value>& items, const Value& expected,
                                        Members members) {
  std::optional<NearestItem> nearest;
  for (size_t i = 0; expected.is_dict() && i < std::min(items.size(), kItemsMax); ++i) {
    if (!items[i].is_dict() || !has_common_member(items[i], expected)) {
      continue;
    }
    FieldDifferences found = field_differences(
        expected, members == Members::kAll ? items[i] : narrowed(items[i], expected));
    if (!nearest || count_of(found) < count_of(nearest->differences)) {
      nearest = {i, std::move(found)};
    }
  }
  return nearest;
}

std::vector<std::string> field_lines(std::string_view heading, const FieldDifferences& found) {
  if (found.kept.empty()) {
    return {};
  }
  std::vector<std::string> lines{std::string(heading)};
  for (const FieldDifference& field : found.kept) {
    lines.push_back("\t" + line_of(field));
  }
  if (found.left_out > 0) {
    lines.push_back("\t... and " + std::to_string(found.left_out) + " more");
  }
  return lines;
}

}  // namespace chartwright::suite
