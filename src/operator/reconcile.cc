// SPDX-License-Identifier: Apache-2.0
#include "operator/reconcile.h"

#include <functional>
#include <utility>

#include "resource/failure_policy.h"
#include "resource/resync.h"
#include "subject/causes.h"
#include "subject/news.h"
#include "subject/verdicts.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

Reconcile::Reconcile(const bundle::Watch& watch, const Services& services,
                     const runtime::ReconcileContext& context, const Value& cr, CrState& state)
    : state_(state), subject_(watch, services, context, cr, state) {}

runtime::Outcome Reconcile::run() {
  const base::WallTime now = subject_.services.clock.wall();
  if (const auto pause = requested_pause(subject_.cr, now)) {
    return rest(*pause, now);
  }
  parts_.externals.look_back();
  if (kube::is_deleting(subject_.cr)) {
    return uninstall();
  }
  base::Status result = prepare();
  if (!result.ok()) {
    return finish(keep_without_inputs(std::move(result).error()));
  }
  result = look();
  if (result.ok()) {
    const Goal goal = choose();
    if (goal == Goal::kKeep && outside_.ok() && !parts_.goals.has_begun() &&
        !search_is_due(subject_) && parts_.view.is_unchanged()) {
      return come_back();
    }
    result = pursue(goal);
  }
  if (result.ok() && !brought_about_externals_) {
    outside_ = parts_.externals.bring_about();
  }
  if (result.ok() && !parts_.live.lost() && subject_.progress.revision() > 0 &&
      Patches::any(subject_)) {
    phase_ = subject_.progress.revision() == 1 ? Phase::kInstall : Phase::kUpgrade;
    result = parts_.patches.apply();
  }
  if (result.ok() && !outside_.ok()) {
    phase_ = Phase::kExternal;
    result = outside_;
  }
  return finish(result);
}

base::Status Reconcile::look() {
  CW_TRY_VOID(parts_.children.look());
  if (state_.progress.later_record() == LaterRecord::kPossible &&
      parts_.applier.in_sync(Applier::Extent::kDigested)) {
    state_.progress.note_later_record(LaterRecord::kNone);  // It would have changed something.
  }
  return {};
}

Goal Reconcile::choose() {
  const Decision decision = parts_.goals.choose();
  tell_decision(subject_, decision);
  return decision.goal;
}

// The deletion waits, too: it would take the children along.
runtime::Outcome Reconcile::rest(const Pause& pause, base::WallTime now) {
  std::string message = pause.reason;
  if (pause.until) {
    message += "; until " + base::format_rfc3339(*pause.until);
  }
  if (!pause.until_is_valid) {
    message += "; " + std::string(kPausedUntil) +
               " is not a time such as 2030-01-31T12:00:00Z: the pause has no end";
  }
  if (kube::is_deleting(subject_.cr)) {
    message += "; the deletion waits";
  }
  auto written = parts_.live.write_paused(std::move(message));
  if (!written.ok() && !parts_.live.gone()) {
    return LiveResource::unwritten(std::move(written).error());
  }
  if (parts_.live.gone() || !pause.until) {
    return runtime::Done{};
  }
  return runtime::RequeueAfter{*pause.until - now};
}

// Objects outside go first: the children may be needed to reach it.
runtime::Outcome Reconcile::uninstall() {
  if (parts_.uninstall.holds()) {
    base::Status taken = parts_.takeover.run(Takeover::Purpose::kUninstall);
    if (taken.ok()) {
      taken = parts_.takeover.complete_children();
    }
    if (!taken.ok()) {
      return parts_.uninstall.report(taken.error());
    }
  }
  if (parts_.uninstall.holds() && !subject_.state.externals.empty()) {
    if (const base::Status removed = remove_externals(); !removed.ok()) {
      runtime::Outcome outcome = parts_.uninstall.report(removed.error());
      std::get_if<runtime::Failed>(&outcome)->at_most = parts_.externals.patience();
      return outcome;
    }
  }
  return parts_.uninstall.run();
}

