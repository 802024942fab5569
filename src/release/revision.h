// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
};

/// Digest of a manifest for status.history. Never reveals content: the text is hashed whole.
std::string manifest_digest(std::string_view manifest);

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
  RevisionStore(kube::Client& client, const kube::Call& call, const Owner& owner);

  /// Errors: kNotFound, and those of decode_revision and the client.
  base::Result<Revision> load(int number);
  /// Stores `revision` under the first free number from revision.number on, which is returned. A
  /// record of that number, ours and with the same manifest and status, counts as stored: the
  /// process ended between writing it and saying so.
  base::Result<int> append(Revision revision);
  /// Marks a deployed revision as superseded. One that is missing is fine, and a Secret of that
  /// name that the custom resource does not own is let alone. Errors: kConflict when it changes
  /// meanwhile, and those of decode_revision and the client.
  base::Status supersede(int number);
  /// Deletes a revision, under the same conditions. Errors: kConflict when it changes meanwhile,
  /// and those of the client.
  base::Status remove(int number);

 private:
  kube::ObjectRef ref(int number) const;
  /// The Secret of that number if it is there and ours; nullopt if there is nothing for us to
  /// change.
  base::Result<std::optional<value::Value>> owned(int number);
  base::Result<int> last_number();

  kube::Client& client_;
  const kube::Call& call_;
  const Owner& owner_;
};

}  // namespace chartwright::release
