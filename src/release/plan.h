// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client.h"
#include "kube/object.h"
#include "release/desired.h"
#include "release/inventory.h"
#include "release/observed.h"
#include "release/owner.h"

namespace chartwright::release {

enum class Action : uint8_t {
  kNone,     ///< In sync; no call.
  kCreate,   ///< Apply, but only if no such object exists.
  kApply,    ///< Apply over the object with the known uid.
  kMove,     ///< Move our fields to the manager of the owner; apply if they are not as they were.
  kWait,     ///< Wait for an event: the object is being deleted.
  kReplace,  ///< Delete the object; it is created anew when it is gone.
  kRefuse,   ///< Leave alone: the object has another owner, or may not be adopted.
  kPrune,    ///< Delete: no longer rendered.
  kRelinquish,  ///< Give up our fields of an object that others own.
  kForget,      ///< Drop from the inventory without touching the object.
};

/// The reason for an action. Logged, and shown by `chartwright diff`.
enum class Reason : uint8_t {
  kInSync,
  kCacheBehind,    ///< The watch has not delivered our own last write yet.
  kMissing,        ///< Rendered, but does not exist.
  kChanged,        ///< The desired object differs from the one last applied.
  kDrifted,        ///< Fields that we own were changed by others.
  kImmutable,      ///< A field that changes is immutable.
  kOver,           ///< The work of the child is done, and it was removed since (health/ending.h).
  kNotPresent,     ///< The rule of the child says that it does not count (`present`).
  kPaced,          ///< Waits for others: the pace of its rule.
  kContested,      ///< To be repaired, but others change it again and again (contest.h).
  kDriftKept,      ///< Others have changed it, and the policy for drift is to warn.
  kDriftIgnored,   ///< Others have changed it, and the policy for drift is to ignore that.
  kHeldByRule,     ///< Changed, but `update: onDelete` leaves it until it is deleted.
  kOrphaned,       ///< A recorded child that no longer names an owner.
  kTerminating,    ///< It is being deleted.
  kForeignOwner,   ///< Another object controls it.
  kChild,          ///< The target of a partial object is the child of a custom resource.
  kSharedManager,  ///< Our fields are those of the manager that all custom resources had in common.
  kPatchedByOthers,  ///< Other custom resources have set fields of a partial object otherwise.
  kUnowned,          ///< It exists without an owner, and adoption is not allowed.
  kPartialMissing,   ///< A partial object whose target does not exist (yet).
  kAlreadyHolds,     ///< The target of a partial object already has these values.
  kDropped,          ///< No longer rendered.
  kKept,             ///< No longer rendered, but `helm.sh/resource-policy: keep`.
  kGone,             ///< No longer rendered, and no longer in the cluster.
};

std::string_view to_string(Action action);  ///< "create", "apply", ...
std::string_view to_string(Reason reason);  ///< "missing", "drifted", ...

struct Step {
  kube::ObjectRef ref;
  Action action = Action::kNone;
  Reason reason = Reason::kInSync;
  const Desired* desired = nullptr;  ///< Null for kPrune, kRelinquish, kForget.
  std::string uid;                   ///< The uid of the live object; empty if unknown.
  /// For kPrune and kReplace: how the deletion treats what the object owns.
  kube::Propagation propagation = kube::Propagation::kBackground;
  std::string owner;              ///< For kRefuse: the object's owner.
  value::Value body;              ///< For partial objects: what to send, rules already applied.
  Motion motion = Motion::kNone;  ///< To be recorded.
  /// Whether our fields move to the manager of the owner before an apply.
  bool moves = false;
  /// Fields of other custom resources in the target of a partial object; empty if there are none.
  std::string others;
  Held held;              ///< For partial objects: what the rules held back.
  KeptDrift drift;        ///< For kDriftKept and kDriftIgnored: to be recorded.
  bool compares = false;  ///< Whether nobody knows yet which fields others have changed.
  bool yields = false;    ///< Whether an apply must not set another value than others have set.
  /// Reports whether the step makes a call or changes the inventory.
  bool acts() const { return action != Action::kNone; }
};

/// The steps in order: applies by stage, then prunes by stage in reverse. Reconcile, log and diff
/// use the same type.
using Plan = std::vector<Step>;

/// The conditions under which an object without an owner is taken over.
enum class Adoption : uint8_t {
  kRefuse,
  kConsent,  ///< The object says so itself (consents, in owner.h).
  kAdopt,
};

/// The liberties of an apply where the API server has an object, or a schema, that is not as
/// expected.
struct ApplyPolicy {
  Adoption adoption = Adoption::kRefuse;
  /// An object with fields that its schema lacks, or with list items of one key, is refused. Or
  /// else these are left out, as in other writes than server-side apply.
  bool strict_fields = false;
};

struct PlanInput {
  const std::vector<Desired>& desired;
  const Inventory& inventory;
  const Owner& owner;
  Adoption adoption = Adoption::kRefuse;
  /// Returns the live object from the caches; nullopt if they do not have it.
  std::function<std::optional<Observed>(const kube::ObjectRef&)> live;
  /// Returns the resourceVersion up to which the cache for `ref` is current; "" if unknown.
  std::function<std::string(const kube::ObjectRef&)> seen_version;
  base::WallTime now = {};
  std::optional<DriftPolicy> drift_asked = {};  ///< The policy of the custom resource.
};

/// Decides for each object by a three-way comparison: last applied (inventory), desired, live.
/// Pure. `desired` must outlive the plan.
Plan make_plan(const PlanInput& input);

/// Returns the version of an object by which a KeptDrift is noted.
std::string version_of(const std::optional<Observed>& live);

/// Reports whether a recorded object is still as we last applied it, or as others have left it
/// where that may stay, according to the caches alone. A cheap way to find that nothing needs to be
/// done.
bool in_sync(const kube::ObjectRef& ref, const InventoryEntry& entry, const PlanInput& input);

}  // namespace chartwright::release
