// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/extended.h"

#include <iterator>

#include "helm/analysis/read_keys.h"
#include "helm/lint/ci_values.h"
#include "helm/lint/key_faults.h"
#include "helm/lint/values_variant.h"

namespace chartwright::helm::lint {
namespace {

void append(Messages& messages, Messages more) {
  messages.insert(messages.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

/// Returns the place that sets a key of the given values, as far as it is known.
std::string place_of_given(const analysis::UnreadKey& key, const ValueOrigins& origins) {
  std::vector<value::Path::Step> path;
  for (const std::string& step : key.path) {
    if (step == analysis::kEveryStep) {
      break;
    }
    path.emplace_back(step);
  }
  const auto found = origins.of(path);
  return found.empty() ? kValuesFile : found.front().place;
}

/// Finds the keys of the given values that have no effect.
Messages check_given_values(const helm::RenderableChart& loaded, const LintInputs& inputs) {
  Messages messages;
  if (!inputs.values.is_dict() || inputs.values.as_dict().empty()) {
    return messages;
  }
  const auto keys = analysis::read_keys(loaded);
  if (!keys.ok()) {
    return messages;
  }
  const ValueOrigins origins(loaded.chart(), inputs.profile->values, inputs.layers);
  for (const analysis::UnreadKey& key : analysis::unread_keys(*keys, inputs.values)) {
    messages.push_back({Severity::kWarning, place_of_given(key, origins), key.to_string()});
  }
  return messages;
}

}  // namespace

Messages lint_extended(const ChartSource& source, const helm::RenderableChart& loaded,
                       const LintInputs& inputs, const LintContext& context) {
  Messages messages;
  const std::vector<CiValues> ci = read_ci_values(source, messages);
  std::vector<value::Value> documented{inputs.values};
  for (const CiValues& file : ci) {
    documented.push_back(file.values);
  }
  append(messages, find_key_faults(source, loaded, documented));
  append(messages, check_given_values(loaded, inputs));
  append(messages, VariantLint(source, loaded, inputs, context).run(ci));
  return messages;
}

}  // namespace chartwright::helm::lint
