// SPDX-License-Identifier: Apache-2.0
#include "release/plan.h"

#include <algorithm>
#include <set>

#include "fields/projection.h"
#include "release/secret_digest.h"

namespace chartwright::release {
namespace {

const InventoryEntry* recorded(const Inventory& inventory, const kube::ObjectRef& ref) {
  auto it = inventory.find(ref);
  return it == inventory.end() ? nullptr : &it->second;
}

Step step(const kube::ObjectRef& ref, Action action, Reason reason) {
  Step s;
  s.ref = ref;
  s.action = action;
  s.reason = reason;
  return s;
}

bool has_done_its_work(const Desired& desired, const InventoryEntry* entry, base::WallTime now) {
  return entry != nullptr && entry->desired == desired.digest && is_over(*entry, now);
}

Step plan_missing(const Desired& desired, const InventoryEntry* entry, const PlanInput& input) {
  if (desired.role == Role::kPartial) {
    return step(desired.ref, Action::kNone, Reason::kPartialMissing);
  }
  // A cache that has not seen our write yet cannot tell that the object is missing.
  if (entry != nullptr && entry->desired == desired.digest && !entry->resource_version.empty() &&
      is_behind(input.seen_version(desired.ref), *entry)) {
    return step(desired.ref, Action::kNone, Reason::kCacheBehind);
  }
  if (has_done_its_work(desired, entry, input.now)) {
    return step(desired.ref, Action::kNone, Reason::kOver);
  }
  // The occupant of a slot ended after the names were assigned. No live name is used twice: the
  // event of its end, which is on its way, brings a plan with the next one.
  if (!desired.slot.empty() && was_applied(entry)) {
    return step(desired.ref, Action::kWait, Reason::kTerminating);
  }
  return step(desired.ref, Action::kCreate, Reason::kMissing);
}

std::optional<Step> plan_ownership(const Desired& desired, const Observed& live,
                                   const PlanInput& input) {
  if (desired.role == Role::kPartial) {
    return std::nullopt;
  }
  const Claim claim = live.claim(input.owner);
  const InventoryEntry* entry = recorded(input.inventory, desired.ref);
  const bool may_take = input.adoption == Adoption::kAdopt ||
                        (was_applied(entry) && !entry->unverified) ||
                        (input.adoption == Adoption::kConsent && live.consents(input.owner));
  if (claim == Claim::kOurs || (claim == Claim::kNobody && may_take)) {
    return std::nullopt;
  }
  Step s = step(desired.ref, Action::kRefuse,
                claim == Claim::kOther ? Reason::kForeignOwner : Reason::kUnowned);
  s.owner = live.owner_text();
  return s;
}

// Reports whether the projection is that of our last apply, or the cache has not seen that yet. The
// caller has compared the desired digests.
bool same_as_applied(const InventoryEntry& entry, const Observed& live, const Owner& owner) {
  return (!entry.observed.empty() && is_observed(entry.observed, live, owner)) ||
         is_behind(live.resource_version(), entry);
}

// The same for a child: after our last apply it has no stray reference, either.
bool child_is_as_applied(const InventoryEntry& entry, const Observed& live, const Owner& owner) {
  return same_as_applied(entry, live, owner) && (!has_stray_reference(live.condensed(), owner) ||
                                                 is_behind(live.resource_version(), entry));
}

// Reports whether fields in a child have to move to the manager of its owner: all that the manager
// has which custom resources had in common. The last apply removed those of all others.
bool moves_child(const Observed& live, const InventoryEntry* entry, const Owner& owner) {
  return live.has_shared_fields() && live.claim(owner) == Claim::kOurs &&
         (entry == nullptr || !is_behind(live.resource_version(), *entry));
}

// Reports whether nothing is to be done for a target that has the values of a partial object. Where
// other custom resources have set these, it is: they could take them away again.
bool needs_no_part(const Step& partial, const Observed& live, const InventoryEntry* entry,
                   const Owner& owner) {
  const bool is_recorded = entry != nullptr && entry->desired == partial.desired->digest;
  if (live.has_fields_of(owner)) {
    return is_recorded || !partial.held.empty();  // Else it may have fields that are to go.
  }
  const bool is_empty = is_recorded && entry->observed.empty();
  return is_empty || (partial.others.empty() && !partial.moves);
}

// Decides about a target in which others have set fields otherwise: these are tried again when the
// others have changed something.
void plan_contested(const InventoryEntry& entry, const Observed& live, const Owner& owner,
                    Step& s) {
  const bool is_same =
      is_behind(live.resource_version(), entry) ||
      (is_observed(entry.observed, live, owner) && entry.contest.others == s.others);
  if (is_same) {
    s.action = Action::kNone;
    s.reason = Reason::kPatchedByOthers;
  }
}

// The target of a partial object is owned by others, and its body is cached. The rules are applied
// and the values compared here, so that no request is sent that would change nothing.
Step plan_partial(const Desired& desired, const Observed& live, const InventoryEntry* entry,
                  const Owner& owner) {
  Step s = step(desired.ref, Action::kApply, Reason::kChanged);
  s.desired = &desired;
  s.uid = live.uid();
  s.body = value::deep_copy(desired.body);
  s.others = live.fields_of_others(owner);
  s.moves = live.has_shared_fields() && !live.has_fields_of(owner);
  const auto body = live.body();
  if (body && desired.rule != nullptr) {
    s.held = hold_fields(*desired.rule, *body, field_manager_of(owner), s.body);
  }
  if (entry != nullptr && entry->contest.desired == desired.digest) {
    plan_contested(*entry, live, owner, s);
    return s;
  }
  if (body && fields::already_holds(*body, s.body) && needs_no_part(s, live, entry, owner)) {
    s.action = Action::kNone;
    s.reason = Reason::kAlreadyHolds;
    return s;
  }
  if (entry != nullptr && entry->desired == desired.digest) {
    s.reason = Reason::kDrifted;
    if (same_as_applied(*entry, live, owner)) {
      s.action = Action::kNone;
      s.reason = Reason::kInSync;
    } else if (s.moves) {
      s.action = Action::kMove;
      s.reason = Reason::kSharedManager;
    }
  }
  return s;
}

// A child is what its owner says: no patch may work against that.
std::optional<Step> refuse_child(const Desired& desired, const Observed& live) {
  if (!live.is_child()) {
    return std::nullopt;
  }
  Step s = step(desired.ref, Action::kRefuse, Reason::kChild);
  s.owner = live.owner_text();
  return s;
}

// Returns the step for a change that the rule does not leave to an apply.
std::optional<Step> plan_by_rule(const Desired& desired, const Observed& live,
                                 const InventoryEntry* entry, const PlanInput& input) {
  switch (desired.rule->update) {
    case Update::kRecreate: {
      if (!was_applied(entry)) {
        return std::nullopt;  // It may be as it should be: an apply finds out.
      }
      Step s = step(desired.ref, Action::kReplace, Reason::kChanged);
      s.uid = live.uid();
      return s;
    }
    case Update::kOnDelete:
      if (live.claim(input.owner) != Claim::kOurs) {
        return std::nullopt;
      }
      return step(desired.ref, Action::kNone, Reason::kHeldByRule);
    case Update::kApply:
    case Update::kRecreateIfImmutable:
    case Update::kOrphanRecreate:
      break;
  }
  return std::nullopt;
}

Step plan_present(const Desired& desired, const Observed& live, const InventoryEntry* entry,
                  const PlanInput& input) {
  if (live.deleting()) {
    return has_done_its_work(desired, entry, input.now)
               ? step(desired.ref, Action::kNone, Reason::kOver)
               : step(desired.ref, Action::kWait, Reason::kTerminating);
  }
  if (auto refusal = plan_ownership(desired, live, input)) {
    return *std::move(refusal);
  }
  if (desired.role == Role::kPartial) {
    auto refusal = refuse_child(desired, live);
    return refusal ? *std::move(refusal) : plan_partial(desired, live, entry, input.owner);
  }
  if (!live.present()) {
    Step s = step(desired.ref, Action::kReplace, Reason::kNotPresent);
    s.uid = live.uid();
    return s;
  }
  const bool changed = entry == nullptr || entry->desired != desired.digest;
  const bool moves = moves_child(live, entry, input.owner);
  if (!changed && !moves && child_is_as_applied(*entry, live, input.owner)) {
    return step(desired.ref, Action::kNone, Reason::kInSync);
  }
  const bool is_same = entry != nullptr && is_same_as(desired, entry->desired, input.owner);
  if (changed && !is_same && desired.rule != nullptr) {
    if (auto ruled = plan_by_rule(desired, live, entry, input)) {
      return *std::move(ruled);
    }
  }
  Step s = step(desired.ref, Action::kApply, changed ? Reason::kChanged : Reason::kDrifted);
  if (moves && !changed) {
    s.action = Action::kMove;
    s.reason = Reason::kSharedManager;
  }
  if (live.claim(input.owner) == Claim::kNobody && was_applied(entry)) {
    s.reason = Reason::kOrphaned;
  }
  s.uid = live.uid();
  s.moves = moves;
  return s;
}

Step plan_desired(const Desired& desired, const PlanInput& input) {
  const InventoryEntry* entry = recorded(input.inventory, desired.ref);
  const auto live = input.live(desired.ref);
  Step s = live ? plan_present(desired, *live, entry, input) : plan_missing(desired, entry, input);
  s.desired = &desired;
  return s;
}

Step plan_dropped(const kube::ObjectRef& ref, const InventoryEntry& entry, const PlanInput& input) {
  const auto live = input.live(ref);
  if (!live) {
    return step(ref, Action::kForget, Reason::kGone);
  }
  if (entry.role == Role::kChild && live->claim(input.owner) != Claim::kOurs) {
    return step(ref, Action::kForget, Reason::kForeignOwner);
  }
  if (entry.role == Role::kChild && live->keep_policy()) {
    return step(ref, Action::kForget, Reason::kKept);
  }
  if (live->deleting()) {
    return step(ref, Action::kForget, Reason::kTerminating);
  }
  // Only what is ours by the object itself is given up, whatever the record says. That of a child
  // of ours is its owner's.
  if (entry.role == Role::kPartial &&
      (!live->has_fields_of(input.owner) || live->claim(input.owner) == Claim::kOurs)) {
    return step(ref, Action::kForget, Reason::kDropped);
  }
  Step s = step(ref, entry.role == Role::kPartial ? Action::kRelinquish : Action::kPrune,
                Reason::kDropped);
  s.uid = live->uid();
  s.propagation = live->propagation();
  return s;
}

}  // namespace

std::string_view to_string(Action action) {
  switch (action) {
    case Action::kNone:
      return "none";
    case Action::kCreate:
      return "create";
    case Action::kApply:
      return "apply";
    case Action::kMove:
      return "move";
    case Action::kWait:
      return "wait";
    case Action::kReplace:
      return "replace";
    case Action::kRefuse:
      return "refuse";
    case Action::kPrune:
      return "prune";
    case Action::kRelinquish:
      return "release";
    case Action::kForget:
      return "forget";
  }
  return "";
}

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::kInSync:
      return "in sync";
    case Reason::kCacheBehind:
      return "cache behind own write";
    case Reason::kMissing:
      return "missing";
    case Reason::kChanged:
      return "changed";
    case Reason::kDrifted:
      return "drifted";
    case Reason::kImmutable:
      return "immutable";
    case Reason::kOver:
      return "over";
    case Reason::kNotPresent:
      return "not present";
    case Reason::kPaced:
      return "paced";
    case Reason::kContested:
      return "contested";
    case Reason::kDriftKept:
      return "drift kept";
    case Reason::kDriftIgnored:
      return "drift ignored";
    case Reason::kHeldByRule:
      return "held by rule";
    case Reason::kOrphaned:
      return "orphaned";
    case Reason::kTerminating:
      return "terminating";
    case Reason::kForeignOwner:
      return "foreign owner";
    case Reason::kChild:
      return "child";
    case Reason::kSharedManager:
      return "shared field manager";
    case Reason::kPatchedByOthers:
      return "patched by others";
    case Reason::kUnowned:
      return "unowned";
    case Reason::kPartialMissing:
      return "target missing";
    case Reason::kAlreadyHolds:
      return "already holds";
    case Reason::kDropped:
      return "dropped";
    case Reason::kKept:
      return "kept";
    case Reason::kGone:
      return "gone";
  }
  return "";
}

