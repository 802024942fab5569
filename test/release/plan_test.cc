// SPDX-License-Identifier: Apache-2.0
#include "release/plan.h"

#include <catch2/catch.hpp>
#include <map>

#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using testing::json;

/// The inputs of a plan, and helpers to change them.
struct PlannedWorld {
  std::vector<ChildRule> rules;
  std::vector<Desired> desired;
  Inventory inventory;
  std::map<kube::ObjectRef, Observed> live;
  std::string seen = "100";
  Owner owner = testing::book_owner();
  Adoption adoption = Adoption::kRefuse;
  base::WallTime now{std::chrono::seconds(1'767'323'045)};

  /// Adds a desired ConfigMap with data.k.
  const Desired& want(const std::string& name, const std::string& k, Role role = Role::kChild) {
    value::Value object = json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{},"data":{}})");
    object.find("metadata")->mutable_dict().set("name", value::Value::string(name));
    object.find("data")->mutable_dict().set("k", value::Value::string(k));
    desired.push_back(CW_MUST(make_desired(object, role, kube::Scope::kNamespaced,
                                           {owner, "shop", testing::kBookstore, rules})));
    return desired.back();
  }

  /// Makes the object exist with that value; `applied` also records it as our last apply.
  void exists(const std::string& name, const std::string& k, KeepBody keep = KeepBody::kNo) {
    live.insert_or_assign(testing::config_map(name),
                          testing::observed(testing::live_config_map(name, k), keep));
  }
  /// The same for one that nobody owns, and for a part of it.
  void targets(const std::string& name, const std::string& k, KeepBody keep = KeepBody::kNo,
               std::string_view manager = testing::book_manager()) {
    live.insert_or_assign(testing::config_map(name),
                          testing::observed(testing::live_target(name, k, manager), keep));
  }
  void applied(const Desired& d, const std::string& k) {
    InventoryEntry& entry = inventory[d.ref];
    entry.role = d.role;
    entry.desired = d.digest;
    entry.observed =
        fields::projection_digest(d.role == Role::kChild ? testing::live_config_map(d.ref.name, k)
                                                         : testing::live_target(d.ref.name, k),
                                  testing::book_manager())
            .value();
    entry.resource_version = "10";
  }

  PlanInput input() {
    return {desired,
            inventory,
            owner,
            adoption,
            [this](const kube::ObjectRef& ref) -> std::optional<Observed> {
              auto it = live.find(ref);
              return it == live.end() ? std::nullopt : std::optional(it->second);
            },
            [this](const kube::ObjectRef&) { return seen; },
            now};
  }
  Step only_step() {
    const Plan plan = make_plan(input());
    REQUIRE(plan.size() == 1);
    return plan.front();
  }
};

TEST_CASE("A child that does not exist is created") {
  PlannedWorld world;
  world.want("a", "1");
  const Step step = world.only_step();
  CHECK(step.action == Action::kCreate);
  CHECK(step.reason == Reason::kMissing);
}

TEST_CASE("A child as we left it needs nothing") {
  PlannedWorld world;
  world.applied(world.want("a", "1"), "1");
  world.exists("a", "1");
  CHECK(world.only_step().action == Action::kNone);
  CHECK(world.only_step().reason == Reason::kInSync);
}

TEST_CASE("A child that is over is not created again, but another one in its place is") {
  PlannedWorld world;
  world.applied(world.want("a", "1"), "1");
  world.inventory.begin()->second.ending = health::Ending{false, world.now};
  CHECK(world.only_step().action == Action::kNone);
  CHECK(world.only_step().reason == Reason::kOver);
  CHECK(in_sync(world.inventory.begin()->first, world.inventory.begin()->second, world.input()));
  world.now -= std::chrono::hours(1);
  CHECK(world.only_step().action == Action::kCreate);
  CHECK_FALSE(
      in_sync(world.inventory.begin()->first, world.inventory.begin()->second, world.input()));
  world.now += std::chrono::hours(1);
  world.desired.clear();
  world.want("a", "2");
  CHECK(world.only_step().action == Action::kCreate);
}

