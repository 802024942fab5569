// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bundle/bundle.h"
#include "bundle/choice.h"
#include "kube/object.h"
#include "release/definitions.h"

namespace chartwright::bundle {

/// The maximum number of workers for one kind. Each is a thread, and renders are limited by memory.
inline constexpr int kWorkersMax = 256;

/// Whether a change of what `lookup` found is a reason to render again. Every render looks it up.
enum class DryRunMode : uint8_t {
  kClient,  ///< It is not.
  kServer,  ///< It is: what is found is an input.
};

/// Where the documents come from that a chart's schemas refer to by URL.
enum class RemoteSchemas : uint8_t {
  kVendored,  ///< operator/schemas/.
  kNetwork,   ///< operator/schemas/, and the network for documents that it lacks.
};

/// The remedy for an install that the API server refused in part, or whose last hooks failed.
enum class InstallFailure : uint8_t {
  kHold,       ///< The created objects stay.
  kUninstall,  ///< It is deleted.
};

/// The remedy for an upgrade that the API server refused in part, or whose last hooks failed.
enum class UpgradeFailure : uint8_t {
  kHold,      ///< The applied objects stay, and nothing is pruned.
  kRollback,  ///< The revision that was deployed last comes back, as a new one.
};

/// The names of these in watches.yaml and in annotations.
inline constexpr Choices<InstallFailure, 2> kInstallFailures = {{
    {"hold", InstallFailure::kHold},
    {"uninstall", InstallFailure::kUninstall},
}};
inline constexpr Choices<UpgradeFailure, 2> kUpgradeFailures = {{
    {"hold", UpgradeFailure::kHold},
    {"rollback", UpgradeFailure::kRollback},
}};

/// The names of the policies for drift in operator.yaml and in annotations.
inline constexpr Choices<release::DriftPolicy, 3> kDriftPolicies = {{
    {"repair", release::DriftPolicy::kRepair},
    {"warn", release::DriftPolicy::kWarn},
    {"ignore", release::DriftPolicy::kIgnore},
}};

/// Whose will it takes for a custom resource to take over an object without an owner.
enum class AdoptionPolicy : uint8_t {
  kConsent,  ///< The object says so, and the custom resource asks for it.
  kAuthor,   ///< The custom resource asks for it.
  kNever,
};
inline constexpr Choices<AdoptionPolicy, 3> kAdoptionPolicies = {{
    {"consent", AdoptionPolicy::kConsent},
    {"author", AdoptionPolicy::kAuthor},
    {"never", AdoptionPolicy::kNever},
}};

/// One entry of watches.yaml, resolved.
struct Watch {
  kube::Gvk gvk;
  std::string chart_path;
  Bundle bundle;
  /// Paths and values, expanded; set as with `--set-string`.
  std::vector<std::pair<std::string, std::string>> override_values;
  std::string label_selector;  ///< Selects custom resources; "" = all.
  std::optional<base::Duration> reconcile_period;
  std::optional<int> max_concurrent_reconciles;
  std::optional<size_t> render_memory;  ///< Bytes that one render may hold.
  bool watch_dependents = true;
  DryRunMode dry_run = DryRunMode::kClient;
  RemoteSchemas remote_schemas = RemoteSchemas::kVendored;
  release::DefinitionPolicy crds = release::DefinitionPolicy::kCreate;  ///< For crds/.
  InstallFailure on_install_failure = InstallFailure::kHold;
  UpgradeFailure on_upgrade_failure = UpgradeFailure::kHold;
  AdoptionPolicy adoption = AdoptionPolicy::kConsent;
  bool strict_fields = false;  ///< See release::ApplyPolicy.
  bool run_hooks = true;
  base::Duration hook_timeout = std::chrono::minutes(5);  ///< For each hook.
};

}  // namespace chartwright::bundle
