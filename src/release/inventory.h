// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fields/conflicts.h"
#include "health/ending.h"
#include "health/readiness.h"
#include "kube/object.h"
#include "release/desired.h"
#include "release/rules.h"
#include "value/value.h"

namespace chartwright::release {

/// Where an object is on its way through the pace of its rule (pace.h).
enum class Motion : uint8_t {
  kNone,    ///< Settled, or its rule has no pace.
  kHeld,    ///< The step of the child waits for others.
  kComing,  ///< Written, and in flight until it is observed or ready.
  kGoing,   ///< Deleted, and in flight until that is observed or it is gone.
};

/// A partial object of which other custom resources have set fields otherwise: these are left out
/// of the apply, and tried again when the others have changed something.
struct PatchContest {
  std::string desired;  ///< Digest of the whole partial object; empty: there is no such contest.
  std::string others;   ///< Their fields, as Observed::fields_of_others names them.
  std::vector<fields::FieldConflict> fields;
};

/// A change by others to a child that stays, because the policy for drift says so (drift.h).
struct KeptDrift {
  /// The change, for people: "spec.replicas: 5 instead of 3 (managed by scaler)"; empty: there is
  /// none, or its policy is to ignore it.
  std::string change;
  bool ignored = false;  ///< Whether its policy is to ignore it, whatever becomes of the object.
  std::optional<DriftPolicy> asked;  ///< The policy of the custom resource; nullopt: its rule's.
  // In memory only:
  std::string version;  ///< The version_of the object that was looked at; empty: none yet.

  /// Reports whether there is one.
  bool stays() const { return ignored || !change.empty() || !version.empty(); }
};

/// The change of a child that others have deleted.
inline constexpr std::string_view kDeletedByOthers = "deleted by others";

/// The record of one object that we applied or are about to apply.
struct InventoryEntry {
  Role role = Role::kChild;
  /// Digest of the body last applied; empty: never applied, unknown, or deleted to be replaced.
  std::string desired;
  std::string observed;  ///< Digest of our fields in the reply (projection.h); empty: unknown.
  /// The fields that growOnly rules held back ("spec.x stays 3Gi, 2Gi asked"); empty if nothing.
  std::string held;
  /// The frozen fields of which another value was desired ("spec.x, spec.y"); empty if none.
  std::string frozen;
  /// The fields that did not fit the schema, with their places in templates as far as they are
  /// known
  /// ("spec.labels (shop/templates/web.yaml:7); spec.x"); empty if everything did.
  std::string left_out;
  bool outdated = false;  ///< A change of it waits until it is deleted (Update::kOnDelete).
  Motion motion = Motion::kNone;
  /// The ending of the object last applied, once its work is done.
  std::optional<health::Ending> ending;
  std::string slot;  ///< The rendered name, if the live name is another one (names.h).
  int serial = 0;    ///< The number of its live name among those of the slot.
  /// A status that we had not signed named the object, and nothing has confirmed it since: it is
  /// ours only if it names us as its owner.
  bool unverified = false;
  KeptDrift drift;  ///< The change by others that nobody sets back.
  // In memory only, for as long as a cache is older than our own writes:
  std::string resource_version;  ///< The version in the reply to our last write.
  health::Readiness written;     ///< The readiness that this reply shows.
  std::string deleted_uid;       ///< The uid of the object that we deleted in this place.
  PatchContest contest;          ///< The contest about a partial object.
  bool gone = false;             ///< The uninstall has proof that there is no such object.
};

/// The recorded objects of a custom resource. Prune and drift detection rely on this record, never
/// on labels.
using Inventory = std::map<kube::ObjectRef, InventoryEntry>;

/// Reports whether the object was applied. An entry without a digest only announces one that is
/// about to be applied for the first time.
inline bool was_applied(const InventoryEntry* entry) {
  return entry != nullptr && !entry->desired.empty();
}

/// Has the objects of which fields were left out applied again, as drifted ones: their schema may
/// be another one now.
void retry_left_out(Inventory& inventory);

/// Forgets what was applied to Secrets, where nobody can verify that the digests are ours: the
/// Secrets are applied again.
void forget_digests_of_secrets(Inventory& inventory);

/// Reports whether an object that is gone at `now` has done its work, and is not to be created
/// again until another one is rendered in its place.
bool is_over(const InventoryEntry& entry, base::WallTime now);

/// Reports whether nothing is to be done about `kept` where the object has that version, and the
/// custom resource asks for that policy.
bool is_noted(const KeptDrift& kept, std::string_view version,
              const std::optional<DriftPolicy>& asked);

/// Returns the slot of a child that is recorded as `ref`, as a reference by its rendered name: by
/// its own if it has no other one.
kube::ObjectRef slot_of(const kube::ObjectRef& ref, const InventoryEntry& entry);

/// Reports whether a cache that is current up to that resourceVersion is older than the reply to
/// our last write.
bool is_behind(std::string_view cached_version, const InventoryEntry& entry);

/// Returns the item of status.resources for one entry, with its digests. Those of Secrets without a
/// key are left out: their contents could be guessed from them. The caller adds `state`.
value::Value to_status(const kube::ObjectRef& ref, const InventoryEntry& entry);

/// Reads status.resources back. Malformed items, such as hand-edited ones, are skipped: losing one
/// costs an extra apply, whereas believing one could prune a foreign object. Digests of Secrets
/// without a key are not read.
Inventory inventory_from_status(const value::Value& resources);

}  // namespace chartwright::release
