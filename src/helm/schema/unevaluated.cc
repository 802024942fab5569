// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/unevaluated.h"

namespace chartwright::helm {

void Unevaluated::merge(const Unevaluated& other) {
  std::erase_if(props, [&](const std::string& p) { return !other.props.contains(p); });
  std::erase_if(items, [&](size_t i) { return !other.items.contains(i); });
}

Unevaluated unevaluated_of(const value::Value& v, const SchemaNode& node, Tracking tracking) {
  Unevaluated rest;
  const bool always = tracking == Tracking::kAlways;
  if (v.is_dict() && !node.all_props_evaluated &&
      (always || node.unevaluated_properties != nullptr)) {
    for (const auto& [name, member] : v.as_dict()) {
      rest.props.insert(name);
    }
  }
  if (v.is_list() && !node.all_items_evaluated && (always || node.unevaluated_items != nullptr)) {
    for (size_t i = node.items_evaluated; i < v.as_list().items.size(); ++i) {
      rest.items.insert(i);
    }
  }
  return rest;
}

}  // namespace chartwright::helm
