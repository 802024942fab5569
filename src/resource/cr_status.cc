// SPDX-License-Identifier: Apache-2.0
#include "resource/cr_status.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/printable.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "bundle/status_fields.h"
#include "health/condition_types.h"
#include "health/conditions.h"
#include "release/record.h"
#include "resource/annotations.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

namespace condition = health::condition;
namespace reason = health::reason;
using health::ConditionType;
using value::Dict;
using value::Value;

// The limit of metav1.Condition.
constexpr size_t kMessageBytesMax = 32768;
constexpr size_t kNamedMax = 10;

struct Verdict {
  std::string_view status;
  std::string_view reason;
  std::string message;
  /// It may get better by itself, whatever the reason is.
  bool may_pass = false;
};

// Collects conditions by type, and keeps the transition times of those that did not change.
class Conditions {
 public:
  Conditions(const Value& previous_status, int64_t generation, base::WallTime now)
      : generation_(generation), now_(base::format_rfc3339(now)) {
    const Value* previous = previous_status.find("conditions");
    if (previous != nullptr && previous->is_list()) {
      for (const Value& c : previous->as_list().items) {
        previous_[std::string(c.string_at({"type"}))] = c;
      }
    }
  }

  void set(std::string_view type, const Verdict& verdict) { set(type, verdict, generation_); }

  void set(const ConditionType& type, const Verdict& verdict) { set(type.name, verdict); }

  // The type has one reason.
  void set_true(const ConditionType& type, std::string message) {
    set(type, {"True", type.reason(), std::move(message)});
  }

  // A generation that is not known, 0, is left out.
  void set(std::string_view type, const Verdict& verdict, int64_t generation) {
    Value c = Value::dict(
        {{"type", Value::string(type)},
         {"status", Value::string(verdict.status)},
         {"reason", Value::string(verdict.reason)},
         {"message",
          Value::string(base::shortened(base::printable_lines(verdict.message), kMessageBytesMax))},
         {"lastTransitionTime", Value::string(transition_time(type, verdict.status))}});
    if (generation > 0) {
      c.mutable_dict().set("observedGeneration", Value::integer(generation));
    }
    current_.insert_or_assign(std::string(type), std::move(c));
  }

  // Leaves a condition as it was.
  void keep(const ConditionType& type) {
    if (const auto it = previous_.find(std::string(type.name)); it != previous_.end()) {
      current_.insert_or_assign(it->first, it->second);
    }
  }

  Value to_value() const {
    std::vector<Value> items;
    for (const auto& [type, c] : current_) {
      items.push_back(c);
    }
    return Value::list(std::move(items));
  }

 private:
  std::string transition_time(std::string_view type, std::string_view status) const {
    auto it = previous_.find(std::string(type));
    if (it == previous_.end() || it->second.string_at({"status"}) != status) {
      return now_;
    }
    const std::string_view since = it->second.string_at({"lastTransitionTime"});
    return since.empty() ? now_ : std::string(since);
  }

  const int64_t generation_;
  const std::string now_;
  std::map<std::string, Value> previous_;
  std::map<std::string, Value> current_;
};

// "Pod shop/a: ...; Pod shop/b: ...; and 3 more".
class ShortList {
 public:
  void add(std::string text) {
    if (parts_.size() == kNamedMax) {
      ++left_out_;
    } else {
      parts_.push_back(std::move(text));
    }
  }
  std::string text() const {
    return base::join(parts_, "; ") +
           (left_out_ > 0 ? "; and " + std::to_string(left_out_) + " more" : "");
  }

 private:
  std::vector<std::string> parts_;
  size_t left_out_ = 0;
};

// Children with a known cause come first.
std::vector<const ChildState*> children_in(const std::vector<ChildState>& children,
                                           health::ReadyState state) {
  std::vector<const ChildState*> found;
  for (const ChildState& child : children) {
    if (child.state == state) {
      found.push_back(&child);
    }
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const ChildState* one) { return !one->cause.empty(); });
  return found;
}

// "Deployment.apps shop/web: pods are not ready; ..."
std::string name_children(const std::vector<const ChildState*>& children) {
  ShortList named;
  for (const ChildState* child : children) {
    named.add(child->ref.to_string() + (child->message.empty() ? "" : ": " + child->message));
  }
  return named.text();
}

std::string_view failure_reason(Phase phase) {
  switch (phase) {
    case Phase::kRender:
    case Phase::kRepair:
      return reason::kReconcileError;
    case Phase::kInstall:
      return reason::kInstallError;
    case Phase::kUpgrade:
      return reason::kUpgradeError;
    case Phase::kUninstall:
      return reason::kUninstallError;
    case Phase::kExternal:
      return reason::kExternalError;
    case Phase::kSetAside:
      return reason::kRenderKilledOperator;
  }
  return "";
}

