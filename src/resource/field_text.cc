// SPDX-License-Identifier: Apache-2.0
#include "resource/field_text.h"

#include <algorithm>
#include <vector>

#include "base/printable.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using base::printable;
using value::Value;

constexpr size_t kValueBytesMax = 160;
constexpr size_t kPathBytesMax = 256;
constexpr size_t kManagersMax = 5;
// The bytes that are shown of what two long values have in common before their first difference.
constexpr size_t kCommonBytes = 40;
constexpr std::string_view kMask = "***";

std::string json_text(const Value& v) {
  return value::to_json(v, value::JsonEscape::kNone).value_or("(no JSON)");
}

/// Returns a place at or before `at` where a character begins.
size_t character_start(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && base::is_utf8_continuation(text[at])) {
    --at;
  }
  return std::min(at, text.size());
}

std::string excerpt(const std::string& text, size_t begin) {
  if (text.size() <= kValueBytesMax) {
    return text;
  }
  const size_t from = character_start(text, std::min(begin, text.size()));
  const size_t end = character_start(text, std::min(from + kValueBytesMax, text.size()));
  return (from > 0 ? "…" : "") + text.substr(from, end - from) + (end < text.size() ? "…" : "") +
         " (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

ShownValues shown_values(const FieldChange& field, const host::SecretMask& secrets) {
  ShownValues texts;
  const auto show = [&](const std::optional<Value>& v) -> std::optional<std::string> {
    if (!v) {
      return std::nullopt;
    }
    return field.secret ? std::string(kMask) : printable(secrets.masked(json_text(*v)));
  };
  texts.before = show(field.before);
  texts.after = show(field.after);
  size_t common = 0;
  if (texts.before && texts.after) {
    const auto [a, b] = std::ranges::mismatch(*texts.before, *texts.after);
    common = static_cast<size_t>(a - texts.before->begin());
  }
  const size_t begin = common > kCommonBytes ? common - kCommonBytes : 0;
  for (std::optional<std::string>* text : {&texts.before, &texts.after}) {
    if (*text) {
      *text = excerpt(**text, begin);
    }
  }
  return texts;
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