TEST_CASE("A child whose owned field was edited has drifted") {
  PlannedWorld world;
  world.applied(world.want("a", "1"), "1");
  world.exists("a", "edited");
  const Step step = world.only_step();
  CHECK(step.action == Action::kApply);
  CHECK(step.reason == Reason::kDrifted);
  CHECK(step.uid == "uid-child");
}

TEST_CASE("A field that others added beside ours is not drift") {
  PlannedWorld world;
  world.applied(world.want("a", "1"), "1");
  value::Value object = testing::live_config_map("a", "1");
  object.find("data")->mutable_dict().set("theirs", value::Value::string("x"));
  world.live.insert_or_assign(testing::config_map("a"), testing::observed(object));
  CHECK(world.only_step().action == Action::kNone);
}

TEST_CASE("A changed template is applied over the known uid") {
  PlannedWorld world;
  world.applied(world.want("a", "1"), "1");
  world.desired.clear();
  world.want("a", "2");
  world.exists("a", "1");
  CHECK(world.only_step().action == Action::kApply);
  CHECK(world.only_step().reason == Reason::kChanged);
}

TEST_CASE("A cache that is behind our own write says nothing") {
  PlannedWorld world;
  const Desired& d = world.want("a", "2");
  world.applied(d, "2");
  world.inventory[d.ref].resource_version = "11";
  SECTION("an older copy is not drift") {
    world.exists("a", "1");  // resourceVersion 10
    CHECK(world.only_step().action == Action::kNone);
  }
  SECTION("absence from a cache that ends before our create is not a deletion") {
    world.seen = "10";
    CHECK(world.only_step().reason == Reason::kCacheBehind);
  }
  SECTION("absence from a cache that has seen our create is a deletion") {
    world.seen = "12";
    CHECK(world.only_step().action == Action::kCreate);
  }
  SECTION("resourceVersions are compared as numbers, not as text") {
    world.inventory[d.ref].resource_version = "99";
    world.seen = "100";
    CHECK(world.only_step().action == Action::kCreate);
  }
}

TEST_CASE("An object of another owner is refused and named") {
  PlannedWorld world;
  world.want("a", "1");
  value::Value object = testing::live_config_map("a", "1");
  Owner other = testing::book_owner();
  other.uid = "uid-other";
  other.name = "other";
  object.find("metadata")
      ->mutable_dict()
      .set("ownerReferences", value::Value::list({owner_reference(other)}));
  world.live.insert_or_assign(testing::config_map("a"), testing::observed(object));
  world.adoption = Adoption::kAdopt;  // Adoption is only for objects without an owner.
  const Step step = world.only_step();
  CHECK(step.action == Action::kRefuse);
  CHECK(step.reason == Reason::kForeignOwner);
  CHECK(step.owner == "BookStore other (uid uid-other)");
}

TEST_CASE("An object that nobody owns is adopted only when asked for") {
  PlannedWorld world;
  world.want("a", "1");
  value::Value object = testing::live_config_map("a", "1");
  object.find("metadata")->mutable_dict().erase("ownerReferences");
  world.live.insert_or_assign(testing::config_map("a"), testing::observed(object));
  CHECK(world.only_step().action == Action::kRefuse);
  world.adoption = Adoption::kAdopt;
  CHECK(world.only_step().action == Action::kApply);
}

TEST_CASE("A stranger is not ours because it was announced") {
  PlannedWorld world;
  const Desired& d = world.want("a", "1");
  world.inventory[d.ref];  // The entry is written before the first call.
  value::Value object = testing::live_config_map("a", "1");
  object.find("metadata")->mutable_dict().erase("ownerReferences");
  world.live.insert_or_assign(testing::config_map("a"), testing::observed(object));
  CHECK(world.only_step().action == Action::kRefuse);
  CHECK(world.only_step().reason == Reason::kUnowned);
}

