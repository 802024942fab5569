// SPDX-License-Identifier: Apache-2.0
#include "operator/hooks.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "release/desired.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using release::HookEvent;
using release::HookObject;
using release::HookState;

// Of a digest, to distinguish attempts.
constexpr size_t kRunChars = 16;

// "pre-upgrade 3 0123456789abcdef 0": unlike any other run of a hook of this custom resource.
std::string run_name(HookEvent event, const Attempt& attempt, int number) {
  const std::string& digest = attempt.digest;
  return std::string(to_string(event)) + " " + std::to_string(attempt.revision) + " " +
         digest.substr(digest.size() - std::min(digest.size(), kRunChars)) + " " +
         std::to_string(number);
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
  CW_TRY(const std::vector<HookObject> objects, objects_of(hooks, event));
  const int first = before_;
  before_ += static_cast<int>(objects.size());
  Attempt& attempt = *subject_.state.attempt;
  if (attempt.hooks.done >= before_ && attempt.tidied >= before_) {
    return {};
  }
  attempt.phase = to_string(event);
  CW_TRY_VOID(watch(objects));
  release::HookRunner runner = runner_for(event);
  CW_TRY(const release::HookOutcome outcome, runner.run(objects, first, attempt.hooks));
  const std::string what = std::string(to_string(event)) + " hook " + outcome.message;
  if (outcome.state == HookState::kRunning) {
    return wait_.wait_for_event(what, kLookAgain);
  }
  const int succeeded = std::min(attempt.hooks.done, before_) - first;
  std::vector<HookObject> done(objects.begin(), objects.begin() + succeeded);
  if (outcome.state == HookState::kFailed) {
    failed_ = FailedHook{event, objects.at(static_cast<size_t>(succeeded)), std::move(done)};
    return hook_failure(what);
  }
  CW_TRY_VOID(tidy(runner, done));
  attempt.tidied = before_;
  return {};
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
  release::HookRunner runner = runner_for(failed_->event);
  base::Status done;
  if (failed_->object.hook.has_policy(release::HookDeletion::kFailed)) {
    done = live_.write_progress();
    if (done.ok()) {
      done = runner.delete_failed(failed_->object);
    }
  }
  if (done.ok()) {
    done = tidy(runner, failed_->before);
  }
  if (!done.ok()) {
    subject_.context.log.warn(
        "A hook that has ended is not deleted",
        {{"hook", failed_->object.desired.ref.to_string()}, {"error", done.error().message()}});
  }
}

// Nothing is created for a custom resource that is gone, but for its deletion.
base::Status HookStage::allow(HookEvent event) {
  if (event == HookEvent::kPreDelete || event == HookEvent::kPostDelete) {
    return {};
  }
  return live_.confirm_once();
}

// They are stored as done first: one that is gone must not seem to have never run.
base::Status HookStage::tidy(release::HookRunner& runner, const std::vector<HookObject>& objects) {
  if (std::none_of(objects.begin(), objects.end(), [](const HookObject& object) {
        return object.hook.has_policy(release::HookDeletion::kSucceeded);
      })) {
    return {};
  }
  CW_TRY_VOID(live_.write_progress());
  return runner.delete_succeeded(objects);
}

base::Result<std::vector<HookObject>> HookStage::objects_of(const std::vector<release::Hook>& hooks,
                                                            HookEvent event) {
  const std::vector<release::ChildRule> no_rules;
  const release::DesiredContext context{subject_.owner, subject_.owner.release_namespace(),
                                        subject_.watch.bundle.chart_name(), no_rules};
  std::vector<HookObject> objects;
  for (const release::Hook& hook : release::hooks_of(hooks, event)) {
    CW_TRY(const auto documents, records_.parse(hook.text));
    for (const value::Value& document : documents) {
      CW_TRY(const Mapped mapped, definitions_.map_kind(kube::gvk_of(document), {}));
      CW_TRY(auto desired,
             release::make_desired(document, release::Role::kChild, mapped.scope, context));
      const int number = before_ + static_cast<int>(objects.size());
      objects.push_back(
          {hook, std::move(desired), run_name(event, *subject_.state.attempt, number)});
    }
  }
  return objects;
}

// Their events lead here again.
base::Status HookStage::watch(const std::vector<HookObject>& objects) {
  std::vector<kube::Gvk> kinds;
  for (const HookObject& object : objects) {
    if (release::is_waited_for(object.desired.ref.group_kind())) {
      kinds.push_back(object.desired.ref.gvk);
    }
  }
  return subject_.services.caches.watch_children(subject_.owner.ref(), kinds,
                                                 subject_.context.stop);
}

}  // namespace chartwright::op
