// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "chart/profile.h"
#include "funcs/bind.h"
#include "tmpl/function.h"

// Methods of the Go types that Helm hands to templates, declared like functions whose first
// parameter is the receiver.
namespace chartwright::chart {

/// Adds a table's functions as methods of `go_type`.
void add_methods(tmpl::FunctionMap& functions, std::string_view go_type, funcs::Table& methods);

/// .Files: Get, GetBytes, Glob, AsConfig, AsSecrets, Lines. Source: helm pkg/engine/files.go.
void add_file_methods(tmpl::FunctionMap& functions, EmptyLinesRule empty_lines);
/// .Capabilities.KubeVersion and .APIVersions. Source: helm pkg/chartutil/capabilities.go.
void add_capability_methods(tmpl::FunctionMap& functions, const Profile& profile);
/// .Values and .Template: YAML, Table, AsMap, PathValue. Source: helm pkg/chartutil/values.go.
void add_values_methods(tmpl::FunctionMap& functions, const Profile& profile);

}  // namespace chartwright::chart
