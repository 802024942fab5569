// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"

// Source: Masterminds/sprig v3.3.0 defaults.go.
namespace chartwright::helm::funcs {
namespace {

Value default_to(const Value& fallback, AnyRest given) {
  return given.empty() || is_empty(given[0]) ? fallback : given[0];
}

bool empty(const Value& v) { return is_empty(v); }

Value coalesce(AnyRest values) {
  for (const Value& v : values.values()) {
    if (!is_empty(v)) {
      return v;
    }
  }
  return Value::nil();
}

bool all(AnyRest values) {
  return std::none_of(values.values().begin(), values.values().end(), is_empty);
}

bool any(AnyRest values) {
  return !std::all_of(values.values().begin(), values.values().end(), is_empty);
}

Value ternary(const Value& if_true, const Value& if_false, bool condition) {
  return condition ? if_true : if_false;
}

}  // namespace

void add_defaults(Table& table) {
  table.add("default", default_to);
  table.add("empty", empty);
  table.add("coalesce", coalesce);
  table.add("all", all);
  table.add("any", any);
  table.add("ternary", ternary);
}

}  // namespace chartwright::helm::funcs