base::Status Reconcile::remove_externals() {
  if (!wants_orphans(subject_.cr)) {
    CW_TRY_VOID(parts_.digests.prepare());
  }
  return parts_.externals.remove();
}

// A rollback comes first, and its values decide. Otherwise the chart may need what is captured: it
// is not rendered before there is something to capture.
base::Status Reconcile::bring_about_externals() {
  if (parts_.goals.rollback_is_due()) {
    return {};
  }
  brought_about_externals_ = true;
  const external::Records before = subject_.state.externals;
  outside_ = parts_.externals.bring_about();
  if (parts_.live.lost() || (!outside_.ok() && parts_.externals.lack_ids())) {
    phase_ = Phase::kExternal;
    return outside_;
  }
  if (before == subject_.state.externals) {
    return {};
  }
  return parts_.digests.prepare();
}

base::Result<bool> Reconcile::judge() {
  if (!subject_.watch.bundle.rules.judge_children()) {
    return false;
  }
  phase_ = Phase::kRender;
  return judge_children(subject_, parts_.renders);
}

base::Status Reconcile::prepare() {
  release::end_contests(state_.contests, subject_.state.inventory,
                        subject_.services.clock.monotonic());
  const std::string asked = retry_requests(subject_.cr);
  if (auto& tried = subject_.memories.of<Memory>().retried_left_out; tried != asked) {
    release::retry_left_out(state_.inventory);
    tried = asked;
  }
  state_.rivals = subject_.services.caches.patch_conflicts().about(subject_.owner.ref());
  CW_TRY_VOID(parts_.digests.prepare());
  CW_TRY_VOID(parts_.takeover.run(Takeover::Purpose::kKeep));
  CW_TRY_VOID(parts_.takeover.recognise());
  CW_TRY_VOID(parts_.takeover.trust_history());
  CW_TRY_VOID(parts_.children.review_unconfirmed());
  if (pin_holds(subject_, parts_.inputs)) {
    CW_TRY_VOID(parts_.takeover.confirm_by_cluster());
  }
  CW_TRY(period_, resync_period(subject_.cr, subject_.watch, subject_.services.default_period));
  CW_TRY_VOID(check_known());
  CW_TRY_VOID(parts_.remedy.prepare());
  CW_TRY_VOID(recall_failure());
  return bring_about_externals();
}

// The revision in force has nothing to fear of an answer that is missing. Inputs that differ from
// its own may do so only for that.
base::Status Reconcile::check_known() const {
  if (is_settled_for(subject_, parts_.inputs)) {
    return {};
  }
  return subject_.services.renderer.check_known(subject_.watch.bundle, parts_.inputs.release);
}

// An earlier process may have carried out half of another revision, which looks like drift. To
// repair that would lead back for the moment until the next try, which leads there again. The first
// tries take ten seconds together; but a group that does not answer may be silent for long.
bool Reconcile::is_passing(const Error& error) const {
  constexpr int kTriesInVain = 11;
  return classify(error.code()).activity == Activity::kRetrying &&
         error.reason() != bundle::kUnknownKinds && subject_.context.failures < kTriesInVain;
}

// The revision in force does not depend on inputs that cannot be told.
base::Status Reconcile::keep_without_inputs(Error error) {
  const bool can_keep = subject_.progress.revision() > 0 && !parts_.live.lost() &&
                        !parts_.goals.has_begun() && error.code() != ErrorCode::kCancelled;
  if (!can_keep || is_passing(error)) {
    return error;
  }
  CW_TRY_VOID(look());
  if (parts_.applier.in_sync(Applier::Extent::kAll)) {
    return error;
  }
  if (const base::Status repaired = parts_.drift.repair(); !repaired.ok()) {
    subject_.context.log.warn(
        "The revision in force cannot be repaired, either",
        {{"error", parts_.candidates.secrets().masked(repaired.error()).message()}});
  }
  return error;
}

