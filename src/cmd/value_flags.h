// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/cli.h"
#include "helm/values/value_origins.h"
#include "helm/version/profile.h"
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

/// A values file as it was read.
struct ValuesText {
  std::string name;
  std::string text;
};

/// Values of -f, --set-json, --set, --set-string, --set-file and --set-literal, merged in this
/// order. The files' texts are added to `texts`, unless it is null. Source: helm/helm v3
/// pkg/cli/values/options.go.
base::Result<value::Value> merge_value_flags(const ValueFlags& options, helm::ValuesRule rule,
                                             Streams& streams,
                                             std::vector<ValuesText>* texts = nullptr);

/// The same values one by one, to explain errors. `flags` must outlive them.
helm::ValueLayers value_layers(const ValueFlags& flags, helm::ValuesRule rule,
                               std::vector<ValuesText> texts);

}  // namespace chartwright::cmd