TEST_CASE("A recorded child that lost its owner reference is taken back") {
  PlannedWorld world;
  world.applied(world.want("a", "1"), "1");
  value::Value object = testing::live_config_map("a", "edited");
  object.find("metadata")->mutable_dict().erase("ownerReferences");
  world.live.insert_or_assign(testing::config_map("a"), testing::observed(object));
  CHECK(world.only_step().action == Action::kApply);
}

TEST_CASE("A child that is being deleted is waited for") {
  PlannedWorld world;
  world.want("a", "1");
  value::Value object = testing::live_config_map("a", "1");
  object.find("metadata")
      ->mutable_dict()
      .set("deletionTimestamp", value::Value::string("2026-01-01T00:00:00Z"));
  world.live.insert_or_assign(testing::config_map("a"), testing::observed(object));
  CHECK(world.only_step().action == Action::kWait);
}

TEST_CASE("A child that does not count is replaced, even if it is as we left it") {
  PlannedWorld world;
  const Desired& a = world.want("a", "1");
  world.applied(a, "1");
  world.exists("a", "1");
  const Observed live = world.live.at(a.ref);
  world.live.insert_or_assign(a.ref, live.judged({.present = false, .ready = {}}));
  const Step step = world.only_step();
  CHECK(step.action == Action::kReplace);
  CHECK(step.reason == Reason::kNotPresent);
  CHECK(step.uid == "uid-child");
  CHECK_FALSE(in_sync(a.ref, world.inventory.at(a.ref), world.input()));
}

TEST_CASE("A child that is no longer rendered is pruned with its uid, if it is ours and not kept") {
  PlannedWorld world;
  world.applied(world.want("a", "1"), "1");
  world.desired.clear();
  SECTION("ours") {
    world.exists("a", "1");
    CHECK(world.only_step().action == Action::kPrune);
    CHECK(world.only_step().uid == "uid-child");
  }
  SECTION("gone") { CHECK(world.only_step().reason == Reason::kGone); }
  SECTION("kept") {
    value::Value object = testing::live_config_map("a", "1");
    object.find("metadata")
        ->mutable_dict()
        .set("annotations", json(R"({"helm.sh/resource-policy": "keep"})"));
    world.live.insert_or_assign(testing::config_map("a"), testing::observed(object));
    CHECK(world.only_step().action == Action::kForget);
    CHECK(world.only_step().reason == Reason::kKept);
  }
  SECTION("somebody else's by now") {
    value::Value object = testing::live_config_map("a", "1");
    object.find("metadata")->mutable_dict().erase("ownerReferences");
    world.live.insert_or_assign(testing::config_map("a"), testing::observed(object));
    CHECK(world.only_step().action == Action::kForget);
  }
}

TEST_CASE("A partial object waits for its target and leaves alone what already holds") {
  PlannedWorld world;
  world.want("a", "1", Role::kPartial);
  SECTION("no target") { CHECK(world.only_step().reason == Reason::kPartialMissing); }
  SECTION("target already holds the value") {
    world.targets("a", "1", KeepBody::kYes, "kubectl");
    CHECK(world.only_step().reason == Reason::kAlreadyHolds);
  }
  SECTION("target holds the value by another custom resource, which may take it away") {
    world.targets("a", "1", KeepBody::kYes, "chartwright-0123456789ab");
    CHECK(world.only_step().action == Action::kApply);
  }
  SECTION("target holds the value, and other fields of ours") {
    world.targets("a", "1", KeepBody::kYes);
    CHECK(world.only_step().action == Action::kApply);
  }
  SECTION("target differs") {
    world.targets("a", "0", KeepBody::kYes, "kubectl");
    CHECK(world.only_step().action == Action::kApply);
    CHECK(world.only_step().others.empty());
  }
}

