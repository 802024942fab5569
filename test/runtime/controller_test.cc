// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "test/base/manual_clock.h"

namespace chartwright::runtime {
namespace {

using base::Error;
using base::ErrorCode;
using kube::ObjectRef;
using std::chrono::milliseconds;
using std::chrono::seconds;

ObjectRef key(const std::string& name) { return {{"x.io", "v1", "X"}, "n", name}; }

/// A reconciler that does what the test says and lets the test wait for it.
class TestReconciler final : public Reconciler {
 public:
  using Body = std::function<Outcome(const ObjectRef& key, const ReconcileContext& context)>;
  explicit TestReconciler(Body body) : body_(std::move(body)) {}

  Outcome reconcile(const ObjectRef& key, const ReconcileContext& context) override {
    {
      base::MutexLock lock(mutex_);
      ++started_;
      changed_.notify_all();
    }
    return body_(key, context);
  }
  void await_started(int count) {
    base::MutexLock lock(mutex_);
    while (started_ < count) {
      changed_.wait(mutex_);
    }
  }
  int started() {
    base::MutexLock lock(mutex_);
    return started_;
  }

 private:
  const Body body_;
  base::Mutex mutex_;
  base::CondVar changed_;
  int started_ CW_GUARDED_BY(mutex_) = 0;
};

struct Fixture {
  explicit Fixture(TestReconciler::Body body, int workers = 1)
      : reconciler(std::move(body)),
        controller(options(workers), reconciler, {clock, metrics, log}) {}

  static ControllerOptions options(int workers) {
    ControllerOptions options;
    options.name = "x-controller";
    options.workers = workers;
    return options;
  }
  bool exposes(const std::string& line) {
    return metrics.expose().find(line + "\n") != std::string::npos;
  }
  /// The log so far; read only when no worker runs.
  std::string logged;

