// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/extended.h"

#include <iterator>

#include "helm/lint/ci_values.h"
#include "helm/lint/key_faults.h"
#include "helm/lint/values_variant.h"

namespace chartwright::helm::lint {
namespace {

void append(Messages& messages, Messages more) {
  messages.insert(messages.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
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
  append(messages, VariantLint(source, loaded, inputs, context).run(ci));
  return messages;
}

}  // namespace chartwright::helm::lint
