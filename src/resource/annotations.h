// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "bundle/watch.h"
#include "kube/object.h"

namespace chartwright::op {

// Requests that users make by annotating a custom resource; annotations() explains them.
inline constexpr std::string_view kRollbackTo = "chartwright.io/rollback-to";
inline constexpr std::string_view kAdopt = "chartwright.io/adopt";
inline constexpr std::string_view kAllowEmptyRender = "chartwright.io/allow-empty-render";
inline constexpr std::string_view kDeletionPolicy = "chartwright.io/deletion-policy";
/// Followed by "." and the name of an external.
inline constexpr std::string_view kExternalId = "chartwright.io/external-id";
inline constexpr std::string_view kPaused = "chartwright.io/paused";
inline constexpr std::string_view kPausedUntil = "chartwright.io/paused-until";
inline constexpr std::string_view kDisableHooks = "chartwright.io/disable-hooks";
inline constexpr std::string_view kDrift = "chartwright.io/drift";
inline constexpr std::string_view kOnInstallFailure = "chartwright.io/on-install-failure";
inline constexpr std::string_view kOnUpgradeFailure = "chartwright.io/on-upgrade-failure";
inline constexpr std::string_view kReconcileRequestedAt = "chartwright.io/reconcile-requested-at";
// helm-operator's. Source: operator-framework/operator-sdk internal/helm/controller/reconcile.go.
inline constexpr std::string_view kReconcilePeriod =
    "helm.sdk.operatorframework.io/reconcile-period";
inline constexpr std::string_view kUpgradeForce = "helm.sdk.operatorframework.io/upgrade-force";
inline constexpr std::string_view kRollbackForce = "helm.sdk.operatorframework.io/rollback-force";
inline constexpr std::string_view kUninstallWait = "helm.sdk.operatorframework.io/uninstall-wait";

/// The object as `kubectl apply` has sent it, the values of a Secret included.
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// Finalizers that ask for an uninstall: helm-operator's newer and older one.
inline constexpr std::string_view kUninstallFinalizer =
    "helm.sdk.operatorframework.io/uninstall-release";
inline constexpr std::string_view kLegacyUninstallFinalizer = "uninstall-helm-release";

/// The field of the status with the selector of the operator that has looked after the custom
/// resource last.
inline constexpr std::string_view kSelectedBy = "selectedBy";

/// Reports whether a finalizer is one of these.
inline bool is_uninstall_finalizer(std::string_view finalizer) {
  return finalizer == kUninstallFinalizer || finalizer == kLegacyUninstallFinalizer;
}

/// Returns the value of kRollbackTo; "": no rollback is asked for.
inline std::string requested_rollback(const value::Value& cr) {
  return std::string(kube::annotation_of(cr, kRollbackTo).value_or(""));
}

/// Reports whether the annotation `key` is true, as Go's strconv.ParseBool reads it: "true", "1",
/// "T", ... Any other value asks for nothing, see unused_annotations().
bool is_requested(const value::Value& cr, std::string_view key);

/// Reports whether the objects outside are to be left when the custom resource is deleted.
inline bool wants_orphans(const value::Value& cr) {
  return kube::annotation_of(cr, kDeletionPolicy) == "Orphan";
}

/// The remedies for failed attempts.
struct FailurePolicy {
  bundle::InstallFailure install = bundle::InstallFailure::kHold;
  bundle::UpgradeFailure upgrade = bundle::UpgradeFailure::kHold;
};

/// Returns the policy of a custom resource: that of its annotations, or else of the watch. Error:
/// kInvalidArgument where an annotation names none.
base::Result<FailurePolicy> failure_policy(const value::Value& cr, const bundle::Watch& watch);

/// Returns the policy for drift that a custom resource asks for; nullopt: none, or none that there
/// is.
std::optional<release::DriftPolicy> requested_drift(const value::Value& cr);

/// Returns what to say of annotations that have no effect: those of helm-operator that ask for
/// nothing here, those whose value should be a boolean and is not, and a policy for drift that
/// there is not.
std::vector<std::string> unused_annotations(const value::Value& cr);

/// A request to leave everything as it is.
struct Pause {
  std::string reason;                   ///< In the user's words.
  std::optional<base::WallTime> until;  ///< nullopt: until the annotation is removed.
  bool until_is_valid = true;           ///< false: kPausedUntil is not a time, and does not count.
};

/// Returns the pause that is in force at `now`; nullopt where there is none, or it is over. The
/// reasons "" and "false" ask for none.
std::optional<Pause> requested_pause(const value::Value& cr, base::WallTime now);

/// Returns the annotations that ask for another attempt with the same inputs, as one text.
inline std::string retry_requests(const value::Value& cr) {
  std::string text;
  for (const std::string_view request :
       {kAdopt, kAllowEmptyRender, kDisableHooks, kOnInstallFailure, kOnUpgradeFailure,
        kReconcileRequestedAt}) {
    text += " ";
    text += kube::annotation_of(cr, request).value_or("");
  }
  return text;
}

/// An annotation that users may set, its possible values, and what it does, as plain text.
struct AnnotationHelp {
  std::string_view key;
  std::string_view value;
  std::string_view effect;
};

/// Returns all annotations that users may set, in the order of docs/reference/reference.md.
std::span<const AnnotationHelp> annotations();

}  // namespace chartwright::op
