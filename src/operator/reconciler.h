// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "kube/client.h"
#include "operator/caches.h"
#include "operator/events.h"
#include "operator/render_turn.h"
#include "operator/renderer.h"
#include "operator/state_map.h"
#include "operator/watch.h"
#include "runtime/controller.h"

namespace chartwright::op {

/// What every reconcile of the process shares. All must outlive the reconcilers.
struct Services {
  kube::Client& client;
  Caches& caches;
  const Renderer& renderer;
  const RenderRoom& room;
  base::Clock& clock;
  WarningSink& warnings;
  base::Duration default_period;  ///< Of resyncs; zero: none.
  int history_max = 10;
  std::string release_namespace = {};  ///< Of cluster-scoped custom resources; "": there is none.
  bool suppress_override_values = false;  ///< Warnings show **** for them.
};

/// Brings one custom resource's children, revisions and status to what its spec asks for.
class CrReconciler final : public runtime::Reconciler {
 public:
  CrReconciler(const Watch& watch, const Services& services);
  runtime::Outcome reconcile(const kube::ObjectRef& key,
                             const runtime::ReconcileContext& context) override;

 private:
  const Watch& watch_;
  const Services& services_;
  StateMap states_;
};

}  // namespace chartwright::op
