// SPDX-License-Identifier: Apache-2.0
#include "resource/annotations.h"

#include <array>

namespace chartwright::op {
namespace {

constexpr std::array<AnnotationHelp, 11> kAnnotations = {{
    {kRollbackTo, "a revision, or previous", "Rolls back to that revision."},
    {kReconcileRequestedAt, "any new value", "Reconciles once, now."},
    {kPaused, "a reason",
     "Pauses: children, patches and externals stay as they are, whatever happens to them."},
    {kPausedUntil, "a time, as in RFC 3339", "Ends the pause at that time."},
    {kAdopt, "\"true\"", "Takes over existing objects that have no owner."},
    {kAllowEmptyRender, "\"true\"", "Allows a chart that renders no object to prune all children."},
    {kDisableHooks, "\"true\"",
     "Runs no hooks of the chart, also when the custom resource is deleted."},
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

std::optional<Pause> requested_pause(const value::Value& cr, base::WallTime now) {
  const auto reason = kube::annotation_of(cr, kPaused);
  if (!reason || reason->empty() || *reason == "false") {
    return std::nullopt;
  }
  Pause pause{std::string(*reason), {}};
  const auto until = kube::annotation_of(cr, kPausedUntil);
  if (!until) {
    return pause;
  }
  const auto end = base::parse_rfc3339(*until);
  if (!end.ok()) {
    pause.until_is_valid = false;
    return pause;
  }
  pause.until = *end;
  return *end > now ? std::optional(pause) : std::nullopt;
}

std::span<const AnnotationHelp> annotations() { return kAnnotations; }

}  // namespace chartwright::op
