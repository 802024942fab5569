// SPDX-License-Identifier: Apache-2.0
#include "operator/hooks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "release/desired.h"
#include "subject/causes.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using release::HookEvent;
using release::HookObject;
using release::HookState;

// The characters of a digest that distinguish attempts.
constexpr size_t kRunChars = 16;

// The events of an attempt, of which one is its phase, in order.
struct Events {
  HookEvent before;
  HookEvent after;
};

std::optional<Events> events_of(const Attempt& attempt) {
  constexpr std::array kAll = {Events{HookEvent::kPreInstall, HookEvent::kPostInstall},
                               Events{HookEvent::kPreUpgrade, HookEvent::kPostUpgrade},
                               Events{HookEvent::kPreRollback, HookEvent::kPostRollback},
                               Events{HookEvent::kPreDelete, HookEvent::kPostDelete}};
  for (const Events& events : kAll) {
    if (attempt.phase == to_string(events.before) || attempt.phase == to_string(events.after)) {
      return events;
    }
  }
  return std::nullopt;
}

// "pre-upgrade 3 0123456789abcdef 0": unlike any other run of a hook of this custom resource.
std::string run_name(HookEvent event, const Attempt& attempt, int number) {
  const std::string& digest = attempt.digest;
  return std::string(to_string(event)) + " " + std::to_string(attempt.revision) + " " +
         digest.substr(digest.size() - std::min(digest.size(), kRunChars)) + " " +
         std::to_string(number);
}

bool any_has_policy(const std::vector<HookObject>& objects, release::HookDeletion policy) {
  return std::ranges::any_of(
      objects, [policy](const HookObject& object) { return object.hook.has_policy(policy); });
}

}  // namespace

Error hook_failure(std::string what) {
  return Error(ErrorCode::kInvalidArgument, std::move(what))
      .with_help("To try again, change the spec or the annotation " +
                 std::string(kReconcileRequestedAt) + ". To go on without hooks, set " +
                 std::string(kDisableHooks) + ": \"true\".");
}

bool HookStage::any(const std::vector<release::Hook>& hooks, HookEvent event) const {
  return runs_hooks(subject_) &&
         std::any_of(hooks.begin(), hooks.end(),
                     [event](const release::Hook& hook) { return hook.has_event(event); });
}

base::Status HookStage::run(const std::vector<release::Hook>& hooks, HookEvent event) {
  if (!any(hooks, event)) {
    return {};
  }
  const int first = before_;
  CW_TRY(const std::vector<HookObject> objects, objects_of(hooks, event, first));
  before_ += static_cast<int>(objects.size());
  const Attempt& attempt = *subject_.progress.attempt();
  if (attempt.hooks.done >= before_ && attempt.tidied >= before_) {
    return {};
  }
  parts_.progress.enter_phase(to_string(event));
  CW_TRY_VOID(watch(objects));
  release::HookRunner runner = runner_for(event);
  release::HookProgress progress = attempt.hooks;
  auto ran = runner.run(objects, first, progress);
  parts_.progress.note_hooks(std::move(progress));
  CW_TRY(const release::HookOutcome outcome, std::move(ran));
  const int succeeded = std::min(attempt.hooks.done, before_) - first;
  if (outcome.state == HookState::kRunning) {
    return wait_for(objects.at(static_cast<size_t>(succeeded)), event, outcome);
  }
  const std::string what = std::string(to_string(event)) + " hook " + outcome.message;
  std::vector<HookObject> done(objects.begin(), objects.begin() + succeeded);
  if (outcome.state == HookState::kFailed) {
    failed_ = FailedHook{event, objects.at(static_cast<size_t>(succeeded)), std::move(done)};
    return hook_failure(what + cause_of_failure(failed_->object));
  }
  CW_TRY_VOID(tidy(runner, done));
  parts_.progress.note_tidied(before_);
  return {};
}

// The cause says more than the Job, whose words then only count its pods.
Error HookStage::wait_for(const HookObject& object, HookEvent event,
                          const release::HookOutcome& outcome) {
  const kube::ObjectRef& ref = object.desired.ref;
  const auto cause = cause_of_awaited(subject_, ref, false);
  const std::string text = cause ? ref.to_string() + ": " + cause->text : outcome.message;
  return parts_.wait.wait_for_event(std::string(to_string(event)) + " hook " + text, kLookAgain,
                                    cause ? cause->code : "");
}

std::string HookStage::cause_of_failure(const HookObject& object) const {
  const auto cause = cause_of_awaited(subject_, object.desired.ref, true);
  return cause ? "; " + cause->text : "";
}

release::HookRunner HookStage::runner_for(HookEvent event) {
  return {subject_.services.client,
          subject_.call,
          subject_.services.clock,
          subject_.owner,
          {subject_.watch.hook_timeout, [this, event] { return allow(event); }}};
}