// The error's text, which is Helm's if a chart failed, and the help, which begins with the place.
// Without help the place precedes the text.
std::string condition_text(const Failure& failure, Activity activity) {
  constexpr size_t kHelpBytesMax = 1024;
  const base::Error& error = failure.error;
  std::string text = error.help().empty()
                         ? error.to_string()
                         : error.message() + "\n" + base::shortened(error.help(), kHelpBytesMax);
  if (failure.half_applied && failure.phase == Phase::kUpgrade && activity == Activity::kStalled) {
    text += "\nThe objects that the API server took stay, and nothing was pruned.";
  }
  return text;
}

// False where the only revision is one whose hooks have failed.
bool has_deployed(const CrState& state) {
  const std::vector<HistoryItem>& history = state.history;
  return state.progress.revision() > 0 &&
         (history.empty() || std::any_of(history.begin(), history.end(), [](const auto& item) {
            return item.status != release::to_string(release::RevisionStatus::kFailed);
          }));
}

// helm-operator's four, with its reasons.
void set_helm_conditions(const CrState& state, const StatusInput& input, Conditions& conditions) {
  const std::optional<Failure>& failure = input.failure;
  conditions.set_true(condition::kInitialized, "");
  if (input.uninstallation != Uninstallation::kNone) {
    const bool waits = input.uninstallation == Uninstallation::kWaiting;
    conditions.set(condition::kDeployed, {"False", reason::kUninstallSuccessful,
                                          waits ? "Waiting until all resources are deleted." : ""});
  } else if (has_deployed(state)) {
    const auto text =
        state.progress.revision() == 1 ? reason::kInstallSuccessful : reason::kUpgradeSuccessful;
    conditions.set(condition::kDeployed.name, {"True", std::string(text), state.notes},
                   state.deployed_generation);
  } else if (state.record_search == RecordSearch::kDue) {
    // The release that it is about goes on once it is found.
    conditions.keep(condition::kDeployed);
  }
  if (!failure || failure->phase == Phase::kExternal) {
    return;
  }
  const std::string_view cause = failure_reason(failure->phase);
  const std::string message = condition_text(*failure, input.activity);
  const bool set_aside = failure->phase == Phase::kSetAside;
  const bool keeps_release = failure->before_apply() || failure->phase == Phase::kRepair;
  if (keeps_release && state.progress.revision() > 0) {
    conditions.set(condition::kIrreconcilable, {"True", cause, message});
  } else {
    // helm-operator reports a chart that never rendered as a failed install.
    const bool never_rendered = state.progress.revision() == 0 && !set_aside;
    conditions.set(condition::kReleaseFailed,
                   {"True", never_rendered ? reason::kInstallError : cause, message});
  }
}

// "ServiceAccount shop/default does not exist; its patch waits for it; ..."
std::string name_missing(const std::vector<kube::ObjectRef>& targets) {
  ShortList named;
  for (const kube::ObjectRef& ref : targets) {
    named.add(ref.to_string() + " does not exist; its patch waits for it");
  }
  return named.text();
}

std::string name_texts(const std::vector<std::string>& texts) {
  ShortList named;
  for (const std::string& text : texts) {
    named.add(text);
  }
  return named.text();
}

// "Pod shop/a waits for its turn; ..."
std::string name_held(const CrState& state) {
  ShortList named;
  for (const auto& [ref, entry] : state.inventory) {
    if (entry.motion == release::Motion::kHeld) {
      named.add(ref.to_string() + " waits for its turn");
    }
  }
  return named.text();
}

// A chart that changed and cannot be rendered says nothing of the children. Another spec that
// cannot be is not what they carry out, and so they are not ready.
bool is_apart_from_children(const CrState& state, const StatusInput& input) {
  return input.leaves_revision && state.progress.revision() > 0 &&
         state.deployed_generation == input.generation;
}

Verdict failure_verdict(const Failure& failure, Activity activity) {
  return {"False", failure_reason(failure.phase), condition_text(failure, activity)};
}

