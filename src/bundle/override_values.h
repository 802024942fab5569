// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::bundle {

/// Paths and values, as Watch has them.
using Overrides = std::span<const std::pair<std::string, std::string>>;

/// Returns the dict that overrideValues set by themselves. Error: kInvalidArgument, with the path.
base::Result<value::Value> parse_overrides(Overrides overrides);

/// Returns `config`, a dict that is consumed, with overrideValues over it: maps are merged, lists
/// replaced. Error: as parse_overrides.
/// Source: operator-framework/operator-sdk internal/helm/release/manager_factory.go.
base::Result<value::Value> with_overrides(value::Value config, Overrides overrides);

}  // namespace chartwright::bundle
