// SPDX-License-Identifier: Apache-2.0
#include "bundle/override_values.h"

#include "helm/values/coalesce.h"
#include "helm/values/strvals.h"

namespace chartwright::bundle {

using value::Value;

base::Result<Value> parse_overrides(Overrides overrides) {
  Value parsed = Value::dict();
  for (const auto& [key, text] : overrides) {
    auto set = helm::parse_set(key + "=" + text, helm::SetMode::kString, parsed);
    if (!set.ok()) {
      return std::move(set).error().wrap("failed to parse override value " + key);
    }
  }
  return parsed;
}

base::Result<Value> with_overrides(Value config, Overrides overrides) {
  CW_TRY(Value merged, parse_overrides(overrides));
  helm::Warnings none;
  helm::merge_tables(merged, std::move(config), {helm::Nulls::kKeep, helm::default_profile()},
                     none);
  return merged;
}

}  // namespace chartwright::bundle
