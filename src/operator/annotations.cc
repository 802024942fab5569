// SPDX-License-Identifier: Apache-2.0
#include "operator/annotations.h"

#include <array>

namespace chartwright::op {
namespace {

constexpr std::array<AnnotationHelp, 8> kAnnotations = {{
    {kRollbackTo, "a revision, or previous", "Rolls back to that revision."},
    {kReconcileRequestedAt, "any new value", "Reconciles once, now."},
    {kAdopt, "\"true\"", "Takes over existing objects that have no owner."},
    {kAllowEmptyRender, "\"true\"", "Allows a chart that renders no object to prune all children."},
    {kDeletionPolicy, "Orphan",
     "Leaves the objects outside the cluster when the custom resource is deleted."},
    {kExternalId, "an id, or none",
     "With .NAME at the end of the key: the id of that external, where an interrupted create left "
     "it unknown. none: nothing was made."},
    {kReconcilePeriod, "a Go duration",
     "Sets reconcilePeriod of this custom resource; 0s: no periodic reconcile."},
    {kUninstallWait, "\"true\"",
     "Keeps the finalizer until all children are gone. Not usable with watchDependentResources: "
     "false."},
}};

}  // namespace

std::span<const AnnotationHelp> annotations() { return kAnnotations; }

}  // namespace chartwright::op
