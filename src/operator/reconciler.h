// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bundle/watch.h"
#include "operator/cr_state.h"
#include "operator/services.h"
#include "runtime/controller.h"

namespace chartwright::op {

/// Brings one custom resource's children, revisions and status to what its spec asks for.
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