// After a restart, also with another key: hooks that have failed do not run again by themselves.
base::Status Reconcile::recall_failure() {
  Progress& progress = state_.progress;
  parts_.hooks.tidy_ended();
  if (!progress.failure() && parts_.remedy.rejects_inputs()) {
    recall_rejection();
    return parts_.takeover.confirm_by_cluster();
  }
  if (!progress.has_ended() || progress.failure()) {
    return {};
  }
  CW_TRY(std::optional<Failure> failure, parts_.attempts.ended());
  if (failure) {
    parts_.remedy.reject_ended(*failure);
    progress.fail(*std::move(failure));
    return parts_.takeover.confirm_by_cluster();  // The chart of today will not be rendered.
  }
  forget_ended();
  return {};
}

// It is no longer asked for, or once more: that of a rollback by a request alone.
void Reconcile::forget_ended() {
  const std::string& phase = subject_.progress.attempt()->phase;
  const bool was_rollback = phase == to_string(release::HookEvent::kPreRollback) ||
                            phase == to_string(release::HookEvent::kPostRollback);
  if (was_rollback && is_settled_for(subject_, parts_.inputs)) {
    state_.progress.reopen_rollback();
  }
  state_.progress.drop_attempt();
}

void Reconcile::recall_rejection() {
  Failure failure = *parts_.remedy.failure();
  if (parts_.remedy.is_due() && subject_.progress.has_ended()) {
    failure.error = hook_failure(subject_.progress.attempt()->failure);
    failure.undoing = true;
    failure.retry_at.reset();
  } else if (failure.retry_at) {
    failure.retry_at = base::MonotonicTime();  // At first only dry runs come of it.
  }
  state_.progress.fail(std::move(failure));
}

void Reconcile::note_rejection() {
  if (auto failure = parts_.remedy.failure()) {
    state_.progress.fail(*std::move(failure));
  } else {
    state_.progress.recover();
  }
}

// A child that cannot be judged does not mean that the inputs failed: its next change is another
// attempt. An object in the way of an install may be of a release that goes on here.
base::Status Reconcile::pursue(Goal goal) {
  CW_TRY_DISCARD(judge());
  base::Status result = bring_about(goal);
  bool found_release = parts_.rollout.found_release();
  if (!result.ok() && result.error().code() == ErrorCode::kOwnership) {
    CW_TRY(found_release, parts_.takeover.run_late());
  }
  if (found_release) {
    result = bring_about(choose());  // As an upgrade of it.
  }
  result = parts_.wait.wait_out(std::move(result));
  if (!result.ok() && goal != Goal::kKeep && !parts_.live.lost() && !parts_.wait.waiting()) {
    note_failure(result.error(), goal);
    if (goal == Goal::kRender && parts_.remedy.is_due()) {
      return parts_.wait.wait_for_event("the failed attempt is about to be undone", {});
    }
  }
  return result;
}

void Reconcile::note_failure(const Error& error, Goal goal) {
  Failure failure = failure_of(error);
  failure.undoing = goal == Goal::kUndo;
  if (goal == Goal::kRollback && parts_.hooks.failed()) {
    failure.rollback = requested_rollback(subject_.cr);
  }
  state_.progress.fail(std::move(failure));
  failed_anew_ = true;
}