TEST_CASE("No patch takes the child of a custom resource, whosever") {
  PlannedWorld world;
  const Desired& d = world.want("a", "1", Role::kPartial);
  const bool known = GENERATE(true, false);
  if (known) {
    world.applied(d, "1");
  }
  SECTION("our own") { world.exists("a", "0", KeepBody::kYes); }
  SECTION("another one's") {
    world.owner.uid = "uid-other";
    world.exists("a", "0", KeepBody::kYes);
  }
  SECTION("one that an earlier version applied") {
    world.live.insert_or_assign(
        testing::config_map("a"),
        testing::observed(testing::live_config_map("a", "0", "chartwright"), KeepBody::kYes));
  }
  CHECK(world.only_step().action == Action::kRefuse);
  CHECK(world.only_step().reason == Reason::kChild);
  CHECK(world.only_step().owner == "BookStore books (uid uid-cr)");
}

TEST_CASE("An object that others control is patched") {
  PlannedWorld world;
  world.want("a", "1", Role::kPartial);
  world.live.insert_or_assign(
      testing::config_map("a"),
      testing::observed(testing::live_config_map("a", "0", "kube-controller-manager"),
                        KeepBody::kYes));
  CHECK(world.only_step().action == Action::kApply);
}

TEST_CASE("A patch that is no longer rendered is given up by what the object shows alone") {
  PlannedWorld world;
  InventoryEntry& entry = world.inventory[testing::config_map("a")];
  entry.role = Role::kPartial;
  SECTION("ours, also where the record does not know it") {
    world.targets("a", "1");
    CHECK(world.only_step().action == Action::kRelinquish);
  }
  SECTION("of others, whatever the record says") {
    entry.desired = "x";
    entry.observed = "y";
    const auto manager = GENERATE("chartwright-0123456789ab", "chartwright", "kubectl");
    world.targets("a", "1", KeepBody::kNo, manager);
    CHECK(world.only_step().action == Action::kForget);
  }
  SECTION("of our own child") {
    entry.desired = "x";
    world.exists("a", "1");
    CHECK(world.only_step().action == Action::kForget);
  }
}

TEST_CASE("Fields that all custom resources had in common move once") {
  PlannedWorld world;
  const auto role = GENERATE(Role::kChild, Role::kPartial);
  const Desired& d = world.want("a", "1", role);
  world.applied(d, "1");
  const auto shared = [&world, role](const std::string& k) {
    world.live.insert_or_assign(
        testing::config_map("a"),
        testing::observed(role == Role::kChild ? testing::live_config_map("a", k, "chartwright")
                                               : testing::live_target("a", k, "chartwright"),
                          KeepBody::kYes));
  };
  shared("1");
  CHECK(world.only_step().action == Action::kMove);
  CHECK(world.only_step().reason == Reason::kSharedManager);
  CHECK(world.only_step().moves);
  CHECK(in_sync(d.ref, world.inventory[d.ref], world.input()) == (role == Role::kPartial));
  SECTION("not while the cache is behind the move") {
    world.inventory[d.ref].resource_version = "11";
    CHECK_FALSE(world.only_step().acts());
  }
  SECTION("not those of a child of others") {
    if (role == Role::kChild) {
      world.owner.uid = "uid-other";
      CHECK(world.only_step().action == Action::kRefuse);
    }
  }
}

TEST_CASE("Children are applied in stages and pruned in reverse") {
  PlannedWorld world;
  auto add = [&world](std::string_view text) {
    world.desired.push_back(
        CW_MUST(make_desired(json(text), Role::kChild, kube::Scope::kNamespaced,
                             {world.owner, "shop", testing::kBookstore, world.rules})));
  };
  add(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"}})");
  add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})");
  add(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"x"}})");
  const Plan plan = make_plan(world.input());
  REQUIRE(plan.size() == 3);
  CHECK(plan[0].ref.gvk.kind == "CustomResourceDefinition");
  CHECK(plan[1].ref.gvk.kind == "ConfigMap");
  CHECK(plan[2].ref.gvk.kind == "Deployment");
}

