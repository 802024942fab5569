// SPDX-License-Identifier: Apache-2.0
#include "defaults/chart_defaults.h"

#include "helm/analysis/usage.h"
#include "helm/values/coalesce.h"

namespace chartwright::defaults {

using value::Value;

Value chart_defaults(const helm::RenderableChart& chart) {
  Value merged = Value::dict();
  // Parents come first. A null of a parent stays, so that no dependency fills it in.
  for (const helm::analysis::ScopeOfChart& scope : helm::analysis::scopes_of(chart.chart())) {
    Value values = value::deep_copy(scope.chart->values);
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

}  // namespace chartwright::defaults
