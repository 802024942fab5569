// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/thread.h"
#include "kube/object.h"
#include "runtime/backoff.h"
#include "runtime/controller_metrics.h"
#include "runtime/work_queue.h"

namespace chartwright::runtime {

/// Nothing is left to do until the next event.
struct Done {};
/// Come back after `delay`; not a failure.
struct RequeueAfter {
  base::Duration delay;
};
enum class Retry : uint8_t {
  kBackoff,  ///< Try again after the key's growing delay.
  kNever,    ///< Wait for the next event: nothing changes by trying again.
};
struct Failed {
  base::Error error;
  Retry retry = Retry::kBackoff;
};
/// How a reconcile ended.
using Outcome = std::variant<Done, RequeueAfter, Failed>;

/// What a reconcile is given beside its key.
struct ReconcileContext {
  std::stop_token stop;  ///< Requested when the process should end soon.
  base::Logger log;      ///< Carries the key's fields and reconcile_id.
  std::string reconcile_id;
  int failures = 0;  ///< Failures in a row of this key so far.
};

class Reconciler {
 public:
  virtual ~Reconciler() = default;
  /// Brings the world nearer to what `key` asks for. Called from several threads, never for one key
  /// at a time.
  virtual Outcome reconcile(const kube::ObjectRef& key, const ReconcileContext& context) = 0;
};

struct ControllerOptions {
  std::string name;  ///< "<lower kind>-controller", the `controller` label and log field.
  int workers = 1;
  BackoffLimits backoff;
};

/// What a controller uses of its process.
struct ControllerServices {
  base::Clock& clock;
  base::Metrics& metrics;
  base::Logger log;
};

/// A work queue and the threads that empty it through a Reconciler. An exception that escapes a
/// reconcile is contained: counted, logged and retried as kInternal. Thread-safe.
class Controller {
 public:
  /// The references must outlive the controller. No thread runs before `start`, so that keys may be
  /// queued while caches fill.
  Controller(ControllerOptions options, Reconciler& reconciler, const ControllerServices& services);
  /// Stops as `stop_now` does.
  ~Controller();

  const std::string& name() const { return options_.name; }
  WorkQueue& queue() { return queue_; }
  /// Starts the workers. `stop` is what running reconciles see; call once.
  void start(std::stop_token stop);
  /// Brings the metrics that grow by themselves up to date; call before exposing metrics.
  void update_metrics() { metrics_.running(queue_.running()); }
  /// Takes no new keys, works off those that are ready and waits for the workers to end.
  void drain();
  /// Takes no new keys, drops queued ones, and waits for running reconciles to end.
  void stop_now();

 private:
  void work(const std::stop_token& stop);
  void run_one(const kube::ObjectRef& key, const std::stop_token& stop);
  Outcome contain(const kube::ObjectRef& key, const ReconcileContext& context);
  void settle(const kube::ObjectRef& key, const Outcome& outcome, const ReconcileContext& context);

  const ControllerOptions options_;
  Reconciler& reconciler_;
  base::Clock& clock_;
  base::Logger log_;
  ControllerMetrics metrics_;
  WorkQueue queue_;
  KeyBackoff backoff_;
  std::vector<base::Thread> threads_;
};

}  // namespace chartwright::runtime
