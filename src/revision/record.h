// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "record/packed_chart.h"
#include "release/hook.h"
#include "revision/spec_origin.h"
#include "value/value.h"

namespace chartwright::release {

/// Source: helm/helm v3 pkg/release/status.go.
enum class RevisionStatus : uint8_t {
  kDeployed,
  kSuperseded,
  kFailed,
  kPendingInstall,
  kPendingUpgrade,
  kPendingRollback,
  kUninstalling,
  kUninstalled,
  kUnknown,
};
std::string_view to_string(RevisionStatus status);  ///< Helm's words: "deployed", ...
/// Reads one of these words. Error: kParse.
base::Result<RevisionStatus> parse_status(std::string_view name);
/// Reports whether a revision of that status is being applied, or was when its process ended.
bool is_pending(RevisionStatus status);

/// Returns the final status of a revision that was abandoned with that status; nullopt if that is
/// final already.
std::optional<RevisionStatus> outcome_of_abandoned(RevisionStatus status);

/// How far a record is believed: everything in it is applied with the operator's rights.
enum class Reach : uint8_t {
  kEverything,  ///< The operator has rendered it: objects of any namespace, and hooks.
  /// The cluster, or who runs the operator, has confirmed its manifest: objects of the release's
  /// namespace, no hook, and no values.
  kOwnNamespace,
};

/// One desired state of a custom resource that was applied or attempted.
struct Revision {
  int number = 0;
  RevisionStatus status = RevisionStatus::kDeployed;
  std::string description;  ///< "Install complete", "Rollback to 3", ...
  std::string manifest;     ///< The rendered text, before ownership is stamped.
  std::vector<Hook> hooks;
  std::string notes;
  value::Value config;          ///< The values given by the custom resource and the watch.
  SpecOrigin spec;              ///< Annotations of the Secret, which Helm does not read.
  value::Value chart_metadata;  ///< Chart.yaml.
  value::Value chart_values;    ///< values.yaml, with what its dependencies export to it.
  /// The rest of the chart; nullptr: not known.
  std::shared_ptr<const record::PackedChart> chart_files;
  base::WallTime first_deployed{};
  base::WallTime last_deployed{};
  /// The key of this revision's digests in the custom resource's status (keyed_digest.h); empty if
  /// there is none, as in records that others wrote. It is not secret from readers of the record,
  /// who can read the digested data itself.
  std::string key;
  /// Shows that the operator wrote the record (record_signature.h); empty: none. Made when it is
  /// encoded, from what `reach` says.
  std::string signature;
  Reach reach = Reach::kEverything;  ///< Not stored, but part of the signature.
};

/// Returns the name and version of the chart, as "name-version".
std::string chart_of(const Revision& revision);
/// Like the overload above, from the metadata of a chart.
std::string chart_of(const value::Value& metadata);

}  // namespace chartwright::release
