// SPDX-License-Identifier: Apache-2.0
#include "report/summary.h"

#include <string_view>

#include "base/printable.h"
#include "base/strings.h"
#include "health/condition_types.h"
#include "health/conditions.h"
#include "health/holds.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

using health::condition_of;
using health::has_condition;
using value::Value;
namespace condition = health::condition;

Problem problem_of(const Value& condition, std::string_view reason) {
  return {base::printable(reason), message_lines(condition.string_at({"message"})),
          base::printable(condition.string_at({"lastTransitionTime"}))};
}

std::optional<Problem> problem_of(const std::optional<health::Hold>& hold) {
  if (!hold) {
    return std::nullopt;
  }
  return problem_of(*hold->condition, hold->reason);
}

std::optional<Problem> worst_of(const Value& cr) {
  if (kube::is_deleting(cr)) {
    return Problem{"Terminating", "", base::printable(kube::deletion_timestamp_of(cr))};
  }
  const Value* conditions = cr.find_path({"status", "conditions"});
  if (auto grave = problem_of(health::grave_hold(conditions))) {
    return grave;
  }
  const Value* ready = condition_of(cr, condition::kReady.name);
  if (ready == nullptr) {
    return Problem{"NotReconciled", "no operator has looked at it",
                   base::printable(cr.string_at({"metadata", "creationTimestamp"}))};
  }
  if (ready->string_at({"status"}) != "True") {
    return problem_of(*ready, ready->string_at({"reason"}));
  }
  const Value* seen = cr.find_path({"status", "observedGeneration"});
  if (seen != nullptr && seen->is_int() && seen->as_int() != kube::generation_of(cr)) {
    return Problem{"NotReconciled", "no operator has looked at the new spec", ""};
  }
  return problem_of(health::mild_hold(conditions));
}

std::string chart_of(const Value& cr, int64_t revision) {
  for (const Value& item : cr.items_at({"status", "history"})) {
    const Value* number = item.find("revision");
    if (number != nullptr && number->is_int() && number->as_int() == revision) {
      return base::printable(item.string_at({"chart"}));
    }
  }
  return "";
}

}  // namespace

Summary summary_of(const Value& cr) {
  Summary summary;
  summary.ref = kube::ref_of(cr);
  if (const Value* ready = condition_of(cr, condition::kReady.name)) {
    summary.ready = base::printable(ready->string_at({"status"}));
  }
  if (const Value* revision = cr.find_path({"status", "revision"});
      revision != nullptr && revision->is_int()) {
    summary.revision = revision->as_int();
    summary.chart = chart_of(cr, summary.revision);
  }
  summary.created = base::printable(cr.string_at({"metadata", "creationTimestamp"}));
  summary.paused = has_condition(cr, condition::kPaused.name, "True");
  summary.pinned = has_condition(cr, condition::kRolledBack.name, "True");
  summary.problem = worst_of(cr);
  return summary;
}

std::string name_text(const kube::ObjectRef& ref) {
  const std::string group = ref.gvk.group.empty() ? "" : "." + ref.gvk.group;
  return base::to_lower_ascii(ref.gvk.kind) + group + "/" + ref.name;
}

Value to_value(const Summary& summary) {
  const auto text = [](const std::string& of) { return Value::string(of); };
  Value item = Value::dict({{"apiVersion", text(summary.ref.gvk.api_version())},
                            {"kind", text(summary.ref.gvk.kind)},
                            {"namespace", text(summary.ref.ns)},
                            {"name", text(summary.ref.name)},
                            {"ready", text(summary.ready.empty() ? "Unknown" : summary.ready)},
                            {"revision", Value::integer(summary.revision)},
                            {"chart", text(summary.chart)},
                            {"created", text(summary.created)},
                            {"paused", Value::boolean(summary.paused)},
                            {"rolledBack", Value::boolean(summary.pinned)}});
  if (summary.problem) {
    item.mutable_dict().set("problem", Value::dict({{"reason", text(summary.problem->reason)},
                                                    {"message", text(summary.problem->message)},
                                                    {"since", text(summary.problem->since)}}));
  }
  return item;
}

}  // namespace chartwright::cmd
