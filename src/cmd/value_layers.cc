// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cmd/value_flags.h"
#include "helm/chart/values_file.h"
#include "helm/values/strvals.h"

namespace chartwright::cmd {
namespace {

using value::Value;
using Apply = base::Status (*)(const std::string& line, helm::ValuesRule rule, Value& values);

/// A repeatable flag.
struct SetFlag {
  std::string_view name;
  const std::vector<std::string>& lines;
  Apply apply;
};

base::Status apply_set_json(const std::string& line, helm::ValuesRule rule, Value& values) {
  return helm::parse_set_json(line, values, rule);
}

base::Status apply_set(const std::string& line, helm::ValuesRule rule, Value& values) {
  return helm::parse_set(line, helm::SetMode::kTyped, values, rule);
}

base::Status apply_set_string(const std::string& line, helm::ValuesRule rule, Value& values) {
  return helm::parse_set(line, helm::SetMode::kString, values, rule);
}

/// Sets empty strings: the contents of the files do not matter here, so none is read.
base::Status apply_set_file(const std::string& line, helm::ValuesRule rule, Value& values) {
  const auto read = [](std::string_view /*path*/) -> base::Result<Value> {
    return Value::string("");
  };
  return helm::parse_set_with(line, read, values, rule);
}

base::Status apply_set_literal(const std::string& line, helm::ValuesRule rule, Value& values) {
  return helm::parse_set_literal(line, values, rule);
}

std::vector<helm::ValueLayer> layers_of(const ValueFlags& flags, helm::ValuesRule rule,
                                        const std::vector<ValuesText>& texts) {
  std::vector<helm::ValueLayer> layers;
  for (const ValuesText& file : texts) {
    if (auto values = helm::decode_values_file(file.text, rule); values.ok()) {
      layers.push_back({file.name, *std::move(values), file.text, ""});
    }
  }
  for (const SetFlag& flag : {SetFlag{"--set-json", flags.set_json, apply_set_json},
                              SetFlag{"--set", flags.set, apply_set},
                              SetFlag{"--set-string", flags.set_string, apply_set_string},
                              SetFlag{"--set-file", flags.set_file, apply_set_file},
                              SetFlag{"--set-literal", flags.set_literal, apply_set_literal}}) {
    for (size_t i = 0; i < flag.lines.size(); ++i) {
      Value values = Value::dict();
      if (!flag.apply(flag.lines[i], rule, values).ok()) {
        continue;  // The line depends on values that other flags set.
      }
      std::string name(flag.name);
      name += flag.lines.size() > 1 ? " (number " + std::to_string(i + 1) + ")" : "";
      layers.push_back({std::move(name), std::move(values), "", ""});
    }
  }
  return layers;
}

}  // namespace

helm::ValueLayers value_layers(const ValueFlags& flags, helm::ValuesRule rule,
                               std::vector<ValuesText> texts) {
  return [&flags, rule, texts = std::move(texts)] { return layers_of(flags, rule, texts); };
}

}  // namespace chartwright::cmd
