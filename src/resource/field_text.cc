// SPDX-License-Identifier: Apache-2.0
#include "resource/field_text.h"

#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "value/differences.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using base::printable;
using value::Value;

constexpr size_t kPathBytesMax = 256;
constexpr size_t kManagersMax = 5;
constexpr std::string_view kMask = "***";

std::string json_text(const Value& v) {
  return value::to_json(v, value::JsonEscape::kNone).value_or("(no JSON)");
}

}  // namespace

ShownValues shown_values(const FieldChange& field, const host::SecretMask& secrets) {
  const auto show = [&](const std::optional<Value>& v) -> std::optional<std::string> {
    if (!v) {
      return std::nullopt;
    }
    return field.secret ? std::string(kMask) : printable(secrets.masked(json_text(*v)));
  };
  value::DifferentTexts texts{show(field.before), show(field.after)};
  value::shorten(texts);
  return {std::move(texts.first), std::move(texts.second)};
}

std::string shown_path(const FieldChange& field) {
  return base::shortened(printable(field.path), kPathBytesMax);
}

std::string shown_managers(const FieldChange& field) {
  std::vector<std::string> names = field.managers;
  if (names.size() > kManagersMax) {
    names.resize(kManagersMax);
    names.emplace_back("...");
  }
  return printable(base::join(names, ", "));
}

}  // namespace chartwright::op
