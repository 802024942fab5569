// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace chartwright::health {

/// The status of a condition while nothing is wrong.
enum class Polarity : uint8_t {
  kNormalTrue,    ///< True; the condition is always there.
  kAbnormalTrue,  ///< The condition is absent: it is there only where there is something to say.
};

inline constexpr size_t kReasonsMax = 11;

/// A type of condition that the operator writes in the status of a custom resource.
struct ConditionType {
  std::string_view name;
  Polarity polarity;
  std::string_view meaning;                          ///< One or more sentences, as plain text.
  std::array<std::string_view, kReasonsMax> listed;  ///< The reasons, and "" behind them.

  /// Returns the reasons that it may have.
  std::span<const std::string_view> reasons() const;
  /// Returns the reason of a type that has only one.
  std::string_view reason() const { return listed[0]; }
};

/// Returns all types, in the order of docs/reference/reference.md.
std::span<const ConditionType* const> condition_types();

/// Reports whether the operator writes conditions of that type. operator/status.yaml cannot.
bool is_engine_condition(std::string_view type);

/// Reasons of types that have several.
namespace reason {
inline constexpr std::string_view kReady = "Ready";
inline constexpr std::string_view kProgressing = "Progressing";
inline constexpr std::string_view kProgressingWithRetry = "ProgressingWithRetry";
inline constexpr std::string_view kChildFailed = "ChildFailed";
inline constexpr std::string_view kTargetMissing = "TargetMissing";
inline constexpr std::string_view kPatchRefused = "PatchRefused";
inline constexpr std::string_view kReconcileError = "ReconcileError";
inline constexpr std::string_view kInstallError = "InstallError";
inline constexpr std::string_view kUpgradeError = "UpgradeError";
inline constexpr std::string_view kUninstallError = "UninstallError";
inline constexpr std::string_view kExternalError = "ExternalError";
inline constexpr std::string_view kRenderKilledOperator = "RenderKilledOperator";
inline constexpr std::string_view kInstallSuccessful = "InstallSuccessful";
inline constexpr std::string_view kUpgradeSuccessful = "UpgradeSuccessful";
inline constexpr std::string_view kUninstallSuccessful = "UninstallSuccessful";
inline constexpr std::string_view kChangedByOthers = "ChangedByOthers";
inline constexpr std::string_view kPatchConflict = "PatchConflict";
inline constexpr std::string_view kRollbackRequested = "RollbackRequested";
inline constexpr std::string_view kRollbackRefused = "RollbackRefused";
inline constexpr std::string_view kUpgradeFailed = "UpgradeFailed";
inline constexpr std::string_view kInstallFailed = "InstallFailed";
}  // namespace reason

