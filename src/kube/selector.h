// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::kube {

/// Returns the labels, ordered by key, that an object's `spec.selector` requires: that of a
/// Deployment (matchLabels) or of a Service. Errors: kInvalidArgument if there is no such selector,
/// if it selects everything, or if it has matchExpressions.
base::Result<std::vector<std::pair<std::string, std::string>>> selected_labels(
    const value::Value& object);

}  // namespace chartwright::kube
