// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/signer.h"
#include "kube/client.h"
#include "release/owner.h"
#include "revision/finding.h"
#include "revision/listed_record.h"
#include "revision/record.h"
#include "value/value.h"

namespace chartwright::release {

/// Returns the Secret that holds `revision` in Helm's own record format, owned by the custom
/// resource, so that Helm and helm-operator can read it. It has as many files of the chart as fit
/// into a Secret, beside room for the outcome of an attempt. `signer` signs it; null: its signature
/// is as it is. Errors: kBudget when it does not fit without them, and those of record_signature.
/// Source: helm/helm pkg/storage/driver/secrets.go, util.go.
base::Result<value::Value> encode_revision(const Revision& revision, const Owner& owner,
                                           const base::Signer* signer = nullptr);

/// A revision and the Secret that holds it.
struct EncodedRevision {
  Revision revision;
  value::Value secret;
};

/// Decodes such a Secret. Errors: kParse when it does not hold a record, or a larger one than is
/// written; kBudget when a limit of this thread's memory ends the work.
base::Result<Revision> decode_revision(const value::Value& secret);

/// The reason of the error about a record, or about the manifest in one, that cannot be read now
/// for want of memory. It proves nothing about the record.
inline constexpr std::string_view kUnreadableNow = "UnreadableNow";
/// Gives an error kBudget that reason, and says of `what` that it cannot be read now. Other errors
/// stay.
base::Error unreadable_now(base::Error error, std::string_view what);

/// Reads and writes the revisions of one custom resource. Blocks.
class RevisionStore {
 public:
  /// Decodes a record: decode_revision, or that under a memory limit. Anyone who may write Secrets
  /// can write a record, and a decoded record is many times as large. Its error kBudget says
  /// nothing about the record: it becomes that of unreadable_now, unless the record is larger than
  /// any that is written.
  using Decode = std::function<base::Result<Revision>(const value::Value& secret)>;
  /// `signer` signs new records, and tells them from those of others; null: no record is signed or
  /// verified. All must outlive it.
  RevisionStore(kube::Client& client, const kube::Call& call, const Owner& owner,
                const base::Signer* signer = nullptr, Decode decode = decode_revision);

  /// Absent: kNotFound, or kParse if there is no record. Errors: kBudget (unreadable_now), and
  /// those of the client.
  base::Result<Finding<Revision>> find(int number);
  /// Like `find`, where an absent record is an error.
  base::Result<Revision> load(int number);
  /// Returns the revisions of a release of `chart` whose records are owned by the custom resource
  /// and can be read, newest first and at most `limit`. Records that nothing controls, as those of
  /// Helm itself, are made its own first. Errors: kOwnership if another object has records of that
  /// name, or another chart a release; kBudget (unreadable_now) if there are very many, or one that
  /// is not older than the deployed one cannot be read now; kCancelled, and those of the client.
  base::Result<std::vector<Revision>> load_all(size_t limit, std::string_view chart);
  /// Returns the newest record of ours that is signed, has a key, is pending, and has a later
  /// number than `number`; nullopt if there is none. Errors: as load_all, but kOwnership.
  base::Result<std::optional<Revision>> pending_after(int number);
  /// Stores `revision` under the first free number from revision.number on, and returns that
  /// number. If a taken number has a record of ours with the same content and status, that record
  /// is given the rest and counts as stored: an earlier process wrote it, but ended before it could
  /// report so. Nobody works on other records numbered revision.number or later any more: each is
  /// given its final status, superseded if it was deployed, failed if it was pending. `deployed` is
  /// the revision that the caller takes for deployed, 0 if there is none: if its record does not
  /// say so, others have gone on with the release, and the number comes after all that they have
  /// used. Errors: as load_all.
  base::Result<int> append(EncodedRevision encoded, int deployed);
  base::Result<int> append(Revision revision);
  /// Returns the numbers of the records that append() has given their final status, newest first:
  /// somebody, or an earlier process, had stored them under the number that was asked for, or
  /// later.
  const std::vector<int>& passed_over() const { return passed_over_; }
  /// Reports whether the record of a revision says that it is deployed; true for 0, no revision.
  /// Errors: those of the client.
  base::Result<bool> is_deployed(int number);
  /// Gives a revision the status of outcome_of_abandoned, and that description if it failed. Does
  /// nothing if it has ended, is missing, or if the Secret of that name is not owned by the custom
  /// resource or does not hold a record. The record is not decoded, and may be of any size. Errors:
  /// kConflict if it changes meanwhile, kBudget if it has no room for its outcome, and those of the
  /// client.
  base::Status supersede(int number, const std::string& why = "Abandoned");
  /// Gives a revision that status and description, under the same conditions, unless it has them.
  /// Reports whether there is such a record. Errors: as supersede.
  base::Result<bool> conclude(int number, RevisionStatus status, const std::string& description);
  /// Deletes a revision under the same conditions. Errors: kConflict if it changes meanwhile, and
  /// those of the client.
  base::Status remove(int number);
  /// Signs the record of `known`, with its key and reach, if the record still has its manifest and
  /// hooks; with Reach::kEverything it gets its values and notes, too. Reports whether it has been
  /// signed. Errors: kConflict if it changes meanwhile, and those of encode_revision and of the
  /// client.
  base::Result<bool> sign(const Revision& known);

 private:
  kube::ObjectRef ref(int number) const;
  base::Result<Revision> decoded(const value::Value& secret) const;
  /// Returns the Secret of revision `number`; nullopt if it is missing or not ours.
  base::Result<std::optional<value::Value>> owned(int number);
  /// Decodes the record of `secret`. Absent if that is not ours, or has no record.
  base::Result<Finding<Revision>> read_if_ours(const value::Value& secret);
  /// Returns what the Secrets with records of this name are, newest first. Their contents stay
  /// where they are.
  base::Result<std::vector<ListedRecord>> list();
  /// Refuses a name that another object has records of.
  base::Status check_name(const std::vector<ListedRecord>& records) const;
  /// Reads a listed record of ours, or one that nothing controls, which it makes ours. Absent if it
  /// is neither. Errors: as load_all.
  base::Result<Finding<Revision>> read_or_claim(ListedRecord& record, std::string_view chart);
  base::Status claim(const value::Value& secret, const Revision& revision, std::string_view chart);
  /// Gives `encoded` the number after the highest in `records`, the complete list. Those of ours
  /// that have its old number or a later one are given their final status.
  base::Status pass_over(EncodedRevision& encoded, std::vector<ListedRecord> records);
  /// Rewrites the outcome of a record of ours if `edit` changes it, and says so. Reports whether
  /// there is such a record.
  base::Result<bool> change(int number,
                            const std::function<bool(RevisionStatus&, std::string&)>& edit);
  base::Result<bool> store_outcome(int number, const value::Value& secret,
                                   const std::string& record, RevisionStatus status);
  base::Result<bool> is_signed(const Revision& revision) const;
  base::Status set_data(int number, const value::Value& secret, value::Value data);
  /// Merges `change`, whose metadata is a dict, into the record that `secret` was read from, unless
  /// that has changed since. Returns its new metadata.
  base::Result<value::Value> merge(int number, const value::Value& secret, value::Value change);

  kube::Client& client_;
  const kube::Call& call_;
  const Owner& owner_;
  const base::Signer* const signer_;
  const Decode decode_;
  /// The record of a revision as append has read it, for the change that follows. If it changes in
  /// between, that is a conflict.
  std::optional<std::pair<int, value::Value>> read_;
  std::vector<int> passed_over_;
};

}  // namespace chartwright::release