Verdict ready_verdict(const CrState& state, const StatusInput& input) {
  if (input.failure && !is_apart_from_children(state, input)) {
    return failure_verdict(*input.failure, input.activity);
  }
  if (input.activity == Activity::kWorking) {
    return {"Unknown", reason::kProgressing,
            input.waiting.empty() ? "applying children" : input.waiting, true};
  }
  using health::ReadyState;
  for (auto [child_state, shallow] : {std::pair{ReadyState::kFailed, reason::kChildFailed},
                                      {ReadyState::kProgressing, reason::kProgressing},
                                      {ReadyState::kTerminating, reason::kProgressing}}) {
    const std::vector<const ChildState*> named = children_in(input.children, child_state);
    if (!named.empty()) {
      const std::string& cause = named.front()->cause;
      return {"False", cause.empty() ? shallow : std::string_view(cause), name_children(named),
              child_state != ReadyState::kFailed};
    }
  }
  if (!state.patches.missing_targets.empty()) {
    return {"False", reason::kTargetMissing, name_missing(state.patches.missing_targets), true};
  }
  if (!state.patches.refused.empty()) {
    return {"False", reason::kPatchRefused, name_texts(state.patches.refused)};
  }
  if (std::string held = name_held(state); !held.empty()) {
    return {"False", reason::kProgressing, std::move(held), true};
  }
  return {"True", reason::kReady, "all children are ready"};
}

// The conditions of kstatus: Reconciling and Stalled are present only when true.
void set_progress_conditions(const CrState& state, const StatusInput& input,
                             Conditions& conditions) {
  Verdict ready = ready_verdict(state, input);
  const Verdict problem = input.failure ? failure_verdict(*input.failure, input.activity) : ready;
  if (input.activity == Activity::kStalled) {
    conditions.set(condition::kStalled, {"True", problem.reason, problem.message});
  } else if (input.activity == Activity::kRetrying) {
    conditions.set(condition::kReconciling,
                   {"True", reason::kProgressingWithRetry, problem.message});
  } else if (ready.may_pass) {
    conditions.set(condition::kReconciling, {"True", ready.reason, ready.message});
  } else if (ready.reason == reason::kPatchRefused) {
    conditions.set(condition::kStalled, {"True", ready.reason, ready.message});
  }
  conditions.set(condition::kReady, ready);
}

// "ConfigMap shop/w is changed again soon after each repair (managed by foo); ..."
std::string name_contested(const CrState& state) {
  ShortList named;
  for (const auto& [ref, contest] : state.contests) {
    if (release::is_contested(contest)) {
      named.add(ref.to_string() + " is changed again soon after each repair" +
                (contest.managers.empty() ? "" : " (managed by " + contest.managers + ")"));
    }
  }
  return named.text();
}

// Changes and creates that wait until somebody acts.
void set_held_conditions(const CrState& state, Conditions& conditions) {
  std::vector<std::string> held;
  std::vector<std::string> frozen;
  std::vector<std::string> left_out;
  std::vector<std::string> outdated;
  for (const auto& [ref, entry] : state.inventory) {
    if (!entry.held.empty()) {
      held.push_back(ref.to_string() + ": " + entry.held);
    }
    if (!entry.frozen.empty()) {
      frozen.push_back(ref.to_string() + ": " + entry.frozen);
    }
    if (!entry.left_out.empty()) {
      left_out.push_back(ref.to_string() + ": " + entry.left_out);
    }
    if (entry.outdated) {
      outdated.push_back(ref.to_string());
    }
  }
  std::vector<std::string> ambiguous;
  for (const auto& [name, record] : state.externals) {
    if (!record.held.empty()) {
      ambiguous.push_back("external " + name + ": " + record.held);
    }
  }
  if (!held.empty()) {
    conditions.set_true(condition::kFieldsHeld, base::join(held, "; "));
  }
  if (!frozen.empty()) {
    conditions.set_true(condition::kFieldsFrozen, base::join(frozen, "; "));
  }
  if (!left_out.empty()) {
    conditions.set_true(condition::kFieldsLeftOut, name_texts(left_out));
  }
  if (!outdated.empty()) {
    conditions.set_true(condition::kUpdatesHeld,
                        "changes wait until the object is deleted: " + base::join(outdated, "; "));
  }
  if (!ambiguous.empty()) {
    conditions.set_true(condition::kAmbiguousCreate, base::join(ambiguous, "; "));
  }
  if (std::string contested = name_contested(state); !contested.empty()) {
    contested += state.rivals.empty() ? "" : "; " + name_texts(state.rivals);
    conditions.set(condition::kContested, {"True", reason::kChangedByOthers, std::move(contested)});
  } else if (!state.rivals.empty()) {
    conditions.set(condition::kContested,
                   {"True", reason::kPatchConflict, name_texts(state.rivals)});
  }
  if (!state.held_definitions.empty()) {
    conditions.set_true(condition::kDefinitionsHeld, state.held_definitions);
  }
}

