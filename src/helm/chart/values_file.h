// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// Decodes a values file: its first document, or all documents merged, later ones over earlier
/// ones. Errors: as decode_yaml_dict. Source: helm/helm v4 pkg/chart/v2/loader/load.go LoadValues.
base::Result<value::Value> decode_values_file(std::string_view text, ValuesRule rule);

/// Merges `over` over `base`: maps merge, everything else is replaced, nulls are kept.
/// Source: helm/helm v3 pkg/cli/values/options.go mergeMaps.
value::Value overlay(const value::Value& base, const value::Value& over);

}  // namespace chartwright::helm
