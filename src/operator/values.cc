// SPDX-License-Identifier: Apache-2.0
#include "chart/strvals.h"
#include "operator/pass.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

base::Result<Value> release_config(const Value& cr, const Watch& watch) {
  const Value* spec = cr.find("spec");
  if (spec != nullptr && !spec->is_nil() && !spec->is_dict()) {
    return Error(ErrorCode::kInvalidArgument, "failed to get spec: expected a map");
  }
  Value config = spec != nullptr && spec->is_dict() ? value::deep_copy(*spec) : Value::dict();
  for (const auto& [key, text] : watch.override_values) {
    auto set = chart::parse_set(key + "=" + text, chart::SetMode::kString, config);
    if (!set.ok()) {
      return std::move(set).error().wrap("failed to parse override value " + key);
    }
  }
  return config;
}

}  // namespace chartwright::op