  base::ManualClock clock;
  base::Metrics metrics;
  base::Logger log{{base::LogLevel::kInfo}, clock, [this](std::string_view line) {
                     base::MutexLock lock(log_mutex);
                     logged += line;
                   }};
  base::Mutex log_mutex;
  TestReconciler reconciler;
  std::stop_source stop;
  Controller controller;
};

TEST_CASE("Keys queued before the start are reconciled after it") {
  std::atomic<int> runs{0};
  Fixture test([&](const ObjectRef& ref, const ReconcileContext& context) -> Outcome {
    runs += ref == key("a") && context.reconcile_id.size() == 36 ? 1 : 0;
    return Done{};
  });
  test.controller.queue().add(key("a"));
  CHECK(test.exposes(R"(workqueue_depth{controller="x-controller",name="x-controller"} 1)"));
  test.controller.start(test.stop.get_token());
  test.reconciler.await_started(1);
  test.controller.stop_now();
  CHECK(runs == 1);
  CHECK(test.exposes(
      R"(controller_runtime_reconcile_total{controller="x-controller",result="success"} 1)"));
  CHECK(test.exposes(
      R"(controller_runtime_reconcile_total{controller="x-controller",result="error"} 0)"));
  CHECK(test.exposes(R"(controller_runtime_active_workers{controller="x-controller"} 0)"));
  CHECK(test.exposes(R"(workqueue_depth{controller="x-controller",name="x-controller"} 0)"));
}

TEST_CASE("A failed key comes back with a growing delay until it succeeds") {
  std::vector<int> failures;
  Fixture test([&](const ObjectRef&, const ReconcileContext& context) -> Outcome {
    failures.push_back(context.failures);
    if (failures.size() < 3 || failures.size() == 4) {
      return Failed{Error(ErrorCode::kUnavailable, "down")};
    }
    return Done{};
  });
  test.controller.queue().add(key("a"));
  test.controller.start(test.stop.get_token());
  test.clock.await_waiters(1);
  test.clock.advance(milliseconds(3));
  CHECK(test.reconciler.started() == 1);
  test.clock.await_waiters(1);
  test.clock.advance(milliseconds(2));
  test.reconciler.await_started(2);
  test.clock.await_waiters(1);
  test.clock.advance(milliseconds(10));
  test.reconciler.await_started(3);
  // Success reset the failures: the next one waits 5 ms again.
  test.controller.queue().add(key("a"));
  test.reconciler.await_started(4);
  test.clock.await_waiters(1);
  test.clock.advance(milliseconds(5));
  test.reconciler.await_started(5);
  test.controller.stop_now();
  CHECK(failures == std::vector<int>{0, 1, 2, 0, 1});
  CHECK(test.exposes(R"(controller_runtime_reconcile_errors_total{controller="x-controller"} 3)"));
  CHECK(
      test.exposes(R"(workqueue_retries_total{controller="x-controller",name="x-controller"} 3)"));
  CHECK(test.logged.find("Reconciler error") != std::string::npos);
  CHECK(test.logged.find("\"name\":\"a\"") != std::string::npos);
}

TEST_CASE("A Retry-After that is longer than the backoff is honoured") {
  Fixture test([](const ObjectRef&, const ReconcileContext&) -> Outcome {
    return Failed{Error(ErrorCode::kTooManyRequests, "busy").with_retry_after(3)};
  });
  test.controller.queue().add(key("a"));
  test.controller.start(test.stop.get_token());
  test.clock.await_waiters(1);
  test.clock.advance(milliseconds(2999));
  test.clock.await_waiters(1);
  CHECK(test.reconciler.started() == 1);
  test.clock.advance(milliseconds(1));
  test.reconciler.await_started(2);
}

TEST_CASE("A failure that trying cannot fix waits for the next event") {
  Fixture test([](const ObjectRef&, const ReconcileContext&) -> Outcome {
    return Failed{Error(ErrorCode::kTemplate, "broken"), Retry::kNever};
  });
  test.controller.queue().add(key("a"));
  test.controller.start(test.stop.get_token());
  test.reconciler.await_started(1);
  test.controller.queue().add(key("a"));
  test.reconciler.await_started(2);
  test.clock.advance(std::chrono::hours(1));
  test.controller.stop_now();
  CHECK(test.reconciler.started() == 2);
  CHECK(test.exposes(
      R"(controller_runtime_terminal_reconcile_errors_total{controller="x-controller"} 2)"));
}

TEST_CASE("A failure that trying cannot fix delays nothing else that is due") {
  Fixture test([](const ObjectRef&, const ReconcileContext&) -> Outcome {
    return Failed{.error = Error(ErrorCode::kTemplate, "broken"),
                  .retry = Retry::kNever,
                  .later = std::chrono::seconds(30)};
  });
  test.controller.queue().add(key("a"));
  test.controller.start(test.stop.get_token());
  test.clock.await_waiters(1);
  test.clock.advance(std::chrono::seconds(30));
  test.reconciler.await_started(2);
  CHECK(
      test.exposes(R"(workqueue_retries_total{controller="x-controller",name="x-controller"} 0)"));
}

TEST_CASE("A failure that only something unseen can settle is tried again at its own slow pace") {
  Fixture test([](const ObjectRef&, const ReconcileContext&) -> Outcome {
    return Failed{.error = Error(ErrorCode::kInvalid, "denied"),
                  .retry = Retry::kLater,
                  .later = std::chrono::minutes(3)};
  });
  test.controller.queue().add(key("a"));
  test.controller.start(test.stop.get_token());
  for (int tries = 1; tries < 4; ++tries) {  // The pace stays.
    test.clock.await_waiters(1);
    test.clock.advance(std::chrono::minutes(3) - milliseconds(1));
    test.clock.await_waiters(1);
    CHECK(test.reconciler.started() == tries);
    test.clock.advance(milliseconds(1));
    test.reconciler.await_started(tries + 1);
  }
}

TEST_CASE("A key may ask to come back later") {
  Fixture test([](const ObjectRef&, const ReconcileContext&) -> Outcome {
    return RequeueAfter{seconds(60)};
  });
  test.controller.queue().add(key("a"));
  test.controller.start(test.stop.get_token());
  test.clock.await_waiters(1);
  test.clock.advance(seconds(60));
  test.reconciler.await_started(2);
  test.controller.stop_now();
  CHECK(test.exposes(
      R"(controller_runtime_reconcile_total{controller="x-controller",result="requeue_after"} 2)"));
}

TEST_CASE("An exception is counted and retried, and the worker lives on") {
  std::atomic<int> others{0};
  Fixture test([&](const ObjectRef& ref, const ReconcileContext&) -> Outcome {
    if (ref.name == "bad") {
      throw std::runtime_error("boom");
    }
    ++others;
    return Done{};
  });
  test.controller.queue().add(key("bad"));
  test.controller.queue().add(key("good"));
  test.controller.start(test.stop.get_token());
  test.reconciler.await_started(2);
  test.clock.await_waiters(1);
  test.clock.advance(milliseconds(5));
  test.reconciler.await_started(3);
  test.controller.stop_now();
  CHECK(others == 1);
  CHECK(test.exposes(R"(controller_runtime_reconcile_panics_total{controller="x-controller"} 2)"));
  CHECK(test.logged.find("boom") != std::string::npos);
}

TEST_CASE("Two workers never handle one key at the same time") {
  std::atomic<int> busy{0};
  std::atomic<int> most{0};
  std::atomic<int> same_key{0};
  std::atomic<int> violations{0};
  Fixture test(
      [&](const ObjectRef& ref, const ReconcileContext&) -> Outcome {
        const int now = ++busy;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        if (ref.name == "same") {
          violations += ++same_key == 1 ? 0 : 1;
          --same_key;
        } else {
          // Two keys must be able to run concurrently: each waits to see the other.
          while (most < 2) {
          }
        }
        --busy;
        return Done{};
      },
      4);
  test.controller.start(test.stop.get_token());
  for (int i = 0; i < 500; ++i) {
    test.controller.queue().add(key("same"));
  }
  test.controller.queue().add(key("left"));
  test.controller.queue().add(key("right"));
  test.controller.queue().shut_down();
  test.controller.drain();
  CHECK(violations == 0);
  CHECK(most >= 2);
}

TEST_CASE("Stopping waits for the reconcile that runs and starts no other") {
  std::atomic<bool> ended{false};
  Fixture test([&](const ObjectRef&, const ReconcileContext& context) -> Outcome {
    while (!context.stop.stop_requested()) {
    }
    ended = true;
    return Failed{Error(ErrorCode::kCancelled, "stopped")};
  });
  test.controller.queue().add(key("a"));
  test.controller.queue().add(key("b"));
  test.controller.start(test.stop.get_token());
  test.reconciler.await_started(1);
  test.stop.request_stop();
  test.controller.stop_now();
  CHECK(ended);
  CHECK(test.reconciler.started() == 1);
  CHECK(test.logged.find("Reconciler error") == std::string::npos);
}

TEST_CASE("Work that takes long shows in the metrics while it runs") {
  std::atomic<bool> release{false};
  Fixture test([&](const ObjectRef&, const ReconcileContext&) -> Outcome {
    while (!release) {
    }
    return Done{};
  });
  test.controller.queue().add(key("a"));
  test.controller.start(test.stop.get_token());
  test.reconciler.await_started(1);
  test.clock.advance(seconds(4));
  test.controller.update_metrics();
  CHECK(test.exposes(
      R"(workqueue_longest_running_processor_seconds{controller="x-controller",name="x-controller"} 4)"));
  release = true;
}

}  // namespace
}  // namespace chartwright::runtime