TEST_CASE("The caches suffice to see that nothing drifted") {
  PlannedWorld world;
  const Desired& d = world.want("a", "1");
  world.applied(d, "1");
  world.exists("a", "1");
  CHECK(in_sync(d.ref, world.inventory[d.ref], world.input()));
  world.exists("a", "edited");
  CHECK_FALSE(in_sync(d.ref, world.inventory[d.ref], world.input()));
  world.live.clear();
  CHECK_FALSE(in_sync(d.ref, world.inventory[d.ref], world.input()));
}

TEST_CASE("A partial object as we left it needs nothing, also where no body is at hand") {
  PlannedWorld world;
  world.applied(world.want("a", "1", Role::kPartial), "1");
  world.targets("a", "1");
  CHECK(world.only_step().reason == Reason::kInSync);
  world.targets("a", "edited");
  CHECK(world.only_step().action == Action::kApply);
  CHECK(world.only_step().reason == Reason::kDrifted);
}

TEST_CASE("A child on its way out is neither pruned again nor seen as drift") {
  PlannedWorld world;
  const Desired d = world.want("a", "1");
  world.applied(d, "1");
  value::Value object = testing::live_config_map("a", "edited");
  object.find("metadata")
      ->mutable_dict()
      .set("deletionTimestamp", value::Value::string("2026-01-01T00:00:00Z"));
  world.live.insert_or_assign(testing::config_map("a"), testing::observed(object));
  CHECK(in_sync(d.ref, world.inventory[d.ref], world.input()));
  world.desired.clear();
  CHECK(world.only_step().action == Action::kForget);
  CHECK(world.only_step().reason == Reason::kTerminating);
}

ChildRule updates_by(Update update) {
  ChildRule rule;
  rule.update = update;
  return rule;
}

TEST_CASE("A changed child is replaced, or left, as its rule says") {
  PlannedWorld world;
  const auto [update, action, reason] = GENERATE(table<Update, Action, Reason>({
      {Update::kApply, Action::kApply, Reason::kChanged},
      {Update::kRecreate, Action::kReplace, Reason::kChanged},
      {Update::kRecreateIfImmutable, Action::kApply, Reason::kChanged},
      {Update::kOrphanRecreate, Action::kApply, Reason::kChanged},
      {Update::kOnDelete, Action::kNone, Reason::kHeldByRule},
  }));
  world.rules.push_back(updates_by(update));
  world.applied(world.want("a", "1"), "1");
  world.exists("a", "1");
  world.desired.clear();
  world.want("a", "2");
  const Step step = world.only_step();
  CHECK(step.action == action);
  CHECK(step.reason == reason);
  CHECK((step.action == Action::kNone || !step.uid.empty()));
}

TEST_CASE("A child is not replaced for drift, nor if its last apply is not known") {
  PlannedWorld world;
  world.rules.push_back(updates_by(Update::kRecreate));
  const Desired& d = world.want("a", "1");
  world.exists("a", "edited");
  SECTION("drift") { world.applied(d, "1"); }
  SECTION("a lost status") {}
  CHECK(world.only_step().action == Action::kApply);
}

TEST_CASE("A child is not replaced because fields of it are left to controllers") {
  PlannedWorld world;
  world.rules.push_back(updates_by(GENERATE(Update::kRecreate, Update::kOnDelete)));
  world.desired.push_back(CW_MUST(
      make_desired(json(R"({"apiVersion":"v1","kind":"ConfigMap",)"
                        R"("metadata":{"name":"a","labels":{}},"data":{"k":"1"},"binaryData":{}})"),
                   Role::kChild, kube::Scope::kNamespaced,
                   {world.owner, "shop", testing::kBookstore, world.rules})));
  const Desired& d = world.desired.back();
  world.applied(d, "1");
  world.exists("a", "1");
  world.inventory[d.ref].desired = fields::desired_digest(d.formers.front());
  REQUIRE(world.inventory[d.ref].desired != d.digest);
  CHECK(world.only_step().action == Action::kApply);
  world.inventory[d.ref].desired = "another one";
  CHECK(world.only_step().action != Action::kApply);
}

