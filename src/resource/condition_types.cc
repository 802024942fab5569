// SPDX-License-Identifier: Apache-2.0
#include "resource/condition_types.h"

#include <array>

#include "resource/cr_state.h"

namespace chartwright::op {
namespace {

constexpr std::array<ConditionHelp, 21> kEngineConditions = {{
    {"Ready",
     "All children exist and are ready, and all targets of patches exist and have their fields."},
    {"Reconciling",
     "Children are being applied or are not ready yet, or a temporary error is being retried."},
    {"Stalled", "An error needs a change of the spec, the chart or permissions."},
    {"Initialized", "The operator has taken up the custom resource."},
    {"Deployed",
     "A revision is deployed. The message is the chart's NOTES; observedGeneration is that of the "
     "spec that the revision carries out."},
    {"ReleaseFailed", "An install, upgrade or uninstall failed."},
    {"Irreconcilable",
     "The spec or the chart cannot be rendered, or a change by others cannot be repaired. The "
     "deployed revision stays."},
    {"AmbiguousCreate",
     "A create outside the cluster was interrupted, and its object cannot be told from others. "
     "Nothing is done until a person decides."},
    {"FieldsHeld",
     "The spec shrinks a field that may only grow. The field stays, everything else is applied."},
    {"FieldsFrozen",
     "The chart renders other values for fields that its rules freeze. They keep their live value, "
     "everything else is applied."},
    {"FieldsLeftOut",
     "Fields that the chart renders do not fit the schema of their kind: it lacks them, items of a "
     "list have the same key, or a number that is in force was cut. They are left out and named "
     "with the lines of the templates that write them, everything else is applied."},
    {"UpdatesHeld",
     "A change of a child waits until the child is deleted: its rule for updates is onDelete."},
    {"Contested",
     "Others change an object again soon after each repair, and repairs of it wait longer each "
     "time, at most 5 minutes; or another custom resource patches a field with another value."},
    {kDefinitionsHeld,
     "A CRD of the chart lacks a version in which objects may be stored. The CRD stays unchanged, "
     "everything else is applied."},
    {kPausedCondition,
     "The annotation chartwright.io/paused stops all work. All other conditions are as they were "
     "before."},
    {"HooksSkipped", "The chart has Helm hooks, which are disabled. Everything else is applied."},
    {"UnknownKeys",
     "No template reads these keys of the spec: probably typing errors. They have no effect."},
    {"UnusedAnnotations", "Annotations have no effect here. The message says why."},
    {kStatusPruned,
     "The schema of the CRD lacks fields of this status. The operator does not remember them after "
     "a "
     "restart."},
    {kUnverified,
     "Nothing shows that the operator wrote a record, or an entry of this status, and nothing is "
     "done because of it; or it was trusted at the request of those who run the operator."},
    {"RolledBack",
     "True: an earlier revision is in force, by request or after a failure. False: the requested "
     "rollback is invalid."},
}};

}  // namespace

std::span<const ConditionHelp> condition_types() { return kEngineConditions; }

}  // namespace chartwright::op
