// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "base/digest.h"

namespace chartwright::runtime {
namespace {

using base::Error;
using base::ErrorCode;
using kube::ObjectRef;

Counted counted(const Outcome& outcome) {
  if (const auto* failed = std::get_if<Failed>(&outcome)) {
    return failed->retry == Retry::kNever ? Counted::kTerminalError : Counted::kError;
  }
  return std::holds_alternative<Done>(outcome) ? Counted::kSuccess : Counted::kRequeueAfter;
}

}  // namespace

Controller::Controller(ControllerOptions options, Reconciler& reconciler,
                       const ControllerServices& services)
    : options_(std::move(options)),
      reconciler_(reconciler),
      clock_(services.clock),
      activity_(services.activity),
      log_(services.log.with({{"controller", options_.name}})),
      metrics_(services.metrics, options_.name, options_.workers),
      queue_(services.clock, metrics_.queue_hooks()),
      backoff_(options_.backoff, base::random_seed()) {}

Controller::~Controller() { stop_now(); }

void Controller::start(std::stop_token stop) {
  CW_CHECK(threads_.empty());
  for (int i = 0; i < options_.workers; ++i) {
    threads_.emplace_back("worker:" + std::to_string(i), base::kRenderStackBytes,
                          [this, stop] { work(stop); });
  }
}

void Controller::drain() {
  queue_.shut_down();
  threads_.clear();  // Joins each thread.
}

void Controller::stop_now() {
  queue_.shut_down_now();
  threads_.clear();
}

void Controller::work(const std::stop_token& stop) {
  while (const auto key = queue_.get()) {
    metrics_.active_workers(+1);
    run_one(*key, stop);
    metrics_.active_workers(-1);
    queue_.done(*key);
    if (activity_ != nullptr) {
      activity_->note();
    }
  }
}

void Controller::run_one(const ObjectRef& key, const std::stop_token& stop) {
  // Like controller-runtime's reconcileID.
  std::array<uint8_t, 16> chance{};
  static_cast<void>(
      base::fill_random(chance));  // On failure the ids are equal, which affects only logs.
  const std::string id = base::uuid_v4(chance);
  const ReconcileContext context{
      stop, log_.with({{"namespace", key.ns}, {"name", key.name}, {"reconcile_id", id}}), id,
      backoff_.failures(key)};
  const base::MonotonicTime started = clock_.monotonic();
  const Outcome outcome = contain(key, context);
  metrics_.reconciled(counted(outcome), clock_.monotonic() - started);
  settle(key, outcome, context);
}

Outcome Controller::contain(const ObjectRef& key, const ReconcileContext& context) {
  // A safety net: our code does not throw across modules, but a library or bad_alloc may, and one
  // object must not end the process.
  try {
    return reconciler_.reconcile(key, context);
  } catch (const std::exception& e) {
    metrics_.panicked();
    return Failed{Error(ErrorCode::kInternal, std::string("unexpected exception: ") + e.what())};
  } catch (...) {
    metrics_.panicked();
    return Failed{Error(ErrorCode::kInternal, "unexpected exception")};
  }
}

base::Duration Controller::delay_of(const ObjectRef& key, const Failed& failed) {
  if (failed.retry == Retry::kLater) {
    backoff_.forget(key);
    return failed.later;
  }
  const base::Duration asked = std::chrono::seconds(failed.error.retry_after_s());
  return std::max(backoff_.next(key, failed.at_most), asked);
}

void Controller::forget_failures(const ObjectRef& key) {
  backoff_.forget(key);
  news_.forget(key);
}

void Controller::settle(const ObjectRef& key, const Outcome& outcome,
                        const ReconcileContext& context) {
  if (const auto* later = std::get_if<RequeueAfter>(&outcome)) {
    forget_failures(key);
    queue_.add_after(key, later->delay);
    return;
  }
  const auto* failed = std::get_if<Failed>(&outcome);
  if (failed == nullptr) {
    forget_failures(key);
    return;
  }
  if (failed->error.code() == ErrorCode::kCancelled && context.stop.stop_requested()) {
    return;  // Not a failure of the key, and no retry follows.
  }
  if (failed->retry == Retry::kNever) {
    context.log.error("Reconciler error", failed->error, {{"retry", false}});
    forget_failures(key);
    if (failed->later > base::Duration::zero()) {
      queue_.add_after(key, failed->later);
    }
    return;
  }
  const base::Duration delay = delay_of(key, *failed);
  if (news_.is_due(key, failed->error.to_string(), clock_.monotonic())) {
    context.log.error("Reconciler error", failed->error,
                      {{"retry_in_s", std::chrono::duration<double>(delay).count()}});
  }
  metrics_.retried();
  queue_.add_after(key, delay);
}

}  // namespace chartwright::runtime
