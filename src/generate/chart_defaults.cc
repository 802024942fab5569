// SPDX-License-Identifier: Apache-2.0
#include "generate/chart_defaults.h"

#include "helm/lint/usage.h"
#include "helm/values/coalesce.h"

namespace chartwright::generate {
namespace {

using value::Value;

/// Tables are shared until somebody merges into them.
Value own_copy(const Value& value) {
  if (!value.is_dict()) {
    return value;
  }
  Value copy = Value::dict();
  for (const auto& [key, member] : value.as_dict()) {
    copy.mutable_dict().set(key, own_copy(member));
  }
  return copy;
}

}  // namespace

Value chart_defaults(const helm::RenderableChart& chart) {
  Value merged = Value::dict();
  // Parents come first. A null of a parent stays, so that no dependency fills it in.
  for (const helm::lint::ScopeOfChart& scope : helm::lint::scopes_of(chart.chart())) {
    Value values = own_copy(scope.chart->values);
    for (auto step = scope.prefix.rbegin(); step != scope.prefix.rend(); ++step) {
      Value around = Value::dict();
      around.mutable_dict().set(*step, std::move(values));
      values = std::move(around);
    }
    if (values.is_dict()) {
      helm::Warnings ignored;
      helm::merge_tables(merged, std::move(values), {helm::Nulls::kKeep, chart.profile()}, ignored);
    }
  }
  return merged;
}

}  // namespace chartwright::generate
