// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"
#include "go/quote.h"
#include "helm/values/strvals.h"
#include "operator/reconcile.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

base::Result<Value> release_config(const Value& cr, const bundle::Watch& watch) {
  const Value* spec = cr.find("spec");
  if (spec != nullptr && !spec->is_nil() && !spec->is_dict()) {
    return Error(ErrorCode::kInvalidArgument, "failed to get spec: expected a map");
  }
  Value config = spec != nullptr && spec->is_dict() ? value::deep_copy(*spec) : Value::dict();
  for (const auto& [key, text] : watch.override_values) {
    auto set = helm::parse_set(key + "=" + text, helm::SetMode::kString, config);
    if (!set.ok()) {
      return std::move(set).error().wrap("failed to parse override value " + key);
    }
  }
  return config;
}

// Users see why a chart does not do what their spec says.
// Source: operator-framework/operator-sdk internal/helm/controller/reconcile.go.
void Reconcile::warn_of_overrides() const {
  for (const auto& [key, text] : watch_.override_values) {
    const std::string shown = services_.suppress_override_values ? "****" : text;
    services_.warnings.warn({owner_.ref(), owner_.uid, std::string(kube::resource_version_of(cr_)),
                             base::to_lower_ascii(owner_.gvk.kind) + "-controller",
                             "OverrideValuesInUse",
                             "Chart value " + go::quote(key) + " overridden to " +
                                 go::quote(shown) + " by operator's watches.yaml"});
  }
}

}  // namespace chartwright::op
