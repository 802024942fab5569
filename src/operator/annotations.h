// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace chartwright::op {

// Requests that users write on a custom resource.
inline constexpr std::string_view kRollbackTo = "chartwright.io/rollback-to";
inline constexpr std::string_view kAdopt = "chartwright.io/adopt";
inline constexpr std::string_view kAllowEmptyRender = "chartwright.io/allow-empty-render";
inline constexpr std::string_view kReconcileRequestedAt = "chartwright.io/reconcile-requested-at";
// helm-operator's. Source: operator-framework/operator-sdk internal/helm/controller/reconcile.go.
inline constexpr std::string_view kReconcilePeriod =
    "helm.sdk.operatorframework.io/reconcile-period";
inline constexpr std::string_view kUninstallWait = "helm.sdk.operatorframework.io/uninstall-wait";

// Finalizers that mean "run the uninstall": helm-operator's newer and older one.
inline constexpr std::string_view kUninstallFinalizer =
    "helm.sdk.operatorframework.io/uninstall-release";
inline constexpr std::string_view kLegacyUninstallFinalizer = "uninstall-helm-release";

}  // namespace chartwright::op
