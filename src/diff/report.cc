// SPDX-License-Identifier: Apache-2.0
#include "diff/report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/strings.h"
#include "external/copy.h"
#include "release/hook_runner.h"
#include "value/compare.h"

namespace chartwright::diff {
namespace {

using kube::ObjectRef;
using release::Action;
using release::Reason;
using value::Value;

constexpr std::string_view kRecordPrefix = "sh.helm.release.v1.";

bool is_record(const ObjectRef& ref) {
  return kube::is_secret(ref.gvk) &&
         (ref.name.starts_with(kRecordPrefix) || ref.name.starts_with(external::kCopyPrefix));
}

/// All writes to one object.
struct Written {
  ObjectRef ref;
  Value before;
  Value after;
  Value created;  ///< The body of a create, as it is sent.
  Value applied;  ///< The body of an apply to an object that exists.
  bool deleted = false;
  std::optional<base::Error> immutable;
};

/// Merges the writes to each object, in the order of the first ones.
std::vector<Written> by_object(const std::vector<Write>& writes, const ObjectRef& cr) {
  std::vector<Written> all;
  std::map<ObjectRef, size_t> places;
  for (const Write& write : writes) {
    if (write.ref == cr || is_record(write.ref)) {
      continue;
    }
    const bool immutable = write.refusal && write.refusal->code() == base::ErrorCode::kImmutable;
    if (write.refusal && !immutable) {
      continue;  // The failure of the reconcile says so.
    }
    const auto [place, is_first] = places.emplace(write.ref, all.size());
    if (is_first) {
      all.push_back({write.ref, write.before, {}, {}, {}, false, {}});
    }
    Written& one = all[place->second];
    if (immutable) {
      one.immutable = write.refusal;
      one.created = write.sent;
      continue;
    }
    one.after = write.after;
    one.deleted = one.deleted || write.verb == Write::Verb::kDelete;
    if (write.before.is_nil()) {
      one.created = write.sent;
    } else if (write.verb == Write::Verb::kApply) {
      one.applied = write.sent;
    }
  }
  return all;
}

const PlannedStep* step_of(const Rehearsal& rehearsal, const ObjectRef& ref) {
  const auto found = std::ranges::find(rehearsal.steps, ref, &PlannedStep::ref);
  return found == rehearsal.steps.end() ? nullptr : &*found;
}

bool is_hook(const Written& one) {
  const Value& live = one.after.is_nil() ? one.before : one.after;
  const Value& object = live.is_nil() ? one.created : live;
  return kube::annotation_of(object, release::kHookRunAnnotation).has_value();
}

Fate fate_of(const Written& one, const PlannedStep* step) {
  if (is_hook(one)) {
    return one.after.is_nil() && one.created.is_nil() ? Fate::kDelete : Fate::kHook;
  }
  const bool replaced = one.immutable || (step != nullptr && step->action == Action::kReplace);
  if (one.deleted && (replaced || !one.after.is_nil())) {
    return Fate::kRecreate;
  }
  if (one.deleted) {
    return Fate::kDelete;
  }
  if (one.before.is_nil()) {
    return Fate::kCreate;
  }
  Write whole;
  whole.before = one.before;
  whole.after = one.after;
  return changes(whole) ? Fate::kApply : Fate::kOwnership;
}

std::string fields_of(const base::Error& error) {
  std::vector<std::string> fields;
  for (const base::ErrorCause& cause : error.causes()) {
    if (!cause.field.empty() && std::ranges::find(fields, cause.field) == fields.end()) {
      fields.push_back(cause.field);
    }
  }
  return fields.empty() ? "a field" : base::join(fields, ", ");
}

std::string why(Fate fate, const Written& one, const PlannedStep* step) {
  if (one.immutable) {
    return fields_of(*one.immutable) + " is immutable";
  }
  if (fate == Fate::kHook) {
    const Value& object = one.after.is_nil() ? one.created : one.after;
    const std::string run(kube::annotation_of(object, release::kHookRunAnnotation).value_or(""));
    return run.substr(0, run.find(' '));
  }
  if (step == nullptr || fate == Fate::kCreate || fate == Fate::kOwnership) {
    return "";
  }
  switch (step->reason) {
    case Reason::kDrifted:
      return "drifted";
    case Reason::kNotPresent:
      return "does not count by its rule";
    case Reason::kDropped:
      return "no longer rendered";
    case Reason::kOrphaned:
      return "its owner was removed";
    default:
      return "";
  }
}

/// Returns what a recreated object would be: only what is sent is known.
Value successor_of(const Written& one, const PlannedStep* step) {
  if (!one.after.is_nil()) {
    return one.after;
  }
  if (step != nullptr && !step->desired.is_nil()) {
    return step->desired;
  }
  return one.created;
}

std::string manager_of(const Rehearsal& rehearsal) {
  return fields::manager_of_owner(kube::uid_of(rehearsal.cr));
}

/// Returns the changes of a recreated object, without the fields that only defaults have.
FieldChanges recreated_fields(const Value& before, const Value& successor,
                              const Rehearsal& rehearsal) {
  FieldChanges all = compare_fields(before, successor, manager_of(rehearsal));
  std::erase_if(all.kept, [](const FieldChange& field) { return !field.after; });
  return all;
}

/// Returns the fields that the rules of the object keep from being applied.
std::vector<std::string> kept_fields(const Written& one, const PlannedStep* step) {
  std::vector<std::string> all;
  if (step == nullptr || step->desired.is_nil() || one.applied.is_nil()) {
    return all;
  }
  for (const FieldChange& field : compare_fields(one.applied, step->desired).kept) {
    all.push_back(field.path + " keeps its value by its rule");
  }
  return all;
}

ObjectChange change_of(const Written& one, const Rehearsal& rehearsal) {
  const PlannedStep* step = step_of(rehearsal, one.ref);
  ObjectChange change{one.ref, fate_of(one, step), "", {}, {}};
  change.why = why(change.fate, one, step);
  Value after = one.after;
  switch (change.fate) {
    case Fate::kCreate:
      change.fields = compare_fields({}, one.created);
      break;
    case Fate::kApply:
      change.fields = compare_fields(one.before, one.after, manager_of(rehearsal));
      break;
    case Fate::kRecreate:
      after = successor_of(one, step);
      change.fields = recreated_fields(one.before, after, rehearsal);
      break;
    case Fate::kHook:
    case Fate::kDelete:
    case Fate::kHold:
    case Fate::kOwnership:
    case Fate::kUnchanged:
      break;
  }
  change.consequences = consequences_of(change.fate, one.before, after);
  if (change.fate == Fate::kHook && one.deleted) {
    change.consequences.emplace_back(one.before.is_nil() ? "is deleted when it has succeeded"
                                                         : "an earlier one is deleted first");
  }
  const std::vector<std::string> kept = kept_fields(one, step);
  change.consequences.insert(change.consequences.end(), kept.begin(), kept.end());
  if (change.fate == Fate::kOwnership && !kept.empty()) {
    change.fate = Fate::kHold;
  }
  return change;
}

std::string held_by(const PlannedStep& step) {
  switch (step.reason) {
    case Reason::kHeldByRule:
      return "its rule says update: onDelete; the change waits until the object is deleted";
    case Reason::kDriftKept:
      return "drifted; stays so, because the policy for drift is warn";
    case Reason::kDriftIgnored:
      return "drifted; stays so, because the policy for drift is ignore";
    case Reason::kPaced:
      return "waits for others: the pace of its rule";
    case Reason::kTerminating:
      return step.action == Action::kWait ? "is being deleted; it is created anew when it is gone"
                                          : "";
    case Reason::kKept:
      return "no longer rendered; stays, because helm.sh/resource-policy is keep";
    case Reason::kForeignOwner:
      return step.action == Action::kForget
                 ? "no longer rendered; stays, because it has another owner"
                 : "has another owner";
    case Reason::kPartialMissing:
      return "the target of the patch does not exist";
    case Reason::kChild:
      return "the target of the patch is a child of a custom resource, and takes no patch";
    case Reason::kPatchedByOthers:
      return "another custom resource has set the fields of the patch to other values";
    default:
      return "";
  }
}

/// Adds what the rules hold back of objects, whether they are written or not.
void add_held(const Rehearsal& rehearsal, Report& report) {
  const auto find = [&report](const ObjectRef& ref) -> ObjectChange& {
    const auto found = std::ranges::find(report.objects, ref, &ObjectChange::ref);
    return found != report.objects.end()
               ? *found
               : report.objects.emplace_back(ObjectChange{ref, Fate::kHold, "", {}, {}});
  };
  for (const PlannedStep& step : rehearsal.steps) {
    if (const std::string text = held_by(step); !text.empty()) {
      find(step.ref).why = text;
    }
  }
  for (const auto& [ref, entry] : rehearsal.after.inventory) {
    if (!entry.held.empty()) {
      ObjectChange& change = find(ref);
      if (change.fate == Fate::kOwnership) {
        change.fate = Fate::kHold;
      }
      change.consequences.push_back("growOnly: " + entry.held);
    }
    if (!entry.drift.change.empty()) {
      find(ref).consequences.push_back(entry.drift.change);
    }
  }
}

void add_unchanged(const Rehearsal& rehearsal, Report& report) {
  for (const auto& [ref, entry] : rehearsal.after.inventory) {
    if (entry.role == release::Role::kChild &&
        std::ranges::find(report.objects, ref, &ObjectChange::ref) == report.objects.end()) {
      report.objects.push_back({ref, Fate::kUnchanged, "", {}, {}});
    }
  }
}

void add_notes(const Rehearsal& rehearsal, Report& report) {
  if (rehearsal.pause) {
    report.notes.push_back("the custom resource is paused, and nothing is done: " +
                           rehearsal.pause->reason);
  }
  if (rehearsal.decision && !op::is_usual(rehearsal.decision->reason)) {
    report.notes.emplace_back(op::explanation(rehearsal.decision->reason));
  }
  if (!rehearsal.waiting.empty()) {
    report.notes.push_back("the reconcile waits, and what follows is not known: " +
                           rehearsal.waiting);
  }
  for (const std::string& call : rehearsal.withheld) {
    report.notes.push_back("an external would be changed: " + call +
                           "; what depends on the reply is not known");
  }
  if (!rehearsal.after.held_definitions.empty()) {
    report.notes.push_back(rehearsal.after.held_definitions);
  }
  if (!rehearsal.after.progress.rollback_refusal().empty()) {
    report.notes.push_back("the rollback is refused: " +
                           rehearsal.after.progress.rollback_refusal());
  }
  if (!rehearsal.after.skipped_hooks.empty()) {
    report.notes.push_back(std::string(op::kHooksMark) + rehearsal.after.skipped_hooks);
  }
}

bool is_workload(const Value& object) {
  const Value* containers = object.find_path({"spec", "template", "spec", "containers"});
  return containers != nullptr && kube::gvk_of(object).group != "batch";
}

int64_t replicas_of(const Value& object, int64_t fallback) {
  const Value* replicas = object.find_path({"spec", "replicas"});
  return replicas != nullptr && replicas->is_int() ? replicas->as_int() : fallback;
}

std::string pods_of(const Value& workload) {
  const int64_t replicas = replicas_of(workload, -1);
  if (replicas < 0) {
    return "the pods";
  }
  return replicas == 1 ? "the pod" : "the " + std::to_string(replicas) + " pods";
}

void add_rollout(const Value& before, const Value& after, std::vector<std::string>& all) {
  const Value* old_template = before.find_path({"spec", "template"});
  const Value* new_template = after.find_path({"spec", "template"});
  if (!is_workload(after) || old_template == nullptr || new_template == nullptr) {
    return;
  }
  const int64_t had = replicas_of(before, 1);
  const int64_t gets = replicas_of(after, had);
  if (had != gets) {
    all.push_back("scales from " + std::to_string(had) + " to " + std::to_string(gets));
  }
  if (value::json_equal(*old_template, *new_template) || gets == 0) {
    return;
  }
  const bool on_delete = after.string_at({"spec", "updateStrategy", "type"}) == "OnDelete";
  const bool at_once = after.string_at({"spec", "strategy", "type"}) == "Recreate";
  std::string text = on_delete ? "the pod template changes; " + pods_of(after) +
                                     " of this workload stay as they are until they are deleted"
                               : std::string(kRestartsMark) + pods_of(after) + " of this workload";
  all.push_back(text + (at_once ? ", all at once (strategy Recreate)" : ""));
}

void add_loss(const Value& before, std::vector<std::string>& all) {
  const kube::GroupKind kind = kube::gvk_of(before).group_kind();
  if (is_workload(before)) {
    all.push_back("stops " + pods_of(before) + " of this workload");
  }
  if (kind == kube::GroupKind{"", "PersistentVolumeClaim"}) {
    all.emplace_back("deletes the claim, and its data unless the volume is retained");
  }
  if (kind == kube::GroupKind{"", "Namespace"}) {
    all.emplace_back("deletes everything in the namespace");
  }
  if (kind.kind == "CustomResourceDefinition") {
    all.push_back("deletes all objects of the kind " +
                  std::string(before.string_at({"spec", "names", "kind"})));
  }
}

}  // namespace

std::string_view to_string(Fate fate) {
  switch (fate) {
    case Fate::kCreate:
      return "create";
    case Fate::kApply:
      return "apply";
    case Fate::kRecreate:
      return "recreate";
    case Fate::kDelete:
      return "delete";
    case Fate::kHook:
      return "hook";
    case Fate::kHold:
      return "hold";
    case Fate::kOwnership:
      return "ownership";
    case Fate::kUnchanged:
      return "unchanged";
  }
  return "";
}

bool is_change(Fate fate) {
  return fate == Fate::kCreate || fate == Fate::kApply || fate == Fate::kRecreate ||
         fate == Fate::kDelete || fate == Fate::kHook;
}

void hide_overrides(Report& report, const bundle::OverrideMask& overrides) {
  report.secrets.add(overrides.texts());
  const auto is_override = [&](const std::optional<Value>& value) {
    return value && overrides.covers(*value);
  };
  for (ObjectChange& change : report.objects) {
    for (FieldChange& field : change.fields.kept) {
      field.secret = field.secret || is_override(field.before) || is_override(field.after);
    }
  }
  if (report.failure) {
    report.failure = overrides.texts().masked(*report.failure);
  }
}

bool has_changes(const Report& report) {
  return report.changes_externals ||
         std::ranges::any_of(report.objects,
                             [](const ObjectChange& change) { return is_change(change.fate); });
}

std::vector<std::string> consequences_of(Fate fate, const Value& before, const Value& after) {
  std::vector<std::string> all;
  if (fate == Fate::kApply) {
    add_rollout(before, after, all);
  }
  if (fate == Fate::kDelete || fate == Fate::kRecreate) {
    add_loss(before, all);
  }
  return all;
}

Report report_of(Rehearsal rehearsal) {
  Report report;
  for (const Written& one : by_object(rehearsal.writes, kube::ref_of(rehearsal.cr))) {
    report.objects.push_back(change_of(one, rehearsal));
  }
  report.changes_externals = !rehearsal.withheld.empty();
  add_held(rehearsal, report);
  add_unchanged(rehearsal, report);
  add_notes(rehearsal, report);
  report.decision = rehearsal.decision;
  if (rehearsal.after.progress.revision() != rehearsal.before.progress.revision()) {
    report.revision = rehearsal.after.progress.revision();
  }
  const bool withheld = !rehearsal.withheld.empty() && rehearsal.failure &&
                        rehearsal.failure->code() == base::ErrorCode::kCancelled;
  if (!withheld) {
    report.failure = std::move(rehearsal.failure);
  }
  report.secrets = std::move(rehearsal.secrets);
  return report;
}

}  // namespace chartwright::diff
