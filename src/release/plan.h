// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "release/desired.h"
#include "release/inventory.h"
#include "release/observed.h"
#include "release/owner.h"

namespace chartwright::release {

enum class Action : uint8_t {
  kNone,        ///< In sync; no call.
  kCreate,      ///< Apply, and only if no such object exists.
  kApply,       ///< Apply over the object with the uid that we know.
  kWait,        ///< Nothing can be done until an event: it is being deleted.
  kRefuse,      ///< It belongs to somebody else.
  kPrune,       ///< Delete: no longer rendered.
  kRelinquish,  ///< Give up our fields of somebody else's object.
  kForget,      ///< Drop from the inventory without touching it.
};

/// Why. Logged, shown by `diff` and `explain`.
enum class Reason : uint8_t {
  kInSync,
  kCacheBehind,     ///< Our own last write has not come back on the watch yet.
  kMissing,         ///< Rendered, but does not exist.
  kChanged,         ///< What we want differs from what we last applied.
  kDrifted,         ///< Somebody changed fields that we own.
  kOrphaned,        ///< A recorded child that names no owner any more.
  kTerminating,     ///< It is being deleted.
  kForeignOwner,    ///< Another object controls it.
  kUnowned,         ///< It exists, and nobody said that we may have it.
  kPartialMissing,  ///< A partial object whose target does not exist (yet).
  kAlreadyHolds,    ///< The target of a partial object already has these values.
  kDropped,         ///< No longer rendered.
  kKept,            ///< No longer rendered, but `helm.sh/resource-policy: keep`.
  kGone,            ///< No longer rendered, and no longer there.
};

std::string_view to_string(Action action);  ///< "create", "apply", ...
std::string_view to_string(Reason reason);  ///< "missing", "drifted", ...

struct Step {
  kube::ObjectRef ref;
  Action action = Action::kNone;
  Reason reason = Reason::kInSync;
  const Desired* desired = nullptr;  ///< Null for kPrune, kRelinquish, kForget.
  std::string uid;                   ///< Of the live object; empty when it is not known.
  std::string owner;                 ///< For kRefuse: whose it is.
  value::Value body;                 ///< For partial objects: what to send, rules already applied.
  std::vector<HeldField> held;       ///< For partial objects: what the rules held back.
  /// Whether a call or an inventory change follows.
  bool acts() const { return action != Action::kNone; }
};

/// What to do, in order: applies by stage, then prunes in reverse. One type for reconcile, log and
/// diff.
using Plan = std::vector<Step>;

enum class Adoption : uint8_t { kRefuse, kAdopt };  ///< What to do with objects nobody owns.

struct PlanInput {
  const std::vector<Desired>& desired;
  const Inventory& inventory;
  const Owner& owner;
  Adoption adoption = Adoption::kRefuse;
  /// The live object as the caches know it.
  std::function<std::optional<Observed>(const kube::ObjectRef&)> live;
  /// How far the cache that would hold `ref` has seen; "" when unknown.
  std::function<std::string(const kube::ObjectRef&)> seen_version;
};

/// The three-way decision per object: last applied (inventory), desired, live. Pure.
/// `desired` must outlive the plan.
Plan make_plan(const PlanInput& input);

/// Whether one recorded object still is as we left it, by the caches alone. Used to find out, at no
/// cost, that nothing needs doing.
bool in_sync(const kube::ObjectRef& ref, const InventoryEntry& entry, const PlanInput& input);

}  // namespace chartwright::release