namespace condition {

inline constexpr ConditionType kReady = {
    "Ready",
    Polarity::kNormalTrue,
    "All children exist and are ready, and all targets of patches exist and have their fields. "
    "Where the cause is known for which a child is not ready, its name is the reason (see "
    "`chartwright why`). Where all are ready, and another condition holds the custom resource "
    "back, the reason is the type of that one.",
    {reason::kReady, reason::kProgressing, reason::kChildFailed, reason::kTargetMissing,
     reason::kPatchRefused, reason::kReconcileError, reason::kInstallError, reason::kUpgradeError,
     reason::kUninstallError, reason::kExternalError, reason::kRenderKilledOperator}};

inline constexpr ConditionType kReconciling = {
    "Reconciling",
    Polarity::kAbnormalTrue,
    "Children are being applied or are not ready yet, or a temporary error is being retried. The "
    "message names the condition that says why.",
    {reason::kProgressing, reason::kTargetMissing, reason::kProgressingWithRetry}};

inline constexpr ConditionType kStalled = {
    "Stalled",
    Polarity::kAbnormalTrue,
    "An error needs a change of the spec, the chart or permissions. The message names the "
    "condition that has it.",
    {reason::kPatchRefused, reason::kReconcileError, reason::kInstallError, reason::kUpgradeError,
     reason::kUninstallError, reason::kExternalError, reason::kRenderKilledOperator}};

inline constexpr ConditionType kInitialized = {"Initialized",
                                               Polarity::kNormalTrue,
                                               "The operator has taken up the custom resource.",
                                               {"Initialized"}};

inline constexpr ConditionType kDeployed = {
    "Deployed",
    Polarity::kNormalTrue,
    "A revision is deployed. The message is the chart's NOTES; observedGeneration is that of the "
    "spec that the revision carries out.",
    {reason::kInstallSuccessful, reason::kUpgradeSuccessful, reason::kUninstallSuccessful}};

inline constexpr ConditionType kReleaseFailed = {
    "ReleaseFailed",
    Polarity::kAbnormalTrue,
    "An install, upgrade or uninstall failed.",
    {reason::kInstallError, reason::kUpgradeError, reason::kUninstallError,
     reason::kRenderKilledOperator}};

inline constexpr ConditionType kIrreconcilable = {
    "Irreconcilable",
    Polarity::kAbnormalTrue,
    "The spec or the chart cannot be rendered, or a change by others cannot be repaired. The "
    "deployed revision stays.",
    {reason::kReconcileError, reason::kRenderKilledOperator}};

inline constexpr ConditionType kAmbiguousCreate = {
    "AmbiguousCreate",
    Polarity::kAbnormalTrue,
    "A create outside the cluster was interrupted, and its object cannot be told from others. "
    "Nothing is done until a person decides.",
    {"SeveralCandidates"}};

inline constexpr ConditionType kFieldsHeld = {
    "FieldsHeld",
    Polarity::kAbnormalTrue,
    "The spec shrinks a field that may only grow. The field stays, everything else is applied.",
    {"ShrinkRefused"}};

inline constexpr ConditionType kFieldsFrozen = {
    "FieldsFrozen",
    Polarity::kAbnormalTrue,
    "The chart renders other values for fields that its rules freeze. They keep their live value, "
    "everything else is applied.",
    {"LiveValueKept"}};

inline constexpr ConditionType kFieldsLeftOut = {
    "FieldsLeftOut",
    Polarity::kAbnormalTrue,
    "Fields that the chart renders do not fit the schema of their kind: it lacks them, items of a "
    "list have the same key, or a number that is in force was cut. They are left out and named "
    "with the lines of the templates that write them, everything else is applied.",
    {"NotInSchema"}};

inline constexpr ConditionType kUpdatesHeld = {
    "UpdatesHeld",
    Polarity::kAbnormalTrue,
    "A change of a child waits until the child is deleted: its rule for updates is onDelete.",
    {"OnDelete"}};

inline constexpr ConditionType kContested = {
    "Contested",
    Polarity::kAbnormalTrue,
    "Others change an object again soon after each repair, and repairs of it wait longer each "
    "time, at most 5 minutes; or another custom resource patches a field with another value.",
    {reason::kChangedByOthers, reason::kPatchConflict}};

inline constexpr ConditionType kDrifted = {
    "Drifted",
    Polarity::kAbnormalTrue,
    "Others have changed or deleted children, and these stay so: the policy for drift is warn. The "
    "message names the fields.",
    {reason::kChangedByOthers}};

inline constexpr ConditionType kDefinitionsHeld = {
    "DefinitionsHeld",
    Polarity::kAbnormalTrue,
    "A CRD of the chart lacks a version in which objects may be stored. The CRD stays unchanged, "
    "everything else is applied.",
    {"NotUpdated"}};

inline constexpr ConditionType kPaused = {
    "Paused",
    Polarity::kAbnormalTrue,
    "The annotation chartwright.io/paused stops all work. All other conditions are as they were "
    "before.",
    {"PauseRequested"}};

inline constexpr ConditionType kHooksSkipped = {
    "HooksSkipped",
    Polarity::kAbnormalTrue,
    "The chart has Helm hooks, which are disabled. Everything else is applied.",
    {"HooksDisabled"}};

inline constexpr ConditionType kUnknownKeys = {
    "UnknownKeys",
    Polarity::kAbnormalTrue,
    "No template reads these keys of the spec: probably typing errors. They have no effect.",
    {"UnreadKeys"}};

inline constexpr ConditionType kUnusedAnnotations = {
    "UnusedAnnotations",
    Polarity::kAbnormalTrue,
    "Annotations have no effect here. The message says why.",
    {"NoEffect"}};

inline constexpr ConditionType kStatusPruned = {
    "StatusPruned",
    Polarity::kAbnormalTrue,
    "The schema of the CRD lacks fields of this status. The operator does not remember them after "
    "a restart.",
    {"SchemaLacksFields"}};

inline constexpr ConditionType kUnverified = {
    "Unverified",
    Polarity::kAbnormalTrue,
    "Nothing shows that the operator wrote a record, or an entry of this status, and nothing is "
    "done because of it; or it was trusted at the request of those who run the operator.",
    {"NotSigned"}};

inline constexpr ConditionType kRolledBack = {
    "RolledBack",
    Polarity::kAbnormalTrue,
    "True: an earlier revision is in force, by request or after a failure. False: the requested "
    "rollback is invalid.",
    {reason::kRollbackRequested, reason::kUpgradeFailed, reason::kInstallFailed,
     reason::kRollbackRefused}};

}  // namespace condition
}  // namespace chartwright::health