base::Status Reconcile::bring_about(Goal goal) {
  CW_TRY_VOID(parts_.definitions.release_shared(Evidence::kChart, {}));
  if (goal == Goal::kKeep) {
    if (parts_.goals.has_begun() && pin_holds(subject_, parts_.inputs) && !parts_.remedy.is_due()) {
      CW_TRY_VOID(parts_.attempts.abandon());  // At another rollback, which was withdrawn.
    }
    return keep();
  }
  if (goal == Goal::kUndo) {
    return undo();
  }
  phase_ = Phase::kRender;
  const std::optional<Rollback> rollback = rollback_for(goal);
  CW_TRY(std::optional<Candidate> begun, parts_.attempts.resume(rollback));
  if (!begun && !rollback && parts_.history.has_inputs_in_force(parts_.inputs.digest)) {
    phase_ = phase_of_repair();
    CW_TRY_VOID(
        parts_.drift.repair());  // Changed in vain, and changed back: another render may differ.
    state_.progress.recover();
    return {};
  }
  auto made = begun ? base::Result<Candidate>(*std::move(begun)) : parts_.candidates.make(rollback);
  const bool has_no_target =
      !made.ok() && (is_lost(made.error().code()) || made.error().code() == ErrorCode::kBudget);
  if (has_no_target && goal == Goal::kRollback) {
    parts_.goals.refuse_rollback(made.error());
    return bring_about(choose());
  }
  if (!made.ok()) {
    CW_TRY_VOID(parts_.takeover.confirm_by_cluster());  // So that it can be repaired at least.
    return keep_without_inputs(std::move(made).error());
  }
  Candidate candidate = *std::move(made);
  CW_TRY_VOID(parts_.history.compare_values(candidate));
  return deploy(candidate, goal);
}

base::Status Reconcile::deploy(const Candidate& candidate, Goal goal) {
  phase_ = subject_.progress.revision() == 0 ? Phase::kInstall : Phase::kUpgrade;
  CW_TRY_VOID(parts_.takeover.compare(candidate));
  if (parts_.takeover.keeps(candidate)) {
    return keep_taken_over(candidate);
  }
  CW_TRY(const bool worth_while, is_worth_while(candidate));
  if (!worth_while) {
    note_rejection();
    return {};
  }
  if (goal == Goal::kRender && !parts_.history.is_in_force(candidate)) {
    CW_TRY_VOID(foresee(candidate));
    warn_of_overrides();
  }
  CW_TRY_VOID(apply(candidate));
  state_.progress.recover();
  return {};
}

// A chart that the API server would refuse counts as one that does not render: it changes for many
// custom resources at once, and none of them has asked for it. Of a new spec, what can be applied
// is applied, as its author expects.
base::Status Reconcile::foresee(const Candidate& candidate) {
  const CrState& state = subject_.state;
  const bool is_asked_for = state.deployed_generation != kube::generation_of(subject_.cr);
  if (state.progress.revision() == 0 || is_asked_for || parts_.goals.has_begun() ||
      parts_.remedy.rejects_inputs()) {
    return {};
  }
  const Phase next = std::exchange(phase_, Phase::kRender);
  auto desired = parts_.applier.desired_from(candidate);
  base::Status foreseen = desired.ok()
                              ? parts_.applier.rehearse(*desired, release::Foresight::kCertain)
                              : std::move(desired).error();
  if (!foreseen.ok()) {
    return keep_without_inputs(std::move(foreseen).error());
  }
  phase_ = next;
  return {};
}

// Helm needs no finalizer for what garbage collection cannot reach.
base::Status Reconcile::keep_taken_over(const Candidate& candidate) {
  CW_TRY(const auto desired, parts_.applier.desired_from(candidate));
  CW_TRY_VOID(parts_.uninstall.ensure_finalizer(desired, candidate.hooks));
  state_.progress.note_inputs(candidate.inputs);
  state_.lookups = candidate.lookups;
  phase_ = phase_of_repair();
  return parts_.drift.repair();
}

// The pin is written before the first effect.
base::Status Reconcile::undo() {
  CW_TRY_VOID(parts_.live.write_progress());
  phase_ = subject_.progress.revision() == 0 ? Phase::kInstall : Phase::kUpgrade;
  CW_TRY(const std::optional<Rollback> rollback, parts_.remedy.rollback());
  if (rollback) {
    CW_TRY(std::optional<Candidate> begun, parts_.attempts.resume(rollback));
    CW_TRY(const Candidate candidate, begun ? *std::move(begun) : parts_.candidates.make(rollback));
    CW_TRY_VOID(apply(candidate));
  } else {
    CW_TRY_VOID(parts_.remedy.uninstall());
  }
  note_rejection();
  return {};
}

