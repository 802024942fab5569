// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/beyond.h"

#include <iterator>

#include "helm/lint/branch.h"
#include "helm/lint/ci_values.h"
#include "helm/lint/key_faults.h"

namespace chartwright::helm::lint {
namespace {

void append(Messages& messages, Messages more) {
  messages.insert(messages.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

}  // namespace

Messages lint_beyond_helm(const ChartSource& source, const helm::Bundle& bundle,
                          const LintInputs& inputs, const LintContext& context) {
  Messages messages;
  const std::vector<CiValues> ci = read_ci_values(source, messages);
  std::vector<value::Value> documented{inputs.values};
  for (const CiValues& file : ci) {
    documented.push_back(file.values);
  }
  append(messages, find_key_faults(source, bundle, documented));
  append(messages, BranchLint(source, bundle, inputs, context).run(ci));
  return messages;
}

}  // namespace chartwright::helm::lint