// One that is gone must not seem to have never run.
void HookStage::tidy_failed() {
  if (!failed_) {
    return;
  }
  base::Status done;
  if (failed_->object.hook.has_policy(release::HookDeletion::kFailed) ||
      any_has_policy(failed_->before, release::HookDeletion::kSucceeded)) {
    done = parts_.live.write_progress();
  }
  if (done.ok()) {
    done = tidy_as_stored(*failed_);
  }
  end_tidying(done);
}

void HookStage::tidy_ended() {
  const std::optional<Attempt>& attempt = subject_.progress.attempt();
  if (!attempt || attempt->failure.empty() || attempt->tidied > attempt->hooks.done) {
    return;
  }
  const auto failed = recall_failed();
  base::Status done;
  if (!failed.ok()) {
    done = failed.error();
  } else if (*failed) {
    done = tidy_as_stored(**failed);
  }
  end_tidying(done);
}

base::Status HookStage::tidy_as_stored(const FailedHook& failed) {
  release::HookRunner runner = runner_for(failed.event);
  CW_TRY_VOID(runner.delete_failed(failed.object));
  return runner.delete_succeeded(failed.before);
}

// The next reconcile does what this one could not.
void HookStage::end_tidying(const base::Status& done) {
  const Attempt& attempt = *subject_.progress.attempt();
  if (done.ok()) {
    parts_.progress.note_tidied(attempt.hooks.done + 1);
    return;
  }
  subject_.context.log.warn("A hook that has ended is not deleted",
                            {{"attempt", attempt.failure},
                             {"error", subject_.overrides.texts().masked(done.error()).message()}});
}

// The record has them. Without it nothing is known of them, and nothing is deleted.
base::Result<std::optional<HookStage::FailedHook>> HookStage::recall_failed() {
  const Attempt& attempt = *subject_.progress.attempt();
  const std::optional<Events> events = events_of(attempt);
  CW_TRY(const release::Finding<release::Revision> finding, parts_.records.find(attempt.revision));
  if (!finding.found() || !events) {
    return std::optional<FailedHook>();
  }
  int first = 0;
  for (const HookEvent event : {events->before, events->after}) {
    CW_TRY(std::vector<HookObject> objects, objects_of(finding.thing().hooks, event, first));
    const int number = attempt.hooks.done - first;
    if (attempt.phase == to_string(event) && number >= 0 && number < std::ssize(objects)) {
      HookObject object = std::move(objects[static_cast<size_t>(number)]);
      objects.resize(static_cast<size_t>(number));
      return std::optional(FailedHook{event, std::move(object), std::move(objects)});
    }
    first += static_cast<int>(objects.size());
  }
  return std::optional<FailedHook>();
}

// Nothing is created for a custom resource that is gone, but for its deletion.
base::Status HookStage::allow(HookEvent event) {
  if (event == HookEvent::kPreDelete || event == HookEvent::kPostDelete) {
    return {};
  }
  return parts_.live.confirm_once();
}

// They are stored as done first: one that is gone must not seem to have never run.
base::Status HookStage::tidy(release::HookRunner& runner, const std::vector<HookObject>& objects) {
  if (!any_has_policy(objects, release::HookDeletion::kSucceeded)) {
    return {};
  }
  CW_TRY_VOID(parts_.live.write_progress());
  return runner.delete_succeeded(objects);
}

base::Result<std::vector<HookObject>> HookStage::objects_of(const std::vector<release::Hook>& hooks,
                                                            HookEvent event, int first) {
  const std::vector<release::ChildRule> no_rules;
  const release::DesiredContext context{subject_.owner,
                                        subject_.owner.release_namespace(),
                                        subject_.watch.bundle.chart_label,
                                        no_rules,
                                        nullptr,
                                        release::DataMark::kReference};
  std::vector<HookObject> objects;
  for (const release::Hook& hook : release::hooks_of(hooks, event)) {
    CW_TRY(const auto documents, parts_.records.parse(hook.text));
    for (const value::Value& document : documents) {
      CW_TRY(const Mapped mapped, parts_.definitions.map_kind(kube::gvk_of(document), {}));
      CW_TRY(auto desired,
             release::make_desired(document, release::Role::kChild, mapped.scope, context));
      const int number = first + static_cast<int>(objects.size());
      objects.push_back(
          {hook, std::move(desired), run_name(event, *subject_.progress.attempt(), number)});
    }
  }
  return objects;
}

// Their events lead here again.
base::Status HookStage::watch(const std::vector<HookObject>& objects) {
  std::vector<kube::ObjectRef> awaited;
  for (const HookObject& object : objects) {
    if (release::is_waited_for(object.desired.ref.group_kind())) {
      awaited.push_back(object.desired.ref);
    }
  }
  return subject_.services.caches.watch_children(subject_.owner.ref(), awaited,
                                                 subject_.context.stop);
}

}  // namespace chartwright::op
