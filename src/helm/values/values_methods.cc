// SPDX-License-Identifier: Apache-2.0
#include "helm/values/values_methods.h"

#include "base/strings.h"
#include "go/quote.h"
#include "helm/funcs/bind.h"
#include "helm/funcs/go_value.h"
#include "helm/values/coalesce.h"
#include "yaml/yaml.h"

namespace chartwright::helm {
namespace {

using base::Result;
using value::Value;

Result<std::string> to_yaml(tmpl::CallContext& ctx, const Value& values) {
  CW_TRY(std::string text, yaml::to_yaml(values));
  CW_TRY_VOID(ctx.budget.charge_work(yaml::kEncodeWork * text.size()));
  return text;
}

Value as_map(const Value& values) { return values.with_type(value::kAnyDict); }

Result<Value> table(const Value& values, std::string_view path) {
  const Value* at = &values;
  for (std::string_view key : base::split(path, '.')) {
    at = at->find(key);
    if (at == nullptr || !at->is_dict()) {
      return funcs::failure(go::quote(key) + " is not a table");
    }
  }
  return at->with_type(values.dict_type());
}

Result<Value> path_value(const Value& values, std::string_view path) {
  if (path.empty()) {
    return funcs::failure("YAML path cannot be empty");
  }
  if (const Value* found = scalar_at(values, path)) {
    return *found;
  }
  return funcs::failure(go::quote(path.substr(path.rfind('.') + 1)) + " is not a value");
}

}  // namespace

void add_values_methods(tmpl::FunctionMap& functions, const Profile& profile) {
  funcs::Table methods;
  methods.add("YAML", to_yaml)
      .add("AsMap", as_map)
      .add("Table", table)
      .add("PathValue", path_value);
  funcs::add_methods(functions, std::string(profile.package) + ".Values", methods);
}

}  // namespace chartwright::helm
