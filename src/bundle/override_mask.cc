// SPDX-License-Identifier: Apache-2.0
#include "bundle/override_mask.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "value/json.h"

namespace chartwright::bundle {

using value::Value;

namespace {

constexpr std::array<std::string_view, 4> kPublic = {"", "true", "false", "null"};

std::string text_of(const Value& scalar) {
  return scalar.is_string() ? scalar.as_string()
                            : value::to_json(scalar, value::JsonEscape::kNone).value_or("");
}

}  // namespace

OverrideMask::OverrideMask(Overrides overrides) {
  if (overrides.empty()) {
    return;
  }
  // As they are set: a text may have several values, and escapes.
  if (const auto parsed = parse_overrides(overrides); parsed.ok()) {
    add(*parsed);
  }
  for (const auto& [path, text] : overrides) {
    add(Value::string(text));
  }
}

void OverrideMask::add(const Value& value) {
  if (value.is_dict()) {
    for (const auto& [key, member] : value.as_dict()) {
      add(member);
    }
    return;
  }
  if (value.is_list()) {
    for (const Value& item : value.as_list().items) {
      add(item);
    }
    return;
  }
  const std::string text = text_of(value);
  if (std::ranges::find(kPublic, text) == kPublic.end()) {
    values_.insert(text);
    texts_.add_text(text);
  }
}

bool OverrideMask::covers(const Value& value) const {
  if (values_.empty()) {
    return false;
  }
  if (value.is_dict()) {
    return std::ranges::any_of(value.as_dict(),
                               [this](const auto& member) { return covers(member.second); });
  }
  if (value.is_list()) {
    return std::ranges::any_of(value.as_list().items,
                               [this](const Value& item) { return covers(item); });
  }
  const std::string text = text_of(value);
  return values_.contains(text) || texts_.masked(text) != text;
}

}  // namespace chartwright::bundle
