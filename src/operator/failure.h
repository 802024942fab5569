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
};

/// Returns the consequences of an error code. This is the only place that decides them.
Classification classify(base::ErrorCode code);

}  // namespace chartwright::op