TEST_CASE("A claim is not replaced because an earlier version has marked its owner otherwise") {
  PlannedWorld world;
  world.rules.push_back(updates_by(GENERATE(Update::kRecreate, Update::kOnDelete, Update::kApply)));
  world.rules.back().match.kind = "PersistentVolumeClaim";
  const std::string volume = GENERATE("", R"(,"spec":{"volumeName":""})");
  const bool is_left = GENERATE(false, true);
  world.desired.push_back(
      CW_MUST(make_desired(json(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",)"
                                R"("metadata":{"name":"a"})" +
                                volume + "}"),
                           Role::kChild, kube::Scope::kNamespaced,
                           {world.owner, "shop", testing::kBookstore, world.rules})));
  const Desired& d = world.desired.back();
  const value::Value& former = is_left ? d.formers.back() : d.formers.front();
  REQUIRE(kube::is_owned_by(former, world.owner.uid));
  world.live.insert_or_assign(d.ref, testing::observed(former));
  world.inventory[d.ref].desired = fields::desired_digest(former);
  world.inventory[d.ref].observed = "something";
  CHECK(world.only_step().action == Action::kApply);
}

TEST_CASE("A child that is updated on deletion is created as it should be, once it is gone") {
  PlannedWorld world;
  world.rules.push_back(updates_by(Update::kOnDelete));
  world.applied(world.want("a", "1"), "1");
  world.desired.clear();
  world.want("a", "2");
  CHECK(world.only_step().action == Action::kCreate);
}

TEST_CASE("Partial objects are judged by plans alone") {
  PlannedWorld world;
  world.inventory[testing::config_map("a")].role = Role::kPartial;
  CHECK(
      in_sync(testing::config_map("a"), world.inventory[testing::config_map("a")], world.input()));
}

TEST_CASE("A child that was announced but never applied is not in sync") {
  PlannedWorld world;
  world.exists("a", "1");
  CHECK_FALSE(in_sync(testing::config_map("a"), InventoryEntry(), world.input()));
}

TEST_CASE("Actions and reasons have the words that logs and diffs show") {
  std::vector<std::string_view> actions;
  for (const Action action :
       {Action::kNone, Action::kCreate, Action::kApply, Action::kWait, Action::kRefuse,
        Action::kPrune, Action::kRelinquish, Action::kForget, Action::kReplace, Action::kMove}) {
    actions.push_back(to_string(action));
  }
  CHECK(actions == std::vector<std::string_view>{"none", "create", "apply", "wait", "refuse",
                                                 "prune", "release", "forget", "replace", "move"});
  std::vector<std::string_view> reasons;
  for (const Reason reason :
       {Reason::kInSync, Reason::kCacheBehind, Reason::kMissing, Reason::kChanged, Reason::kDrifted,
        Reason::kTerminating, Reason::kForeignOwner, Reason::kUnowned, Reason::kPartialMissing,
        Reason::kAlreadyHolds, Reason::kDropped, Reason::kKept, Reason::kGone, Reason::kImmutable,
        Reason::kHeldByRule, Reason::kChild, Reason::kSharedManager, Reason::kPatchedByOthers}) {
    reasons.push_back(to_string(reason));
  }
  CHECK(reasons == std::vector<std::string_view>{
                       "in sync", "cache behind own write", "missing", "changed", "drifted",
                       "terminating", "foreign owner", "unowned", "target missing", "already holds",
                       "dropped", "kept", "gone", "immutable", "held by rule", "child",
                       "shared field manager", "patched by others"});
}

}  // namespace
}  // namespace chartwright::release