Plan make_plan(const PlanInput& input) {
  Plan plan;
  std::set<kube::ObjectRef> wanted;
  for (const Desired& desired : input.desired) {
    wanted.insert(desired.ref);
    plan.push_back(plan_desired(desired, input));
  }
  std::stable_sort(plan.begin(), plan.end(), [](const Step& a, const Step& b) {
    return stage_of(a.ref.group_kind()) < stage_of(b.ref.group_kind());
  });
  Plan dropped;
  for (const auto& [ref, entry] : input.inventory) {
    if (!wanted.contains(ref)) {
      dropped.push_back(plan_dropped(ref, entry, input));
    }
  }
  std::stable_sort(dropped.begin(), dropped.end(), [](const Step& a, const Step& b) {
    return stage_of(a.ref.group_kind()) > stage_of(b.ref.group_kind());
  });
  plan.insert(plan.end(), dropped.begin(), dropped.end());
  return plan;
}

std::string version_of(const std::optional<Observed>& live) {
  return live ? std::string(live->resource_version()) : std::string("none");
}

bool in_sync(const kube::ObjectRef& ref, const InventoryEntry& entry, const PlanInput& input) {
  const auto live = input.live(ref);
  if (entry.role == Role::kPartial) {
    return true;  // Left to the plan: what partial objects ask for depends on live objects.
  }
  if (entry.motion != Motion::kNone) {
    return false;
  }
  if (entry.drift.stays()) {
    return is_noted(entry.drift, version_of(live), input.drift_asked);
  }
  if (!live) {
    return is_over(entry, input.now) ||
           (!entry.resource_version.empty() && is_behind(input.seen_version(ref), entry));
  }
  if (live->deleting()) {
    // In a slot its successor does not wait.
    return entry.slot.empty() || is_over(entry, input.now);
  }
  return live->present() && live->claim(input.owner) == Claim::kOurs && !entry.desired.empty() &&
         child_is_as_applied(entry, *live, input.owner) && !moves_child(*live, &entry, input.owner);
}

}  // namespace chartwright::release