std::optional<Rollback> Reconcile::rollback_for(Goal goal) const {
  if (goal != Goal::kRollback) {
    return std::nullopt;
  }
  return Rollback{requested_rollback(subject_.cr)};
}

// Users see why a chart does not do what their spec says.
// Source: operator-framework/operator-sdk internal/helm/controller/reconcile.go.
void Reconcile::warn_of_overrides() const {
  for (const auto& [key, text] : subject_.watch.override_values) {
    tell_override(subject_, key, text);
  }
}

base::Status Reconcile::apply(const Candidate& candidate) {
  base::Status result = parts_.rollout.run(candidate);
  if (!result.ok() && !parts_.live.lost() && !parts_.wait.waiting()) {
    const Failure failure = failure_of(result.error());
    CW_TRY_VOID(parts_.remedy.reject(candidate, failure));
    hold(failure);
  }
  return result;
}

// The error of the attempt is the one to report.
void Reconcile::hold(const Failure& failure) {
  if (classify(failure).activity != Activity::kStalled) {
    return;
  }
  if (const base::Status held = parts_.history.hold(failure.error); !held.ok()) {
    subject_.context.log.warn("The record of a failed attempt does not say so",
                              {{"error", held.error().message()}});
  }
}

// Inputs that have failed are tried again once the API server would take what they give.
base::Result<bool> Reconcile::is_worth_while(const Candidate& candidate) {
  if (candidate.rollback || !parts_.remedy.rejects_inputs()) {
    return true;
  }
  CW_TRY(const auto desired, parts_.applier.desired_from(candidate));
  return parts_.remedy.accepts(desired);
}

// After the API server has refused part of a new manifest, the other part stays, and drift is
// repaired to the same manifest: only a wish of the user leads back.
base::Status Reconcile::keep() {
  const std::optional<Failure>& failure = subject_.progress.failure();
  const bool is_half_applied = failure && failure->half_applied &&
                               failure->attempt == parts_.inputs.attempt &&
                               classify(*failure).retry == runtime::Retry::kLater;
  if (!is_half_applied) {
    return keep_in_force();
  }
  if (parts_.applier.in_sync(Applier::Extent::kApplied)) {
    return {};
  }
  return bring_about(failure->undoing ? Goal::kUndo : Goal::kRender);
}

// A repair beside an attempt that has failed, or is being undone, is part of that.
Phase Reconcile::phase_of_repair() const {
  const Progress& progress = state_.progress;
  return progress.failure() || progress.is_undoing() ? Phase::kUpgrade : Phase::kRepair;
}

base::Status Reconcile::keep_in_force() {
  if (subject_.progress.revision() == 0) {
    return {};  // The first attempt failed for good; its error is in the status.
  }
  phase_ = phase_of_repair();
  return parts_.drift.keep();
}

runtime::Outcome Reconcile::finish(base::Status result) {
  if (parts_.live.lost()) {
    return parts_.live.farewell();
  }
  if (parts_.applier.left_out_anew() || parts_.candidates.rendered()) {
    parts_.places.name();  // Another chart has other lines.
  }
  if (parts_.wait.waiting()) {
    return come_back_soon();
  }
  if (result.ok() || result.error().code() != ErrorCode::kTimeout) {
    parts_.wait.end();
  }
  if (result.ok()) {
    auto changed = judge();  // New children, too.
    if (changed.ok()) {
      vacated_ = *changed;
    } else {
      result = std::move(changed).error();
    }
  }
  auto author = author_status();
  if (result.ok() && !author.ok()) {
    phase_ = Phase::kRender;
    result = author.error();
  }
  StatusReport report;
  report.failure = result.ok() ? subject_.progress.failure() : failure_of(result.error());
  // Not so if the children cannot be judged, or their status cannot be made.
  report.leaves_revision = (result.ok() || failed_anew_) && subject_.progress.failure() &&
                           subject_.progress.failure()->before_apply();
  const Classification class_of =
      report.failure ? classify(*report.failure) : Classification{Activity::kSettled, {}};
  report.activity = class_of.activity;
  report.author = std::move(author).value_or(Value());
  if (result.ok()) {
    search_causes(subject_);
  }
  auto written = parts_.live.write_status(report);
  if (parts_.live.lost()) {
    return parts_.live.farewell();  // There is no custom resource of ours to report an error of.
  }
  if (!result.ok()) {
    if (phase_ == Phase::kExternal) {  // No event says that a server is back.
      return runtime::Failed{report.failure->error, runtime::Retry::kBackoff,
                             parts_.externals.patience()};
    }
    return outcome_of(*report.failure, subject_.services.clock.monotonic(), due_in());
  }
  if (!written.ok()) {
    return LiveResource::unwritten(std::move(written).error());
  }
  parts_.view.mark_converged();
  parts_.children.end_unused_watches();
  state_.progress.note_later_record(LaterRecord::kNone);
  state_.seems_restored = false;
  return come_back();
}

