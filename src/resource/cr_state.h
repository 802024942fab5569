// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/signer.h"
#include "external/external_record.h"
#include "external/memory.h"
#include "fields/spec_change.h"
#include "host/cluster_lookup.h"
#include "kube/object.h"
#include "release/contest.h"
#include "release/inventory.h"
#include "release/observed.h"
#include "resource/kept_status.h"
#include "resource/memories.h"
#include "resource/progress.h"
#include "value/packed.h"
#include "value/value.h"

namespace chartwright::op {

/// The largest number of revisions kept of a custom resource, whatever the flag says. A status that
/// names more was written by another client.
inline constexpr size_t kHistoryMax = 1000;

/// One line of status.history, which lists the revisions for those who may not read Secrets.
struct HistoryItem {
  int revision = 0;
  std::string status;       ///< "deployed", "superseded", "failed"
  std::string description;  ///< "Install complete", "Rollback to 3", ...
  std::string chart;        ///< "bookstore-0.1.0"
  std::string digest;  ///< The keyed digest of the manifest; empty: its record cannot be verified.
  std::string deployed_at;  ///< RFC 3339
};

/// An earlier revision that is to come back.
struct Rollback {
  std::string target;  ///< A number, or "previous".
  /// The policy for failures of upgrades asks for it; otherwise a person.
  bool on_failure = false;
};

/// In the message of a rollback in force, precedes the reason why a later request was refused.
inline constexpr std::string_view kRefusalMark = "; refused: ";

/// In the message about hooks that are disabled, precedes their names.
inline constexpr std::string_view kHooksMark = "hooks of the chart are not run: ";

/// In the message of the condition Unverified, precedes the numbers of the records that were
/// trusted without a signature.
inline constexpr std::string_view kTrustedMark = "trusted without a signature: revisions ";

/// The search for records of a release that the status does not know (takeover.h).
enum class RecordSearch : uint8_t {
  kDue,        ///< To be made if the custom resource shows a sign of a release.
  kPutOff,     ///< It shows no sign of a release.
  kCalledFor,  ///< An object in the way, hooks or a record requires the search.
  kDone,
};

/// The status on the API server, as far as this process knows it.
struct StoredStatus {
  value::Packed status;  ///< The status as last written by us, or read where that is newer.
  /// The newest resourceVersion that we know: of our last write, or as read. In memory only.
  std::string version;
  /// The resourceVersion of the status with which another process went on with the release, or that
  /// came back with a backup: this state is void once the cache shows it. Empty: there is none. In
  /// memory only.
  std::string overtaken;
  /// Members of the status that the schema of the CRD lacks, as far as a write was refused for
  /// them. In memory only.
  std::vector<StatusPath> dropped;
  /// The inventory has children that it does not name: none of them may be applied yet. In memory
  /// only.
  bool lacks_children = false;
};

/// The patches that are not in force, and why. In memory only.
struct PatchFindings {
  /// Objects that a patch is for, but that do not exist.
  std::vector<kube::ObjectRef> missing_targets;
  /// Targets that take no patch, since they are children.
  std::vector<kube::ObjectRef> refused_targets;
  /// Patches, or fields of them, that are not in force because of other custom resources, for
  /// people.
  std::vector<std::string> refused;
};

/// Children that no cache shows, as the API server had them in the last reconcile (children.h);
/// nullopt: it had none.
using UncachedChildren = std::map<kube::ObjectRef, std::optional<release::Observed>>;

/// The state of one custom resource between its reconciles, read from its status at the start.
/// Fields that are in memory only, and the resourceVersions in the inventory, are lost at a
/// restart: that costs a request or a render, never data.
struct CrState {
  std::string uid;
  release::Inventory inventory;
  /// The signer of this custom resource; nullopt in a rehearsal. In memory only.
  std::optional<base::Signer> signer;
  /// The status is as the operator wrote it, or its release was looked at since. In memory only.
  bool is_signed = false;
  /// Objects outside of the namespace of the release that a status without a signature has named as
  /// children. They count once a render, or a signed record, has them.
  release::Inventory unconfirmed;
  /// Externals that such a status names: there may be some. In memory only.
  external::Records unsigned_externals;
  std::string trusted_records;  ///< Numbers of those without a signature that were trusted.
  std::string missing_hooks;    ///< Why the hooks of a deletion do not run; empty: they do.
  external::Records externals;
  external::Memory external_memory;  ///< In memory only.
  Progress progress;
  /// The generation of the spec that the revision in force carries out; 0: not known. It is
  /// recorded as the observedGeneration of the condition Deployed.
  int64_t deployed_generation = 0;
  /// Who changed the spec last. In memory only.
  fields::SpecChange spec_change;
  /// The key of the digests here, which the release records have; empty: not read yet. A new
  /// revision gets it as well. In memory only.
  std::string key;
  std::vector<HistoryItem> history;                 ///< Newest first.
  RecordSearch record_search = RecordSearch::kDue;  ///< In memory only.
  value::Packed config;  ///< Values of the revision that a rollback put in force; nil until needed.
                         ///< In memory only.
  std::string notes;
  std::string skipped_hooks;  ///< Hooks of the last render, if they are disabled, for people.
  /// The lookups of the render of `inputs` (dryRunOption: server); nullopt: not known, as at the
  /// start. In memory only.
  std::optional<std::vector<host::Lookup>> lookups;
  PatchFindings patches;
  /// Fields of patches that other custom resources want otherwise, for people. In memory only.
  std::vector<std::string> rivals;
  UncachedChildren uncached_children;  ///< In memory only.
  release::Contests contests;          ///< In memory only.
  std::string held_definitions;  ///< Updates of CRDs that were refused, for people; empty: none.
  /// Since when reconciles wait for a CRD. In memory only.
  std::optional<base::MonotonicTime> waiting_since;
  /// It came with our finalizer and without a status, as one does that is restored from a backup or
  /// copied. Ends with the first reconcile that converges. In memory only.
  bool seems_restored = false;
  StoredStatus stored;
  Memories memories;  ///< Those of single steps. In memory only.
};

/// Reads the state that the status of a custom resource records. Never fails: a member that is
/// missing or malformed is not known, which costs an apply, not data. Of a status that `signer` has
/// not signed, no external is known, and children elsewhere are unconfirmed; null: nothing is
/// verified.
CrState state_from_status(const value::Value& cr, const base::Signer* signer = nullptr);

/// Returns the line of the history for the revision in force; nullptr where there is none. Pure.
const HistoryItem* line_in_force(const CrState& state);

/// Returns the revision that a rollback to the previous one brings back: the newest before the one
/// in force that has not failed; nullopt where there is none. Pure.
std::optional<int> previous_revision(const CrState& state);

/// Reports whether that line says that the revision failed: its objects are in force, but a hook
/// after them failed. Pure.
bool in_force_has_failed(const CrState& state);

/// Notes the status of a custom resource that is newer than our last write: what we write next is
/// compared with it.
void note_status(StoredStatus& stored, const value::Value& cr);

/// Reports whether a status, or nil, has a member that an operator writes when it looks after the
/// custom resource, and never writes alone: a status without one may have been lost. Pure.
bool has_own_members(const value::Value& status);

/// Reports whether `live`, the status on the API server, has the state of a release, and another
/// one than `known`, a status or nil as this process last saw or wrote it. Pure.
bool has_moved_on(const value::Value& known, const value::Value& live);

/// The states of custom resources. The map is thread-safe; a state is used only by the worker that
/// has its key.
class StateMap {
 public:
  /// Returns the state of `cr`, which is read from its status if `cr` is new here or was created
  /// anew, or if another process went on with it and `cr` shows how. Notes what another client has
  /// written over our status. `signer`: see state_from_status.
  std::shared_ptr<CrState> get(const kube::ObjectRef& ref, const value::Value& cr,
                               const base::Signer* signer = nullptr) CW_EXCLUDES(mutex_);
  void forget(const kube::ObjectRef& ref) CW_EXCLUDES(mutex_);
  /// Forgets all of them but the records of externals: the API server has gone back to a backup,
  /// and the objects outside have not.
  void clear() CW_EXCLUDES(mutex_);

 private:
  base::Mutex mutex_;
  std::unordered_map<kube::ObjectRef, std::shared_ptr<CrState>> states_ CW_GUARDED_BY(mutex_);
  /// States that were cleared, until they are read anew.
  std::unordered_map<kube::ObjectRef, std::shared_ptr<CrState>> void_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::op
