// SPDX-License-Identifier: Apache-2.0
#include "operator/reconciler.h"

#include "operator/reconcile.h"

namespace chartwright::op {

CrReconciler::CrReconciler(const bundle::Watch& watch, const Services& services)
    : watch_(watch), services_(services) {}

runtime::Outcome CrReconciler::reconcile(const kube::ObjectRef& key,
                                         const runtime::ReconcileContext& context) {
  const runtime::Stored kept = services_.caches.custom_resource(key);
  if (kept == nullptr) {
    states_.forget(key);
    services_.caches.forget(key);
    services_.room.marks.forget(key);
    return runtime::Done{};
  }
  const value::Value cr = unpack_custom_resource(*kept);
  std::shared_ptr<CrState> state = states_.get(key, cr);
  return Reconcile(watch_, services_, context, cr, *state).run();
}

}  // namespace chartwright::op