base::Result<Value> Reconcile::author_status() {
  if (subject_.progress.revision() == 0 || !subject_.watch.bundle.status_template) {
    return Value();
  }
  CW_TRY(const Value* data, parts_.view.scope());  // Its last use: the template may write into it.
  return parts_.renders.run(host::Source::kOperatorFolder, [this, data] {
    return subject_.services.renderer.render_status(subject_.watch.bundle, *data);
  });
}

runtime::Outcome Reconcile::come_back() {
  std::optional<base::Duration> due = due_in();
  if (vacated_) {
    due = base::Duration::zero();
  }
  return due ? runtime::Outcome(runtime::RequeueAfter{*due}) : runtime::Outcome(runtime::Done{});
}

std::optional<base::Duration> Reconcile::due_in() {
  constexpr base::Duration kPaceCheck = std::chrono::seconds(1);
  constexpr base::Duration kPoll = std::chrono::seconds(5);
  constexpr base::Duration kNever = base::Duration::max();
  base::Duration due = std::min(parts_.externals.due_in().value_or(kNever),
                                next_replacement(subject_).value_or(kNever));
  due = std::min(due, next_search(subject_).value_or(kNever));
  const base::MonotonicTime now = subject_.services.clock.monotonic();
  due = std::min(due, release::next_of(subject_.state.contests, now).value_or(kNever));
  if (parts_.applier.set_in_motion()) {
    due = std::min(due, kPaceCheck);
  }
  if (parts_.children.needs_poll()) {
    due = std::min(due, kPoll);
  }
  if (period_ > base::Duration::zero()) {
    due = std::min(due, spread_period(period_, subject_.owner.uid));
  }
  if (const auto& failure = subject_.progress.failure(); failure && failure->retry_at) {
    const base::Duration left = *failure->retry_at - now;
    due = left > base::Duration::zero() ? std::min(due, left) : due;
  }
  return due == kNever ? std::nullopt : std::optional(due);
}

// A failure of an earlier reconcile is not reported: this one got further.
runtime::Outcome Reconcile::come_back_soon() {
  auto written = parts_.live.write_status({.activity = Activity::kWorking,
                                           .waiting = *parts_.wait.waiting(),
                                           .waiting_cause = parts_.wait.cause(),
                                           .author = author_status().value_or(Value())});
  if (parts_.live.gone()) {
    return runtime::Done{};
  }
  if (!written.ok()) {
    return LiveResource::unwritten(std::move(written).error());
  }
  return runtime::RequeueAfter{parts_.wait.pace()};
}

Failure Reconcile::failure_of(const Error& error) const {
  Failure failure{parts_.renders.set_aside() ? Phase::kSetAside : phase_,
                  parts_.candidates.secrets().masked(error), parts_.inputs.attempt,
                  parts_.candidates.looked_up(), parts_.rollout.is_half_done()};
  failure.retry_at = retry_time(failure, subject_.services.clock.monotonic(), subject_.owner.uid);
  parts_.remedy.explain(failure);
  return failure;
}

}  // namespace chartwright::op
