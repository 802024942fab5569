// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "helm/values/value_origins.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::cmd {

/// The flags that set values, as in Helm.
struct ValueFlags {
  std::vector<std::string> value_files;
  std::vector<std::string> set_json;
  std::vector<std::string> set;
  std::vector<std::string> set_string;
  std::vector<std::string> set_file;
  std::vector<std::string> set_literal;
};

void declare_value_flags(FlagSet& flags, ValueFlags& into);

/// A values file, as read.
struct ValuesText {
  std::string name;
  std::string text;
};

/// Returns the values of -f, --set-json, --set, --set-string, --set-file and --set-literal, merged
/// in this order. Appends the contents of the files to `texts` unless it is null. Source: helm/helm
/// v3 pkg/cli/values/options.go.
base::Result<value::Value> merge_value_flags(const ValueFlags& options, helm::ValuesRule rule,
                                             Streams& streams,
                                             std::vector<ValuesText>* texts = nullptr);

/// Returns the same values flag by flag, to explain errors. `flags` must outlive the result.
helm::ValueLayers value_layers(const ValueFlags& flags, helm::ValuesRule rule,
                               std::vector<ValuesText> texts);

}  // namespace chartwright::cmd
