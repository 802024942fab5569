// SPDX-License-Identifier: Apache-2.0
#include "resource/resync.h"

#include <functional>
#include <string>

#include "resource/annotations.h"

namespace chartwright::op {

base::Result<base::Duration> resync_period(const value::Value& cr, const bundle::Watch& watch,
                                           base::Duration fallback) {
  const auto annotation = kube::annotation_of(cr, kReconcilePeriod);
  if (!annotation) {
    return watch.reconcile_period.value_or(fallback);
  }
  auto period = base::parse_go_duration(*annotation);
  if (!period.ok()) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       std::string(kReconcilePeriod) + ": " + period.error().message());
  }
  return period;
}

base::Duration spread_period(base::Duration period, std::string_view uid) {
  constexpr int64_t kSteps = 1000;  // Of a ten-thousandth each.
  const auto step = static_cast<int64_t>(std::hash<std::string_view>()(uid) % kSteps);
  return period - period / (10 * kSteps) * step;
}

}  // namespace chartwright::op
