// SPDX-License-Identifier: Apache-2.0
#include "resource/cr_status.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "bundle/status_fields.h"
#include "health/conditions.h"
#include "resource/annotations.h"
#include "resource/engine_conditions.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

namespace condition = health::condition;
using value::Dict;
using value::Value;

// Returns `status` with that condition in the place of the one of its type; everything else stays.
Value with_condition(const Value& status, const Value& one) {
  const std::string_view type = one.string_at({"type"});
  std::vector<Value> items = {one};
  if (const Value* before = status.find("conditions"); before != nullptr && before->is_list()) {
    std::copy_if(before->as_list().items.begin(), before->as_list().items.end(),
                 std::back_inserter(items),
                 [type](const Value& c) { return c.string_at({"type"}) != type; });
  }
  Value out = Value::dict();
  if (status.is_dict()) {
    for (const auto& [key, member] : status.as_dict()) {
      out.mutable_dict().set(key, member);
    }
  }
  out.mutable_dict().set("conditions", Value::list(std::move(items)));
  return out;
}

// Returns the condition Ready of a status, or a new one, that names the pause. It says no more of
// the children than it did before.
Value paused_ready(const Value& status, base::WallTime now) {
  const Value* before = health::find_condition(status.find("conditions"), condition::kReady.name);
  if (before == nullptr) {
    Conditions unknown(Value(), 0, now);
    unknown.set(condition::kReady,
                {"Unknown", condition::kPaused.name, "the operator has not looked at it"});
    return unknown.to_value().as_list().items.front();
  }
  Value ready = Value::dict();
  for (const auto& [key, member] : before->as_dict()) {
    ready.mutable_dict().set(key, member);
  }
  ready.mutable_dict().set("reason", Value::string(condition::kPaused.name));
  return ready;
}

Value history_value(const std::vector<HistoryItem>& history) {
  std::vector<Value> items;
  items.reserve(history.size());
  for (const HistoryItem& item : history) {
    items.push_back(Value::dict({{"revision", Value::integer(item.revision)},
                                 {"status", Value::string(item.status)},
                                 {"description", Value::string(item.description)},
                                 {"chart", Value::string(item.chart)},
                                 {"digest", Value::string(item.digest)},
                                 {"deployedAt", Value::string(item.deployed_at)}}));
  }
  return Value::list(std::move(items));
}

Value attempt_value(const Attempt& attempt) {
  Value value = Value::dict({{"revision", Value::integer(attempt.revision)},
                             {"digest", Value::string(attempt.digest)},
                             {"phase", Value::string(attempt.phase)}});
  if (!attempt.content.empty()) {
    value.mutable_dict().set("content", Value::string(attempt.content));
  }
  if (attempt.hooks.done > 0) {
    value.mutable_dict().set("hooksDone", Value::integer(attempt.hooks.done));
  }
  if (!attempt.hooks.uid.empty()) {
    value.mutable_dict().set("hookUid", Value::string(attempt.hooks.uid));
  }
  if (attempt.hooks.started_at != base::WallTime()) {
    value.mutable_dict().set("hookStartedAt",
                             Value::string(base::format_rfc3339(attempt.hooks.started_at)));
  }
  if (!attempt.failure.empty()) {
    value.mutable_dict().set("failure", Value::string(attempt.failure));
  }
  return value;
}

Value pin_value(const Progress& progress) {
  Value value = Value::dict({{"rejectedInputs", Value::string(*progress.rejected_inputs())}});
  if (progress.pinned_revision() > 0) {
    value.mutable_dict().set("revision", Value::integer(progress.pinned_revision()));
  }
  if (const FailedAttempt* failed = progress.failed_attempt()) {
    value.mutable_dict().set("failed",
                             Value::dict({{"revision", Value::integer(failed->revision)},
                                          {"message", Value::string(failed->why)},
                                          {"dryRun", Value::string(to_string(failed->dry_run))},
                                          {"undone", Value::boolean(!progress.is_undoing())}}));
  }
  return value;
}

Value resources_value(const CrState& state, const std::vector<ChildState>& children) {
  std::map<kube::ObjectRef, const ChildState*> by_ref;
  for (const ChildState& child : children) {
    by_ref[child.ref] = &child;
  }
  std::vector<Value> items;
  for (const auto& [ref, entry] : state.inventory) {
    Value item = release::to_status(ref, entry);
    if (state.progress.is_unrecorded()) {
      item.mutable_dict().erase("observed");
    }
    if (auto it = by_ref.find(ref); it != by_ref.end()) {
      item.mutable_dict().set("state", Value::string(health::to_string(it->second->state)));
      if (!it->second->cause.empty()) {
        item.mutable_dict().set("cause", Value::string(it->second->cause));
      }
    }
    items.push_back(std::move(item));
  }
  for (const auto& [ref, entry] : state.unconfirmed) {
    items.push_back(release::to_status(ref, entry));
  }
  return Value::list(std::move(items));
}

