// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
#include "runtime/activity.h"
#include "runtime/backoff.h"
#include "runtime/controller_metrics.h"
#include "runtime/error_news.h"
#include "runtime/work_queue.h"

namespace chartwright::runtime {

/// Nothing more to do until the next event.
struct Done {};
/// Reconcile again after `delay`. Not a failure.
struct RequeueAfter {
  base::Duration delay;
};
enum class Retry : uint8_t {
  kBackoff,  ///< Retry after the key's growing delay.
  kLater,    ///< Retry after Failed::later, which is long: no event may say that it would succeed.
  kNever,    ///< Wait for the next event: a retry would fail in the same way. See Failed::later.
};
/// The longest delay of a retry, as a rule: no event says that an API server is back. However many
/// keys wait for it, their tries stay rare.
inline constexpr base::Duration kPatience = std::chrono::minutes(1);
struct Failed {
  base::Error error;
  Retry retry = Retry::kBackoff;
  base::Duration at_most = kPatience;  ///< For kBackoff: see KeyBackoff::next.
  /// For kLater. For kNever: when something else than a retry is due; zero: never.
  base::Duration later{};
};
/// The result of a reconcile.
using Outcome = std::variant<Done, RequeueAfter, Failed>;

/// The parameters of a reconcile beside its key.
struct ReconcileContext {
  std::stop_token stop;  ///< Requested when the process is about to end.
  base::Logger log;      ///< Carries the key's fields and reconcile_id.
  std::string reconcile_id;
  int failures = 0;  ///< How often this key has failed in a row.
};

class Reconciler {
 public:
  virtual ~Reconciler() = default;
  /// Brings the live state closer to what the object of `key` asks for. Called from several
  /// threads, but never concurrently for the same key.
  virtual Outcome reconcile(const kube::ObjectRef& key, const ReconcileContext& context) = 0;
};

struct ControllerOptions {
  std::string name;  ///< "<lower kind>-controller", the `controller` label and log field.
  int workers = 1;
  BackoffLimits backoff;
};

/// The services of the process that a controller uses.
struct ControllerServices {
  base::Clock& clock;
  base::Metrics& metrics;
  base::Logger log;
  Activity* activity = nullptr;  ///< Is told of each reconcile; null: nobody asks.
};

/// A work queue and the threads that pass its keys to a Reconciler. An exception that escapes a
/// reconcile is caught, counted, logged and retried as kInternal. Thread-safe.
class Controller {
 public:
  /// The references must outlive the controller. No thread runs before `start`, so keys can be
  /// queued while the caches fill.
  Controller(ControllerOptions options, Reconciler& reconciler, const ControllerServices& services);
  /// Calls stop_now().
  ~Controller();

  const std::string& name() const { return options_.name; }
  WorkQueue& queue() { return queue_; }
  /// Starts the workers and passes `stop` to their reconciles. Call once.
  void start(std::stop_token stop);
  /// Updates the metrics that change with time alone. Call before exposing metrics.
  void update_metrics() { metrics_.running(queue_.running()); }
  /// Refuses new keys, finishes those that are ready and waits for the workers to end.
  void drain();
  /// Refuses new keys, drops queued ones and waits for running reconciles to end.
  void stop_now();

 private:
  void work(const std::stop_token& stop);
  void run_one(const kube::ObjectRef& key, const std::stop_token& stop);
  Outcome contain(const kube::ObjectRef& key, const ReconcileContext& context);
  base::Duration delay_of(const kube::ObjectRef& key, const Failed& failed);
  void settle(const kube::ObjectRef& key, const Outcome& outcome, const ReconcileContext& context);
  void forget_failures(const kube::ObjectRef& key);

  const ControllerOptions options_;
  Reconciler& reconciler_;
  base::Clock& clock_;
  Activity* const activity_;
  base::Logger log_;
  ControllerMetrics metrics_;
  WorkQueue queue_;
  KeyBackoff backoff_;
  ErrorNews news_;
  std::vector<base::Thread> threads_;
};

}  // namespace chartwright::runtime
