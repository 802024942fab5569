// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kube/client.h"
#include "release/hook.h"
#include "release/owner.h"
#include "release/packed_chart.h"
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
/// Reports whether a revision of that status is being applied, or was when its process ended.
bool is_pending(RevisionStatus status);

/// Returns the final status of a revision that was abandoned with that status; nullopt if that is
/// final already.
std::optional<RevisionStatus> outcome_of_abandoned(RevisionStatus status);

/// One desired state of a custom resource that was applied or attempted.
struct Revision {
  int number = 0;
  RevisionStatus status = RevisionStatus::kDeployed;
  std::string description;  ///< "Install complete", "Rollback to 3", ...
  std::string manifest;     ///< As rendered, before ownership is stamped.
  std::vector<Hook> hooks;
  std::string notes;
  value::Value config;          ///< The values given by the custom resource and the watch.
  value::Value chart_metadata;  ///< Chart.yaml.
  value::Value chart_values;    ///< values.yaml, with what its dependencies export to it.
  /// The rest of the chart; nullptr: not known.
  std::shared_ptr<const PackedChart> chart_files;
  base::WallTime first_deployed{};
  base::WallTime last_deployed{};
  /// The key of this revision's digests in the custom resource's status (keyed_digest.h); empty if
  /// there is none, as in records that others wrote. It is not secret from readers of the record,
  /// who can read the digested data itself.
  std::string key;
};

/// Returns the Secret that holds `revision` in Helm's own record format, owned by the custom
/// resource, so that Helm and helm-operator can read it. It has as many files of the chart as fit
/// into a Secret, beside room for the outcome of an attempt. Errors: kBudget when it does not fit
/// without them. Source: helm/helm pkg/storage/driver/secrets.go, util.go.
base::Result<value::Value> encode_revision(const Revision& revision, const Owner& owner);

/// A revision and the Secret that holds it.
struct EncodedRevision {
  Revision revision;
  value::Value secret;
};

/// Decodes such a Secret. Errors: kParse when it does not hold a record, kBudget when that
/// decompresses to more than the limit.
base::Result<Revision> decode_revision(const value::Value& secret);

/// Reads and writes the revisions of one custom resource. Blocks.
class RevisionStore {
 public:
  /// Decodes a record: decode_revision, or that under a memory limit. Anyone who may write Secrets
  /// can write a record, and a decoded record is many times as large.
  using Decode = std::function<base::Result<Revision>(const value::Value& secret)>;
  RevisionStore(kube::Client& client, const kube::Call& call, const Owner& owner,
                Decode decode = decode_revision);

  /// Errors: kNotFound, and those of decode_revision and the client.
  base::Result<Revision> load(int number);
  /// Returns the revisions of a release of `chart` whose records are owned by the custom resource
  /// and can be read, newest first and at most `limit`. Records that nothing controls, as those of
  /// Helm itself, are made its own first. Errors: kOwnership if another object has records of that
  /// name, or another chart a release; kCancelled, and those of the client.
  base::Result<std::vector<Revision>> load_all(size_t limit, std::string_view chart);
  /// Returns the newest record of ours that has a key, is pending, and has a later number than
  /// `number`; nullopt if there is none. Errors: kCancelled, and those of the client.
  base::Result<std::optional<Revision>> pending_after(int number);
  /// Stores `revision` under the first free number from revision.number on, and returns that
  /// number. If a taken number has a record of ours with the same content and status, that record
  /// is given the key and counts as stored: an earlier process wrote it, but ended before it could
  /// report so. Nobody works on other records numbered revision.number or later any more: each is
  /// given its final status, superseded if it was deployed, failed if it was pending. `deployed` is
  /// the revision that the caller takes for deployed, 0 if there is none: if its record does not
  /// say so, others have gone on with the release, and the number comes after all that they have
  /// used. Errors: as load_all.
  base::Result<int> append(EncodedRevision encoded, int deployed);
  base::Result<int> append(Revision revision);
  /// Reports whether the record of a revision says that it is deployed; true for 0, no revision.
  /// Errors: those of the client.
  base::Result<bool> is_deployed(int number);
  /// Gives a revision the status of outcome_of_abandoned, and that description if it failed. Does
  /// nothing if it has ended, is missing, or if the Secret of that name is not owned by the custom
  /// resource or does not hold a record. Errors: kConflict if it changes meanwhile, and those of
  /// the client.
  base::Status supersede(int number, const std::string& why = "Abandoned");
  /// Gives a revision that status and description, under the same conditions, unless it has them.
  /// Reports whether there is such a record. Errors: as supersede.
  base::Result<bool> conclude(int number, RevisionStatus status, const std::string& description);
  /// Deletes a revision under the same conditions. Errors: kConflict if it changes meanwhile, and
  /// those of the client.
  base::Status remove(int number);
  /// Reports whether `manifest` is the one that was recorded.
  using IsKnown = std::function<bool(std::string_view manifest)>;
  /// Sets the key of a record to `key` if the record is ours and its manifest is known. Returns the
  /// manifest's digest under that key; empty if there is no such record. Errors: kConflict if it
  /// changes meanwhile, and those of the client.
  base::Result<std::string> rekey(int number, const std::string& key, const IsKnown& is_known);

 private:
  kube::ObjectRef ref(int number) const;
  /// Returns the Secret of revision `number`; nullopt if it is missing or not ours.
  base::Result<std::optional<value::Value>> owned(int number);
  /// Decodes the record of `secret`; nullopt if that is not ours or has no readable record. Errors:
  /// kCancelled.
  base::Result<std::optional<Revision>> read_if_ours(const value::Value& secret);
  /// Returns the Secrets with records of this name, newest first.
  base::Result<std::vector<value::Value>> list();
  /// Makes the newest records among these ours, where nothing controls them. Errors: as load_all.
  base::Status claim(std::vector<value::Value>& secrets, std::string_view chart);
  base::Result<value::Value> claim_one(const value::Value& secret, std::string_view chart);
  /// Gives `encoded` the number after the highest in `secrets`, the complete list of records. Those
  /// of ours that have its old number or a later one are given their final status.
  base::Status pass_over(EncodedRevision& encoded, std::vector<value::Value> secrets);
  /// Rewrites a record of ours if `edit` changes it, and says so. Reports whether there is such a
  /// record.
  base::Result<bool> change(int number, const std::function<bool(Revision&)>& edit);
  base::Status set_key(int number, const value::Value& secret, const std::string& key);
  /// Merges `change`, whose metadata is a dict, into the record that `secret` was read from, unless
  /// that has changed since. Returns its new metadata.
  base::Result<value::Value> merge(int number, const value::Value& secret, value::Value change);

  kube::Client& client_;
  const kube::Call& call_;
  const Owner& owner_;
  const Decode decode_;
  /// The record of a revision as append has read it, for the change that follows. If it changes in
  /// between, that is a conflict.
  std::optional<std::pair<int, value::Value>> read_;
};

}  // namespace chartwright::release
