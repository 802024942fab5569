// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "resource/status_input.h"
#include "runtime/controller.h"

namespace chartwright::op {

/// The consequences of an error: how the custom resource reports it, and whether to try again.
struct Classification {
  Activity activity = Activity::kRetrying;
  runtime::Retry retry = runtime::Retry::kBackoff;
  base::Duration at_most = runtime::kPatience;  ///< See runtime::Failed.
};

/// Returns the consequences of an error code. This file is the only place that decides them.
Classification classify(base::ErrorCode code);

/// Returns the consequences of a failure: where the cluster decided it, a change there may pass
/// unseen.
Classification classify(const Failure& failure);

/// Reports whether only another spec, chart, permission or policy ends the error.
bool is_refusal(const base::Error& error);

/// Returns when a reconcile that failed at `now` is tried again with the same inputs; nullopt:
/// never. `uid` spreads the retries of many custom resources.
std::optional<base::MonotonicTime> retry_time(const Failure& failure, base::MonotonicTime now,
                                              std::string_view uid);

/// Returns the outcome of a reconcile that ends with `failure` at `now`. `due` is when something
/// else than a retry is due, if anything: what is in force is looked after beside an attempt that
/// failed for good, or for long, but not more than once a minute if that fails as well.
runtime::Outcome outcome_of(const Failure& failure, base::MonotonicTime now,
                            std::optional<base::Duration> due);

}  // namespace chartwright::op
