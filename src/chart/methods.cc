// SPDX-License-Identifier: Apache-2.0
#include "chart/methods.h"

#include "base/strings.h"
#include "chart/coalesce.h"
#include "tmpl/quote.h"
#include "value/yaml.h"

namespace chartwright::chart {
namespace {

using base::Result;
using value::Value;

base::Error failure(std::string message) {
  return base::Error(base::ErrorCode::kTemplate, std::move(message));
}

Result<std::string> yaml(tmpl::CallContext& ctx, const Value& values) {
  CW_TRY(std::string text, value::to_yaml(values));
  CW_TRY_VOID(ctx.budget.charge_work(value::kYamlEncodeWork * text.size()));
  return text;
}

Value as_map(const Value& values) { return values.with_type(value::DictType::kAny); }

Result<Value> table(const Value& values, std::string_view path) {
  const Value* at = &values;
  for (std::string_view key : base::split(path, '.')) {
    at = at->find(key);
    if (at == nullptr || !at->is_dict()) {
      return failure(tmpl::quote(key) + " is not a table");
    }
  }
  return at->with_type(values.dict_type());
}

Result<Value> path_value(const Value& values, std::string_view path) {
  if (path.empty()) {
    return failure("YAML path cannot be empty");
  }
  if (const Value* found = scalar_at(values, path)) {
    return *found;
  }
  return failure(tmpl::quote(path.substr(path.rfind('.') + 1)) + " is not a value");
}

}  // namespace

void add_methods(tmpl::FunctionMap& functions, std::string_view go_type, funcs::Table& methods) {
  for (funcs::Entry& entry : methods.entries()) {
    entry.function.params.erase(entry.function.params.begin());
    functions.add_method(go_type, std::move(entry.function));
  }
}

void add_values_methods(tmpl::FunctionMap& functions, const Profile& profile) {
  funcs::Table methods;
  methods.add("YAML", yaml).add("AsMap", as_map).add("Table", table).add("PathValue", path_value);
  add_methods(functions, std::string(profile.package) + ".Values", methods);
}

}  // namespace chartwright::chart
