// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/mutex.h"
#include "host/cluster_lookup.h"
#include "kube/object.h"
#include "release/inventory.h"
#include "value/packed.h"
#include "value/value.h"

namespace chartwright::op {

/// No more revisions are kept of a custom resource, whatever is asked for; a status that names more
/// was written by somebody else.
inline constexpr size_t kHistoryMax = 1000;

/// One line of status.history: what `chartwright history` shows without reading a Secret.
struct HistoryItem {
  int revision = 0;
  std::string status;       ///< "deployed", "superseded", "failed"
  std::string description;  ///< "Install complete", "Rollback to 3", ...
  std::string chart;        ///< "bookstore-0.1.0"
  std::string digest;  ///< Of the manifest, keyed; empty: its record cannot be told from others.
  std::string deployed_at;  ///< RFC 3339
};

/// A rollback in force: `revision` stays, whatever the spec and chart digested to `rejected_inputs`
/// render to. What they look up in the cluster is not in that hash: only a new wish ends a
/// rollback.
struct Pin {
  int revision = 0;
  std::string rejected_inputs;
};

/// In the message of a rollback in force: what follows says why a later request was refused.
inline constexpr std::string_view kRefusalMark = "; refused: ";

/// In the message about hooks: before their names.
inline constexpr std::string_view kHooksMark = "hooks of the chart are not run: ";

/// The condition about updates of CRDs that were refused.
inline constexpr std::string_view kDefinitionsHeld = "DefinitionsHeld";

/// Which part of the work an error ended; decides the condition that reports it.
enum class Phase : uint8_t {
  kRender,   ///< Values, schema, templates: nothing was sent.
  kInstall,  ///< The first revision could not be applied.
  kUpgrade,  ///< A later one.
  kUninstall,
  kSetAside,  ///< Not rendered, because that has ended the process before.
};

struct Failure {
  Phase phase = Phase::kRender;
  base::Error error;
  std::string attempt;  ///< Inputs and requests that failed; another try waits until they change.
};

/// What we know of one custom resource beside its spec. Everything but `failure`, `config`, `key`
/// and the inventory's resourceVersions is in its status, so that a restart loses nothing that
/// matters.
struct CrState {
  std::string uid;
  release::Inventory inventory;
  std::string inputs;  ///< Digest of the inputs that the revision in force was rendered from.
  int revision = 0;    ///< In force; 0: none yet.
  /// Of the digests here, and in the release records; empty: not read yet. A new revision takes it
  /// on. In memory only.
  std::string key;
  std::vector<HistoryItem> history;  ///< Newest first.
  std::optional<Pin> pin;
  std::string handled_rollback;  ///< The rollback-to value answered last.
  std::string rollback_refusal;  ///< Why that answer was no; empty when it was yes.
  std::optional<Failure> failure;
  value::Packed config;  ///< Values of the revision that a rollback put in force; nil until needed.
  std::string notes;
  std::string skipped_hooks;  ///< Of the chart as last rendered, for people; empty: none.
  /// What the render of `inputs` looked up (dryRunOption: server); nullopt: not known, as at start.
  std::optional<std::vector<host::Lookup>> lookups;
  std::string held_definitions;  ///< Updates of CRDs that were refused, for people; empty: none.
  /// Since when a pass waits for a CRD; in memory only.
  std::optional<base::MonotonicTime> waiting_since;
  std::string
      last_converged;    ///< Key of the situation that a pass left as it was; empty: none did.
  std::string version;   ///< resourceVersion that our last write gave it; in memory only.
  value::Packed status;  ///< As last written by us, or read at start.
};

/// Reads the state that `status` of a custom resource records. Never fails: what is missing or
/// malformed reads as not known, which costs an apply, not data.
CrState state_from_status(const value::Value& cr);

/// What is remembered per custom resource between reconciles. The map is thread-safe; a state is
/// used by the one worker that has its key.
class StateMap {
 public:
  /// The state of `cr`, read from its status when it is new to us or was created anew.
  std::shared_ptr<CrState> get(const kube::ObjectRef& ref, const value::Value& cr)
      CW_EXCLUDES(mutex_);
  void forget(const kube::ObjectRef& ref) CW_EXCLUDES(mutex_);

 private:
  base::Mutex mutex_;
  std::unordered_map<kube::ObjectRef, std::shared_ptr<CrState>> states_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::op
