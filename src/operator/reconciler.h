// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bundle/watch.h"
#include "operator/cr_state.h"
#include "operator/services.h"
#include "runtime/controller.h"

namespace chartwright::op {

/// Reconciles the custom resources of one watch: reads each from the cache and runs one Reconcile
/// over it. Thread-safe for different keys.
class CrReconciler final : public runtime::Reconciler {
 public:
  CrReconciler(const bundle::Watch& watch, const Services& services);
  runtime::Outcome reconcile(const kube::ObjectRef& key,
                             const runtime::ReconcileContext& context) override;

 private:
  const bundle::Watch& watch_;
  const Services& services_;
  StateMap states_;
};

}  // namespace chartwright::op