std::string name_keys(const std::vector<std::string>& unread) {
  constexpr size_t kKeyBytesMax = 300;
  ShortList named;
  for (const std::string& text : unread) {
    named.add(base::shortened(text, kKeyBytesMax));
  }
  return named.text();
}

std::string_view pin_reason(const CrState& state) {
  if (state.progress.failed_attempt() == nullptr) {
    return reason::kRollbackRequested;
  }
  return state.progress.revision() > 0 ? reason::kUpgradeFailed : reason::kInstallFailed;
}

// "revision 2 failed, and revision 3 stays in force until ..."
std::string pin_text(const CrState& state) {
  const Progress& progress = state.progress;
  const int pinned = progress.pinned_revision();
  const std::string stays = "revision " + std::to_string(pinned) + " stays in force until ";
  const FailedAttempt* attempt = progress.failed_attempt();
  if (attempt == nullptr) {
    return stays +
           "the spec or the chart changes, or the annotation chartwright.io/rollback-to is removed";
  }
  const std::string failed = "revision " + std::to_string(attempt->revision) + " failed, and ";
  if (progress.is_undoing()) {
    return failed + (progress.revision() > 0 ? "is being rolled back" : "is being deleted");
  }
  return failed + (pinned > 0 ? stays : "was deleted. Nothing is installed until ") +
         "the spec, the chart or the annotation chartwright.io/reconcile-requested-at changes" +
         (attempt->dry_run == DryRun::kRefused ? ", or a dry run succeeds" : "");
}

void set_pruned(const CrState& state, Conditions& conditions) {
  conditions.set_true(condition::kStatusPruned, describe_dropped(state.stored.dropped));
}

// Returns `status` with that condition of `type`; everything else stays.
Value with_condition(const Value& status, std::string_view type, const Conditions& one) {
  std::vector<Value> items = one.to_value().as_list().items;
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

// "ClusterRole reader may be a child; ...; trusted without a signature: revisions 2, 1"
std::string name_unverified(const CrState& state) {
  std::vector<std::string> parts;
  if (!state.unconfirmed.empty()) {
    ShortList named;
    for (const auto& [ref, entry] : state.unconfirmed) {
      named.add(ref.to_string());
    }
    parts.push_back("not pruned, as the status that named them has no signature: " + named.text());
  }
  if (!state.missing_hooks.empty()) {
    parts.push_back("hooks of the deletion do not run: " + state.missing_hooks);
  }
  if (!state.trusted_records.empty()) {
    parts.push_back(std::string(kTrustedMark) + state.trusted_records);
  }
  return base::join(parts, "; ");
}

void set_special_conditions(const CrState& state, const StatusInput& input,
                            Conditions& conditions) {
  if (std::string unverified = name_unverified(state); !unverified.empty()) {
    conditions.set_true(condition::kUnverified, std::move(unverified));
  }
  if (!input.unread_keys.empty()) {
    conditions.set_true(condition::kUnknownKeys, name_keys(input.unread_keys));
  }
  if (!input.unused_annotations.empty()) {
    conditions.set_true(condition::kUnusedAnnotations, base::join(input.unused_annotations, "; "));
  }
  if (!state.stored.dropped.empty()) {
    set_pruned(state, conditions);
  }
  if (!state.skipped_hooks.empty()) {
    conditions.set_true(condition::kHooksSkipped, std::string(kHooksMark) + state.skipped_hooks);
  }
  if (state.progress.is_pinned()) {
    std::string text = pin_text(state);
    if (!state.progress.rollback_refusal().empty()) {
      text += kRefusalMark;
      text += state.progress.rollback_refusal();
    }
    conditions.set(condition::kRolledBack, {"True", pin_reason(state), std::move(text)});
  } else if (!state.progress.rollback_refusal().empty()) {
    conditions.set(condition::kRolledBack,
                   {"False", reason::kRollbackRefused, state.progress.rollback_refusal()});
  }
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
  set_helm_conditions(state, input, conditions);
  set_progress_conditions(state, input, conditions);
  set_held_conditions(state, conditions);
  set_special_conditions(state, input, conditions);
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
  return with_condition(previous, condition::kPaused.name, paused);
}

Value pruned_status(const Value& status, const CrState& state, int64_t generation,
                    base::WallTime now) {
  Conditions pruned(state.stored.status.unpack(), generation, now);
  set_pruned(state, pruned);
  return without_members(with_condition(status, condition::kStatusPruned.name, pruned),
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
