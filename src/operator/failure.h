// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"
#include "operator/status.h"
#include "runtime/controller.h"

namespace chartwright::op {

/// The consequences of an error: how the custom resource reports it, and whether to try again.
struct Classification {
  Progress progress = Progress::kRetrying;
  runtime::Retry retry = runtime::Retry::kBackoff;
  base::Duration at_most = base::Duration::max();  ///< See runtime::Failed.
};

/// Returns the consequences of an error code. This is the only place that decides them.
Classification classify(base::ErrorCode code);

/// Returns the outcome of a reconcile that ends with `error`.
runtime::Failed failed_with(base::Error error);

}  // namespace chartwright::op
