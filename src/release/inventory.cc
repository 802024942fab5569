// SPDX-License-Identifier: Apache-2.0
#include "release/inventory.h"

namespace chartwright::release {

using value::Value;

Value to_status(const kube::ObjectRef& ref, const InventoryEntry& entry) {
  Value item = Value::dict();
  value::Dict& members = item.mutable_dict();
  auto set = [&members](std::string_view key, const std::string& text) {
    if (!text.empty()) {
      members.set(key, Value::string(text));
    }
  };
  set("group", ref.gvk.group);
  set("version", ref.gvk.version);
  set("kind", ref.gvk.kind);
  set("namespace", ref.ns);
  set("name", ref.name);
  if (entry.role == Role::kPartial) {
    members.set("partial", Value::boolean(true));
  }
  set("held", entry.held);
  if (!kube::is_secret(ref.gvk)) {
    set("desired", entry.desired);
    set("observed", entry.observed);
  }
  return item;
}

Inventory inventory_from_status(const Value& resources) {
  Inventory inventory;
  if (!resources.is_list()) {
    return inventory;
  }
  for (const Value& item : resources.as_list().items) {
    kube::ObjectRef ref;
    ref.gvk = {std::string(item.string_at({"group"})), std::string(item.string_at({"version"})),
               std::string(item.string_at({"kind"}))};
    ref.ns = item.string_at({"namespace"});
    ref.name = item.string_at({"name"});
    if (ref.gvk.kind.empty() || ref.gvk.version.empty() || !kube::is_path_segment(ref.name)) {
      continue;
    }
    InventoryEntry entry;
    const Value* partial = item.find("partial");
    entry.role = partial != nullptr && partial->is_bool() && partial->as_bool() ? Role::kPartial
                                                                                : Role::kChild;
    entry.desired = item.string_at({"desired"});
    entry.observed = item.string_at({"observed"});
    entry.held = item.string_at({"held"});
    inventory.emplace(std::move(ref), std::move(entry));
  }
  return inventory;
}

}  // namespace chartwright::release
