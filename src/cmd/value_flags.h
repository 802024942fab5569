// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "chart/profile.h"
#include "cmd/cli.h"
#include "value/value.h"

namespace chartwright::cmd {

/// The flags with which values are given, as in Helm.
struct ValueFlags {
  std::vector<std::string> value_files;
  std::vector<std::string> set_json;
  std::vector<std::string> set;
  std::vector<std::string> set_string;
  std::vector<std::string> set_file;
  std::vector<std::string> set_literal;
};

void declare_value_flags(FlagSet& flags, ValueFlags& into);

/// Values of -f, --set-json, --set, --set-string, --set-file and --set-literal, merged in this
/// order. Source: helm/helm v3 pkg/cli/values/options.go.
base::Result<value::Value> merge_value_flags(const ValueFlags& options, chart::ValuesRule rule,
                                             Streams& streams);

}  // namespace chartwright::cmd
