// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// A values file: its first document, or all of them laid over each other. Errors: as
/// decode_yaml_dict. Source: helm/helm v4 pkg/chart/v2/loader/load.go LoadValues.
base::Result<value::Value> decode_values_file(std::string_view text, ValuesRule rule);

/// Overlays one values file on another: maps merge, everything else is replaced, nulls stay.
/// Source: helm/helm v3 pkg/cli/values/options.go mergeMaps.
value::Value overlay(const value::Value& base, const value::Value& over);

}  // namespace chartwright::helm
