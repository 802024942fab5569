// SPDX-License-Identifier: Apache-2.0
#include "resource/engine_conditions.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/unicode.h"
#include "health/conditions.h"
#include "health/holds.h"
#include "revision/record.h"

namespace chartwright::op {

namespace condition = health::condition;
namespace reason = health::reason;
using health::ConditionType;
using value::Value;

namespace {

constexpr size_t kNamedMax = 10;

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

// Returns the condition that tells of a failure as a whole: the one of helm-operator, and Ready
// where it has none.
const ConditionType& failure_type(const CrState& state, const Failure& failure) {
  if (failure.phase == Phase::kExternal) {
    return condition::kReady;
  }
  const bool keeps_release = failure.before_apply() || failure.phase == Phase::kRepair;
  return keeps_release && state.progress.revision() > 0 ? condition::kIrreconcilable
                                                        : condition::kReleaseFailed;
}

void set_failure(const CrState& state, const StatusInput& input, Conditions& conditions) {
  const Failure& failure = *input.failure;
  const ConditionType& type = failure_type(state, failure);
  if (&type == &condition::kReady) {
    return;
  }
  // helm-operator reports a chart that never rendered as a failed install.
  const bool never_rendered = state.progress.revision() == 0 && failure.phase != Phase::kSetAside;
  const std::string_view cause = never_rendered && &type == &condition::kReleaseFailed
                                     ? reason::kInstallError
                                     : failure_reason(failure.phase);
  conditions.set(type, {"True", cause, condition_text(failure, input.activity)});
}

// helm-operator's four, with its reasons.
void set_helm_conditions(const CrState& state, const StatusInput& input, Conditions& conditions) {
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
  if (input.failure) {
    set_failure(state, input, conditions);
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

// The first line, if another condition has the rest.
Verdict failure_verdict(const CrState& state, const StatusInput& input) {
  const Failure& failure = *input.failure;
  std::string text = condition_text(failure, input.activity);
  if (&failure_type(state, failure) != &condition::kReady) {
    text.resize(std::min(text.find('\n'), text.size()));
  }
  return {"False", failure_reason(failure.phase), std::move(text)};
}

Verdict ready_verdict(const CrState& state, const StatusInput& input) {
  if (input.failure && !is_apart_from_children(state, input)) {
    return failure_verdict(state, input);
  }
  if (input.activity == Activity::kWorking) {
    const std::string& cause = input.waiting_cause;
    return {"Unknown", cause.empty() ? reason::kProgressing : std::string_view(cause),
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

std::string refer_to(std::string_view type) {
  return std::string(health::kReferenceMark) + std::string(type);
}

// The conditions of kstatus: Reconciling and Stalled are present only when true. They refer to the
// condition that says why.
void set_progress_conditions(const CrState& state, const StatusInput& input,
                             Conditions& conditions) {
  const Verdict ready = ready_verdict(state, input);
  conditions.set(condition::kReady, ready);
  const ConditionType& told =
      input.failure ? failure_type(state, *input.failure) : condition::kReady;
  const std::string_view cause =
      input.failure ? failure_reason(input.failure->phase) : ready.reason;
  if (input.activity == Activity::kStalled) {
    conditions.set(condition::kStalled, {"True", cause, refer_to(told.name)});
  } else if (input.activity == Activity::kRetrying) {
    conditions.set(condition::kReconciling,
                   {"True", reason::kProgressingWithRetry, refer_to(told.name)});
  } else if (ready.may_pass) {
    conditions.set(condition::kReconciling,
                   {"True", ready.reason, refer_to(condition::kReady.name)});
  } else if (ready.reason == reason::kPatchRefused) {
    conditions.set(condition::kStalled, {"True", ready.reason, refer_to(condition::kReady.name)});
  }
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
  std::vector<std::string> drifted;
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
    if (!entry.drift.change.empty()) {
      drifted.push_back(ref.to_string() + ": " + entry.drift.change);
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
  if (!drifted.empty()) {
    conditions.set_true(condition::kDrifted, name_texts(drifted));
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

// Ready also names what holds a resource back whose children are ready.
void name_hold(Conditions& conditions) {
  const Value list = conditions.to_value();
  const Value* ready = health::find_condition(&list, condition::kReady.name);
  if (ready == nullptr || ready->string_at({"status"}) != "True") {
    return;
  }
  auto hold = health::grave_hold(&list);
  if (!hold) {
    hold = health::mild_hold(&list);
  }
  if (hold) {
    conditions.set(condition::kReady, {"True", hold->reason,
                                       std::string(ready->string_at({"message"})) + "; " +
                                           refer_to(hold->condition->string_at({"type"}))});
  }
}

}  // namespace

bool has_deployed(const CrState& state) {
  const std::vector<HistoryItem>& history = state.history;
  return state.progress.revision() > 0 &&
         (history.empty() || std::any_of(history.begin(), history.end(), [](const auto& item) {
            return item.status != release::to_string(release::RevisionStatus::kFailed);
          }));
}

void set_pruned(const CrState& state, Conditions& conditions) {
  conditions.set_true(condition::kStatusPruned, describe_dropped(state.stored.dropped));
}

void set_engine_conditions(const CrState& state, const StatusInput& input, Conditions& conditions) {
  set_helm_conditions(state, input, conditions);
  set_progress_conditions(state, input, conditions);
  set_held_conditions(state, conditions);
  set_special_conditions(state, input, conditions);
  name_hold(conditions);
}

}  // namespace chartwright::op
