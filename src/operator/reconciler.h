// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <stop_token>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "bundle/watch.h"
#include "operator/estranged.h"
#include "resource/cr_state.h"
#include "runtime/controller.h"
#include "runtime/informer.h"
#include "subject/services.h"

namespace chartwright::op {

/// Returns the recorded children whose caches must be complete before a first reconcile: without
/// them, a child that is no longer rendered seems to be gone.
std::vector<kube::ObjectRef> applied_children(const release::Inventory& inventory);

/// Reconciles the custom resources of one watch: reads each from the cache and runs one Reconcile
/// over it. Thread-safe for different keys.
class CrReconciler final : public runtime::Reconciler {
 public:
  CrReconciler(const bundle::Watch& watch, const Services& services);
  runtime::Outcome reconcile(const kube::ObjectRef& key,
                             const runtime::ReconcileContext& context) override;

 private:
  runtime::Outcome run(const kube::ObjectRef& key, const value::Value& kept,
                       const runtime::ReconcileContext& context);
  runtime::Outcome take_leave(const kube::ObjectRef& key, const runtime::ReconcileContext& context);

  const bundle::Watch& watch_;
  const Services& services_;
  StateMap states_;
  Estranged estranged_;
  std::atomic<size_t> setbacks_{0};  ///< Setbacks of the caches that `states_` has followed.
};

/// Runs the reconciles of one watch: watches the custom resources and the objects that they relate
/// to, and has workers for the queue of those that need a reconcile.
class KindController {
 public:
  /// The references must outlive it. Up to `workers` reconciles run at the same time.
  KindController(const bundle::Watch& watch, const Services& services, int workers,
                 base::Metrics& metrics, const base::Logger& log);

  /// Begins to fill the caches, and the queue. Call once, when the controllers of all kinds exist:
  /// the events may trigger any of them.
  void watch_inputs();
  /// Waits for the caches of the kind and of recorded children. A failure is logged: the watches
  /// keep trying, and the kind works once they find custom resources. Blocks.
  void warm_up(runtime::InformerSet& informers, const std::stop_token& stop);
  /// Starts the workers. `cut_short` ends running reconciles.
  void start(std::stop_token cut_short);
  /// Begins no other reconcile. Thread-safe.
  void drop_queue() { controller_.queue().shut_down_now(); }
  /// Drops the queue, and waits for running reconciles to end.
  void stop_now() { controller_.stop_now(); }

  /// Queues a custom resource, if it is of this kind and its children are to trigger it.
  /// Thread-safe.
  void trigger(const kube::ObjectRef& cr, observe::Urgency urgency);
  /// Queues the custom resources if what their chart reads of the capabilities differs.
  /// Thread-safe.
  void capabilities_changed(const bundle::CapabilitySet& before,
                            const bundle::CapabilitySet& after);
  /// Updates the metrics that change with time alone. Thread-safe.
  void update_metrics() { controller_.update_metrics(); }
  /// Returns the custom resources in the cache. Thread-safe.
  std::vector<runtime::Stored> custom_resources() const;

 private:
  runtime::Priority priority() const;
  void forget_marks_of_the_gone();
  void watch_known_children(const std::stop_token& stop);

  const bundle::Watch& watch_;
  const Services& services_;
  const base::Logger& log_;
  CrReconciler reconciler_;
  runtime::Controller controller_;
  std::atomic<bool> started_{false};
};

}  // namespace chartwright::op
