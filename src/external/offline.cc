// SPDX-License-Identifier: Apache-2.0
#include "external/offline.h"

#include <string>

#include "base/strings.h"
#include "external/external.h"

namespace chartwright::external {

using value::Value;

Value offline_scope(const std::shared_ptr<const helm::RenderableChart>& chart) {
  const auto externals = load_externals(chart, chart->operator_files(), "");
  if (!externals.ok() || externals->empty()) {
    return {};
  }
  const Value ids = Value::dict();
  for (const External& external : *externals) {
    // Good for the name of an object, too.
    const std::string id = base::replace_all(base::to_lower_ascii(external.name), "_", "-") + "-id";
    ids.mutable_dict().set(external.name, Value::dict({{"id", Value::string(id)}}));
  }
  return Value::dict({{"External", ids}});
}

}  // namespace chartwright::external
