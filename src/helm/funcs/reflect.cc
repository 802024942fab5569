// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "go/type_name.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"
#include "value/compare.h"

// Source: Masterminds/sprig v3.3.0 reflect.go.
namespace chartwright::helm::funcs {
namespace {

std::string type_of(const Value& v) { return go::type_name(v); }
bool type_is(std::string_view name, const Value& v) { return name == type_of(v); }

bool type_is_like(std::string_view name, const Value& v) {
  const std::string actual = type_of(v);
  return name == actual || "*" + std::string(name) == actual;
}

std::string_view kind_of(const Value& v) { return kind_name(v); }
bool kind_is(std::string_view name, const Value& v) { return name == kind_name(v); }

Result<bool> deep_equal(CallContext& ctx, const Value& a, const Value& b) {
  CW_TRY_VOID(charge_walk(ctx, a));
  CW_TRY_VOID(charge_walk(ctx, b));
  return value::deep_equal(a, b);
}

}  // namespace

void add_reflection(Table& table) {
  table.add("typeOf", type_of);
  table.add("typeIs", type_is);
  table.add("typeIsLike", type_is_like);
  table.add("kindOf", kind_of);
  table.add("kindIs", kind_is);
  table.add("deepEqual", deep_equal);
}

}  // namespace chartwright::helm::funcs
