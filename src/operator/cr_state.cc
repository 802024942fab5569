// SPDX-License-Identifier: Apache-2.0
#include "operator/cr_state.h"

#include "kube/object.h"

namespace chartwright::op {
namespace {

using value::Value;

int int_at(const Value& v, std::string_view key) {
  const Value* member = v.find(key);
  return member != nullptr && member->is_int() ? static_cast<int>(member->as_int()) : 0;
}

HistoryItem history_item(const Value& v) {
  HistoryItem item;
  item.revision = int_at(v, "revision");
  item.status = v.string_at({"status"});
  item.description = v.string_at({"description"});
  item.chart = v.string_at({"chart"});
  item.digest = v.string_at({"digest"});
  item.deployed_at = v.string_at({"deployedAt"});
  return item;
}

// The message of a condition with that type and status; "" when there is none.
std::string message_of(const Value& status, std::string_view type, std::string_view verdict) {
  const Value* conditions = status.find("conditions");
  if (conditions == nullptr || !conditions->is_list()) {
    return {};
  }
  for (const Value& c : conditions->as_list().items) {
    if (c.string_at({"type"}) == type && c.string_at({"status"}) == verdict) {
      return std::string(c.string_at({"message"}));
    }
  }
  return {};
}

}  // namespace

CrState state_from_status(const Value& cr) {
  CrState state;
  state.uid = kube::uid_of(cr);
  const Value* status = cr.find("status");
  if (status == nullptr || !status->is_dict()) {
    return state;
  }
  state.status = *status;
  if (const Value* resources = status->find("resources")) {
    state.inventory = release::inventory_from_status(*resources);
  }
  state.inputs = status->string_at({"inputs"});
  state.revision = int_at(*status, "revision");
  state.handled_rollback = status->string_at({"lastHandledRollback"});
  // helm-operator's place for the rendered notes.
  state.notes = message_of(*status, "Deployed", "True");
  state.rollback_refusal = message_of(*status, "RolledBack", "False");
  if (const Value* history = status->find("history"); history != nullptr && history->is_list()) {
    for (const Value& item : history->as_list().items) {
      state.history.push_back(history_item(item));
    }
  }
  if (const Value* pin = status->find("pin"); pin != nullptr && int_at(*pin, "revision") > 0) {
    state.pin = Pin{int_at(*pin, "revision"), std::string(pin->string_at({"rejectedInputs"}))};
  }
  return state;
}

}  // namespace chartwright::op
