// SPDX-License-Identifier: Apache-2.0
#include "release/hook_runner.h"

#include <algorithm>
#include <utility>

#include "release/definition.h"
#include "release/small_writes.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

bool is_of_run(const Value& object, const std::string& run) {
  return kube::annotation_of(object, kHookRunAnnotation) == run;
}

HookOutcome running(const kube::ObjectRef& ref, const std::string& state) {
  return {HookState::kRunning, ref.to_string() + (state.empty() ? "" : ": " + state)};
}

HookOutcome failed(const kube::ObjectRef& ref, const std::string& state) {
  return {HookState::kFailed, ref.to_string() + " " + state};
}

}  // namespace

HookRunner::HookRunner(kube::Client& client, const kube::Call& call, const base::Clock& clock,
                       const Owner& owner, Options options)
    : client_(client), call_(call), clock_(clock), owner_(owner), options_(std::move(options)) {}

base::Result<HookOutcome> HookRunner::run(const std::vector<HookObject>& hooks, int first,
                                          HookProgress& progress) {
  for (auto i = static_cast<size_t>(std::max(progress.done - first, 0)); i < hooks.size(); ++i) {
    CW_TRY(HookOutcome outcome, step(hooks[i], progress));
    if (outcome.state != HookState::kSucceeded) {
      return outcome;
    }
    progress = {first + static_cast<int>(i) + 1, "", {}};
  }
  return HookOutcome();
}

base::Result<HookOutcome> HookRunner::step(const HookObject& hook, HookProgress& progress) {
  if (!progress.waits_since) {
    progress.waits_since = clock_.monotonic();
  }
  if (progress.uid.empty()) {
    return begin(hook, progress);
  }
  return follow(hook, progress);
}

base::Result<HookOutcome> HookRunner::begin(const HookObject& hook, HookProgress& progress) {
  CW_TRY_VOID(options_.may_create());
  Value body = value::deep_copy(hook.desired.body);
  set_annotation(body, kHookRunAnnotation, hook.run);
  kube::WriteOptions options = short_reply();
  options.field_manager = field_manager_of(owner_);
  auto created = client_.create(body, options, call_);
  if (!created.ok() && created.error().code() == ErrorCode::kAlreadyExists) {
    return meet(hook, progress);
  }
  if (!created.ok()) {
    return std::move(created).error().wrap(hook.desired.ref.to_string());
  }
  if (!is_waited_for(hook.desired.ref.group_kind())) {
    return HookOutcome();
  }
  progress.uid = kube::uid_of(*created);
  progress.started_at = clock_.wall();
  progress.waits_since = clock_.monotonic();
  return running(hook.desired.ref, "");
}

// An object of that name is of this run, of an earlier one, or of somebody else.
base::Result<HookOutcome> HookRunner::meet(const HookObject& hook, HookProgress& progress) {
  const kube::ObjectRef& ref = hook.desired.ref;
  auto live = client_.get(ref, call_);
  if (!live.ok() && live.error().code() == ErrorCode::kNotFound) {
    return running(ref, "an earlier one is gone");
  }
  CW_TRY(const Value object, std::move(live));
  if (is_of_run(object, hook.run)) {
    progress.uid = kube::uid_of(object);
    progress.started_at = base::parse_rfc3339(object.string_at({"metadata", "creationTimestamp"}))
                              .value_or(clock_.wall());
    progress.waits_since = clock_.monotonic();
    return follow(hook, progress);
  }
  if (claim_on(object, owner_) != Claim::kOurs) {
    return Error(ErrorCode::kOwnership,
                 "hook " + ref.to_string() +
                     " exists and is not of this release: delete it, or choose another name");
  }
  if (!hook.hook.has_policy(HookDeletion::kBeforeCreation)) {
    return failed(ref,
                  "exists from an earlier run, and the annotation "
                  "helm.sh/hook-delete-policy does not have it deleted");
  }
  if (!kube::is_deleting(object)) {
    CW_TRY_VOID(remove(ref, object));
  }
  if (progress.started_at == base::WallTime()) {
    progress.started_at = clock_.wall();
  }
  if (is_late(progress)) {  // A finalizer may hold it for ever.
    return failed(ref, "has not begun within " + base::format_go_duration(options_.timeout) +
                           ": an earlier one is being deleted");
  }
  return running(ref, "an earlier one is being deleted");
}

base::Result<HookOutcome> HookRunner::follow(const HookObject& hook, const HookProgress& progress) {
  const kube::ObjectRef& ref = hook.desired.ref;
  auto live = client_.get(ref, call_);
  if (!live.ok() && live.error().code() != ErrorCode::kNotFound) {
    return std::move(live).error();
  }
  if (!live.ok() || kube::uid_of(*live) != progress.uid) {
    return failed(ref, "was deleted before its result was seen");
  }
  const HookVerdict verdict = judge_hook(*live);
  if (verdict.state == HookState::kFailed) {
    return failed(ref, "failed" + (verdict.message.empty() ? "" : ": " + verdict.message));
  }
  if (verdict.state == HookState::kRunning && is_late(progress)) {
    return failed(ref, "has not finished within " + base::format_go_duration(options_.timeout) +
                           ": " + verdict.message);
  }
  if (verdict.state == HookState::kRunning) {
    return running(ref, verdict.message);
  }
  return HookOutcome();
}

// The stored time is of no use: somebody may have set the clock since, and that of another machine
// may be wrong. A hook that a restart finds running has its time once more.
bool HookRunner::is_late(const HookProgress& progress) const {
  return clock_.monotonic() - *progress.waits_since >= options_.timeout;
}

base::Status HookRunner::delete_failed(const HookObject& hook) {
  if (!hook.hook.has_policy(HookDeletion::kFailed)) {
    return {};
  }
  return remove(hook);
}

base::Status HookRunner::delete_succeeded(const std::vector<HookObject>& hooks) {
  for (auto one = hooks.rbegin(); one != hooks.rend(); ++one) {
    if (one->hook.has_policy(HookDeletion::kSucceeded) &&
        !is_definition(one->desired.ref.group_kind())) {
      CW_TRY_VOID(remove(*one));
    }
  }
  return {};
}

// Whatever others have put in its place stays.
base::Status HookRunner::remove(const HookObject& hook) {
  const kube::ObjectRef& ref = hook.desired.ref;
  auto live = client_.get(ref, call_);
  if (!live.ok() && live.error().code() != ErrorCode::kNotFound) {
    return std::move(live).error();
  }
  if (!live.ok() || !is_of_run(*live, hook.run) || kube::is_deleting(*live)) {
    return {};
  }
  return remove(ref, *live);
}

base::Status HookRunner::remove(const kube::ObjectRef& ref, const Value& live) {
  kube::DeleteOptions options;
  options.uid = kube::uid_of(live);
  CW_TRY_DISCARD(remove_exact(client_, ref, options, call_));
  return {};
}

}  // namespace chartwright::release
