// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "helm/version/profile.h"
#include "tmpl/function.h"
#include "value/value.h"

namespace chartwright::helm {

/// A file of a chart. `name` is relative to the chart's folder, with slashes.
struct File {
  std::string name;
  std::string data;
};

/// Returns the value of `.Files`: the files that are neither templates nor chart metadata, with the
/// methods Get, GetBytes, Glob, AsConfig, AsSecrets and Lines. The value is immutable and may be
/// shared by renders on several threads. Source: helm/helm pkg/engine/files.go.
value::Value make_files_value(const std::vector<File>& files);

/// Adds the methods of `.Files` to `functions`.
void add_file_methods(tmpl::FunctionMap& functions, EmptyLinesRule empty_lines);

}  // namespace chartwright::helm
