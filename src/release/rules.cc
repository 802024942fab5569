// SPDX-License-Identifier: Apache-2.0
#include "release/rules.h"

#include "base/strings.h"

#include <algorithm>

#include "fields/projection.h"
#include "kube/quantity.h"
#include "release/owner.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::release {
namespace {

using value::Path;
using value::Value;

std::string scalar_text(const Value& v) {
  return v.is_string() ? v.as_string() : value::to_json(v).value_or("?");
}

// A path that cannot be written, because it runs through a scalar of the template, is left to the
// API server, which knows the schema and names the field in its error.
void write_field(const Path& path, const Value& from, Value& desired) {
  auto written = path.set(desired, value::deep_copy(from));
  static_cast<void>(written.ok());
}

void freeze_field(const Path& path, const Value& live, Value& desired) {
  const Value* live_field = path.get(live);
  if (live_field != nullptr) {
    write_field(path, *live_field, desired);
  } else {
    path.erase(desired);
  }
}

bool is_nothing(const Value& v) {
  return value::is_null(v) || (v.is_dict() && v.as_dict().empty()) ||
         (v.is_list() && v.as_list().items.empty());
}

bool is_as_wanted(const Value* live, const Value& wanted);

bool are_as_wanted(const value::List& live, const value::List& wanted) {
  return std::ranges::equal(live.items, wanted.items, [](const Value& has, const Value& wants) {
    return is_as_wanted(&has, wants);
  });
}

// Reports whether `live` is `wanted`, with defaults of the API server and in whatever spelling.
bool is_as_wanted(const Value* live, const Value& wanted) {
  if (live == nullptr) {
    return is_nothing(wanted);
  }
  if (live->is_list() && wanted.is_list()) {
    return are_as_wanted(live->as_list(), wanted.as_list());
  }
  if (!live->is_dict() || !wanted.is_dict()) {
    return fields::already_holds(*live, wanted);
  }
  return std::ranges::all_of(wanted.as_dict(), [live](const auto& member) {
    return is_as_wanted(live->find(member.first), member.second);
  });
}

// A field that only we own is gone when an apply leaves it out, so it is sent as it lives until
// somebody else writes it.
void ignore_field(const Path& path, const Value& live, std::string_view manager, Value& desired) {
  if (fields::owns_field(live, manager, path)) {
    freeze_field(path, live, desired);
  } else {
    path.erase(desired);
  }
}

// Reports whether both are quantities and `desired` is less than `live`.
bool shrinks(const Value& live, const Value& desired) {
  auto has = kube::Quantity::from_value(live);
  auto wants = kube::Quantity::from_value(desired);
  return has.ok() && wants.ok() && *wants < *has;
}

// Returns the place of an object in the chart, which rules know, and not its live name.
std::string_view rendered_name(const Value& object) {
  return kube::annotation_of(object, kSlotAnnotation).value_or(kube::name_of(object));
}

}  // namespace

bool ChildMatch::matches(const Value& object) const {
  if (!api_version.empty() && object.string_at({"apiVersion"}) != api_version) {
    return false;
  }
  if (!kind.empty() && object.string_at({"kind"}) != kind) {
    return false;
  }
  if (!name.empty() && !glob_match(name, rendered_name(object))) {
    return false;
  }
  for (const auto& [key, wanted] : labels) {
    if (object.string_at({"metadata", "labels", key}) != wanted) {
      return false;
    }
  }
  return true;
}

const ChildRule* find_rule(const std::vector<ChildRule>& rules, const Value& object) {
  for (const ChildRule& rule : rules) {
    if (rule.match.matches(object)) {
      return &rule;
    }
  }
  return nullptr;
}

Held hold_fields(const ChildRule& rule, const Value& live, std::string_view manager,
                 Value& desired) {
  Held held;
  for (const Path& path : rule.freeze) {
    if (const Value* wants = path.get(desired); wants && !is_as_wanted(path.get(live), *wants)) {
      held.frozen.push_back(path.to_string());
    }
    freeze_field(path, live, desired);
  }
  for (const Path& path : rule.ignore) {
    ignore_field(path, live, manager, desired);
  }
  for (const Path& path : rule.grow_only) {
    const Value* has = path.get(live);
    const Value* wants = path.get(desired);
    if (has != nullptr && wants != nullptr && shrinks(*has, *wants)) {
      held.shrinking.push_back({path.to_string(), scalar_text(*has), scalar_text(*wants)});
      write_field(path, *has, desired);
    }
  }
  return held;
}

// Not fnmatch(3): there "[" is special, too, and a pattern of many can take seconds.
bool glob_match(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] != '*' && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (star != std::string_view::npos) {
      // Let the last star match one more byte. The worst case is O(pattern * text).
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

std::string describe(const std::vector<HeldField>& shrinking) {
  std::vector<std::string> parts;
  parts.reserve(shrinking.size());
  for (const HeldField& field : shrinking) {
    parts.push_back(field.path + " stays " + field.live + ", " + field.wanted + " asked");
  }
  return base::join(parts, "; ");
}

}  // namespace chartwright::release