// The author's fields come first, so that status.yaml cannot overwrite the engine's.
void merge_author(const Value& author, Dict& status, Conditions& conditions) {
  if (!author.is_dict()) {
    return;
  }
  const auto own = bundle::engine_status_fields();
  for (const auto& [key, v] : author.as_dict()) {
    if (std::find(own.begin(), own.end(), key) == own.end()) {
      status.set(key, v);
    }
  }
  const Value* theirs = author.find("conditions");
  if (theirs == nullptr || !theirs->is_list()) {
    return;
  }
  for (const Value& c : theirs->as_list().items) {
    const std::string_view type = c.string_at({"type"});
    if (!type.empty() && !health::is_engine_condition(type)) {
      conditions.set(type, {c.string_at({"status"}), c.string_at({"reason"}),
                            std::string(c.string_at({"message"}))});
    }
  }
}

bool conditions_differ(const Value* current, const Value& wanted) {
  if (current == nullptr || !current->is_list()) {
    return true;
  }
  for (const Value& c : wanted.as_list().items) {
    const Value* now = health::find_condition(current, c.string_at({"type"}));
    if (now == nullptr || !value::json_equal(*now, c)) {
      return true;
    }
  }
  const auto& items = current->as_list().items;
  return std::any_of(items.begin(), items.end(), [&wanted](const Value& c) {
    const std::string_view type = c.string_at({"type"});
    return health::is_engine_condition(type) && health::find_condition(&wanted, type) == nullptr;
  });
}

}  // namespace

Value build_status(const CrState& state, const StatusInput& input) {
  Value status = Value::dict();
  Dict& fields = status.mutable_dict();
  Conditions conditions(input.previous, input.generation, input.now);
  merge_author(input.author, fields, conditions);
  set_engine_conditions(state, input, conditions);
  fields.set("observedGeneration", Value::integer(input.generation));
  fields.set("conditions", conditions.to_value());
  fields.set("resources", resources_value(state, input.children));
  if (const Value externals = external::to_status(state.externals); !externals.is_nil()) {
    fields.set("externals", externals);
  }
  if (!state.progress.inputs().empty()) {
    fields.set("inputs", Value::string(state.progress.inputs()));
  }
  if (state.progress.revision() > 0) {
    fields.set("revision", Value::integer(state.progress.revision()));
  }
  if (has_deployed(state) && input.uninstallation != Uninstallation::kDone) {
    // Without helm-operator's second member, the manifest, in which Secrets would stand.
    fields.set("deployedRelease", Value::dict({{"name", Value::string(input.release)}}));
  }
  if (!state.history.empty()) {
    fields.set("history", history_value(state.history));
  }
  if (state.progress.attempt()) {
    fields.set("attempt", attempt_value(*state.progress.attempt()));
  }
  if (state.progress.is_pinned()) {
    fields.set("pin", pin_value(state.progress));
  }
  if (!input.selector.empty()) {
    fields.set(kSelectedBy, Value::string(input.selector));
  }
  if (!state.progress.handled_rollback().empty()) {
    fields.set("lastHandledRollback", Value::string(state.progress.handled_rollback()));
  }
  return status;
}

Value paused_status(const Value& previous, std::string message, int64_t generation,
                    base::WallTime now) {
  Conditions paused(previous, generation, now);
  paused.set_true(condition::kPaused, std::move(message));
  return with_condition(with_condition(previous, paused.to_value().as_list().items.front()),
                        paused_ready(previous, now));
}

Value pruned_status(const Value& status, const CrState& state, int64_t generation,
                    base::WallTime now) {
  Conditions pruned(state.stored.status.unpack(), generation, now);
  set_pruned(state, pruned);
  return without_members(with_condition(status, pruned.to_value().as_list().items.front()),
                         state.stored.dropped);
}

bool status_differs(const Value& current, const Value& wanted) {
  if (!current.is_dict()) {
    return true;
  }
  for (const auto& [key, v] : wanted.as_dict()) {
    const Value* now = current.find(key);
    const bool differs = key == "conditions" ? conditions_differ(now, v)
                                             : now == nullptr || !value::json_equal(*now, v);
    if (differs) {
      return true;
    }
  }
  for (const auto& [key, v] : current.as_dict()) {
    if (!wanted.as_dict().contains(key)) {
      return true;
    }
  }
  return false;
}

}  // namespace chartwright::op
