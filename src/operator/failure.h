// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"
#include "operator/status.h"
#include "runtime/controller.h"

namespace chartwright::op {

/// What follows from an error: how the custom resource reports it and whether trying again can
/// help.
struct Classification {
  Progress progress = Progress::kRetrying;
  runtime::Retry retry = runtime::Retry::kBackoff;
};

/// The one table from error codes to consequences.
Classification classify(base::ErrorCode code);

}  // namespace chartwright::op
