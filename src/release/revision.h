// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kube/client.h"
#include "release/owner.h"
#include "value/value.h"

namespace chartwright::release {

enum class RevisionStatus : uint8_t { kDeployed, kSuperseded, kFailed };
std::string_view to_string(RevisionStatus status);  ///< Helm's words: "deployed", ...

/// One attempted or applied desired state of a custom resource.
struct Revision {
  int number = 0;
  RevisionStatus status = RevisionStatus::kDeployed;
  std::string description;  ///< "Install complete", "Rollback to 3", ...
  std::string manifest;     ///< As rendered, before ownership is stamped.
  std::string notes;
  value::Value config;          ///< The values given by the custom resource and the watch.
  value::Value chart_metadata;  ///< Chart.yaml.
  base::WallTime first_deployed{};
  base::WallTime last_deployed{};
  /// Of the digests that the custom resource's status has of this revision (keyed_digest.h); empty:
  /// there is none, as in records of others. Who may read the record knows what they are of.
  std::string key;
};

/// The Secret that holds `revision` in Helm's own record format, owned by the custom resource, so
/// that `helm list`, `history` and `get` read it. Errors: kBudget when the record does not fit a
/// Secret. Source: helm/helm pkg/storage/driver/secrets.go, util.go.
base::Result<value::Value> encode_revision(const Revision& revision, const Owner& owner);

/// Reads such a Secret back. Errors: kParse when it holds no record, kBudget when it unpacks to
/// more than the limit.
base::Result<Revision> decode_revision(const value::Value& secret);

/// Reads and writes the revisions of one custom resource. Blocks.
class RevisionStore {
 public:
  /// How records are read: decode_revision, or that within bounds. A record is anybody's who may
  /// write Secrets, and is many times as large in memory.
  using Decode = std::function<base::Result<Revision>(const value::Value& secret)>;
  RevisionStore(kube::Client& client, const kube::Call& call, const Owner& owner,
                Decode decode = decode_revision);

  /// Errors: kNotFound, and those of decode_revision and the client.
  base::Result<Revision> load(int number);
  /// Stores `revision` under the first free number from revision.number on, which is returned. A
  /// record of that number, ours and with the same manifest and status, counts as stored once it
  /// has the key: the process ended between writing it and saying so.
  base::Result<int> append(Revision revision);
  /// Marks a deployed revision as superseded. One that is missing is fine, and a Secret of that
  /// name that the custom resource does not own, or that holds no record, is let alone. Errors:
  /// kConflict when it changes meanwhile, and those of the client.
  base::Status supersede(int number);
  /// Deletes a revision, under the same conditions. Errors: kConflict when it changes meanwhile,
  /// and those of the client.
  base::Status remove(int number);
  /// Whether a manifest is the one that was recorded.
  using IsKnown = std::function<bool(std::string_view manifest)>;
  /// Gives a record `key` if it is ours and its manifest known. Returns the manifest's digest under
  /// the key; empty where there is no such record. Errors: kConflict when it changes meanwhile,
  /// and those of the client.
  base::Result<std::string> rekey(int number, const std::string& key, const IsKnown& is_known);

 private:
  kube::ObjectRef ref(int number) const;
  /// The Secret of that number if it is there and ours; nullopt if there is nothing for us to
  /// change.
  base::Result<std::optional<value::Value>> owned(int number);
  /// The record of a Secret; nullopt where it is not ours or holds none that can be read. Errors:
  /// kCancelled.
  base::Result<std::optional<Revision>> read_if_ours(const value::Value& secret);
  base::Result<int> last_number();
  base::Status set_key(int number, const value::Value& secret, const std::string& key);
  /// Merges `change`, with a dict as its metadata, into the record that `secret` was read from,
  /// over no other version of it.
  base::Status merge(int number, const value::Value& secret, value::Value change);

  kube::Client& client_;
  const kube::Call& call_;
  const Owner& owner_;
  const Decode decode_;
};

}  // namespace chartwright::release
