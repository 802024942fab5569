// SPDX-License-Identifier: Apache-2.0
// The end of a pass: what was found becomes the status and the outcome.
#include <utility>

#include "operator/annotations.h"
#include "operator/failure.h"
#include "operator/reconcile.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

base::Result<base::Duration> resync_period(const Value& cr, const bundle::Watch& watch,
                                           base::Duration fallback) {
  const auto annotation = kube::annotation_of(cr, kReconcilePeriod);
  if (!annotation) {
    return watch.reconcile_period.value_or(fallback);
  }
  auto period = base::parse_go_duration(*annotation);
  if (!period.ok()) {
    return Error(ErrorCode::kInvalidArgument,
                 std::string(kReconcilePeriod) + ": " + period.error().message());
  }
  return period;
}

std::vector<ChildState> Reconcile::child_states() const {
  std::vector<ChildState> states;
  for (const auto& [ref, entry] : state_.inventory) {
    if (entry.role != release::Role::kChild) {
      continue;
    }
    ChildState child{ref, release::ReadyState::kProgressing, "not there yet"};
    if (auto live = services_.caches.live(ref)) {
      child.state = live->ready_state();
      child.message = live->ready_message();
    }
    states.push_back(std::move(child));
  }
  return states;
}

base::Result<Value> Reconcile::author_status() {
  if (state_.revision == 0 || !watch_.bundle.status_template) {
    return Value();
  }
  CW_TRY(const Value* data, scope());  // This is its last use: the template may write into it.
  return in_turn(host::Material::kOperatorFolder,
                 [this, data] { return services_.renderer.render_status(watch_.bundle, *data); });
}

runtime::Outcome Reconcile::finish(base::Status result) {
  if (gone_) {
    return runtime::Done{};
  }
  if (waiting_) {
    return come_back_soon();
  }
  if (result.ok() || result.error().code() != ErrorCode::kTimeout) {
    state_.waiting_since.reset();
  }
  auto author = author_status();
  if (result.ok() && !author.ok()) {
    phase_ = Phase::kRender;
    result = author.error();
  }
  std::optional<Failure> failure = state_.failure;
  if (!result.ok()) {
    failure = failure_of(result.error());
  }
  const Classification class_of =
      failure ? classify(failure->error.code()) : Classification{Progress::kSettled, {}};
  auto written = write_status(class_of.progress, std::move(author).value_or(Value()), failure);
  if (gone_) {
    return runtime::Done{};  // Whatever went wrong went wrong for nobody.
  }
  if (!result.ok()) {
    return runtime::Failed{failure->error, class_of.retry};
  }
  if (!written.ok()) {
    return runtime::Failed{std::move(written).error(), runtime::Retry::kBackoff};
  }
  state_.last_converged = fingerprint_;
  return come_back();
}

// Where an earlier pass failed, this one is further: what it waits for is what is told.
runtime::Outcome Reconcile::come_back_soon() {
  auto written = write_status(Progress::kWorking, author_status().value_or(Value()), std::nullopt);
  if (gone_) {
    return runtime::Done{};
  }
  if (!written.ok()) {
    return runtime::Failed{std::move(written).error(), runtime::Retry::kBackoff};
  }
  return runtime::RequeueAfter{pace()};
}

Failure Reconcile::failure_of(const Error& error) const {
  return {turn_.set_aside() ? Phase::kSetAside : phase_, secrets_.masked(error), attempt_};
}

runtime::Outcome Reconcile::come_back() const {
  return period_ > base::Duration::zero() ? runtime::Outcome(runtime::RequeueAfter{period_})
                                          : runtime::Outcome(runtime::Done{});
}

base::Status Reconcile::write_status(Progress progress, const Value& author,
                                     const std::optional<Failure>& failure) {
  StatusInput input;
  input.generation = kube::generation_of(cr_);
  input.progress = progress;
  input.waiting = waiting_.value_or("");
  input.children = child_states();
  input.author = author;
  input.failure = failure;
  input.now = services_.clock.wall();
  input.previous = state_.status.unpack();
  Value status = build_status(state_, input);
  if (!status_differs(input.previous, status)) {
    return {};
  }
  auto applied = apply_status(status);
  if (!applied.ok() && applied.error().code() == ErrorCode::kConflict) {
    CW_TRY_VOID(confirm_alive());  // Somebody wrote meanwhile; now we know the version.
    applied = apply_status(status);
  }
  if (applied.ok()) {
    state_.status = value::Packed(status);
    state_.version = kube::resource_version_of(applied->object);
    seen_alive_ = true;
    return {};
  }
  if (applied.error().code() == ErrorCode::kNotFound) {
    return gone();  // Its deletion is on its way to us, and there is nobody left to tell.
  }
  return std::move(applied).error().wrap("write status");
}

// Over the version that we know, and only over that: the API server ignores a uid in the status of
// a custom resource, and one made anew under the same name must not inherit what we say of this
// one.
base::Result<kube::Applied> Reconcile::apply_status(const Value& status) {
  Value metadata = Value::dict({{"name", Value::string(owner_.name)},
                                {"uid", Value::string(owner_.uid)},
                                {"resourceVersion", Value::string(newest_version())}});
  if (!owner_.ns.empty()) {
    metadata.mutable_dict().set("namespace", Value::string(owner_.ns));
  }
  const Value body = Value::dict({{"apiVersion", Value::string(owner_.gvk.api_version())},
                                  {"kind", Value::string(owner_.gvk.kind)},
                                  {"metadata", metadata},
                                  {"status", status}});
  kube::ApplyOptions options;
  options.field_manager = release::kFieldManager;
  options.force = kube::Force::kYes;
  options.subresource = kube::Subresource::kStatus;
  options.reply = kube::Reply::kMetadata;
  return services_.client.apply(body, options, call_);
}

// Our last write may not have come back on the watch yet.
std::string Reconcile::newest_version() const {
  const std::string_view cached = kube::resource_version_of(cr_);
  const auto order = kube::compare_resource_versions(cached, state_.version);
  const bool ours_is_newer = order && *order == std::strong_ordering::less;
  return ours_is_newer ? state_.version : std::string(cached);
}

}  // namespace chartwright::op
