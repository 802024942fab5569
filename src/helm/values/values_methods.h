// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "helm/version/profile.h"
#include "tmpl/function.h"

namespace chartwright::helm {

/// Adds the methods of .Values and .Template: YAML, Table, AsMap, PathValue. Source: helm
/// pkg/chartutil/values.go.
void add_values_methods(tmpl::FunctionMap& functions, const Profile& profile);

}  // namespace chartwright::helm
