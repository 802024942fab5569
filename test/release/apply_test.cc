// SPDX-License-Identifier: Apache-2.0
#include "release/apply.h"

#include <catch2/catch.hpp>

#include "test/release/apply_world.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using testing::json;
using value::Value;
using World = testing::ApplyWorld;

const std::string kApplyA = "apply ConfigMap shop/a";
const std::string kPatchA = "patch ConfigMap shop/a";
const std::string kGetA = "get ConfigMap shop/a";

TEST_CASE("A missing object is created in a way that cannot overwrite one") {
  World world;
  const Desired& d = world.want_map("a", "1");
  const ApplyReport report = world.run();
  CHECK(report.ok());
  CHECK(report.writes == 1);
  CHECK(world.api.whats() == std::vector{kApplyA});
  CHECK(world.api.last(kApplyA).body.string_at({"metadata", "resourceVersion"}) == "1");
  CHECK(world.api.last(kApplyA).body.find_path({"metadata", "uid"}) == nullptr);
  CHECK(world.k_of("a") == "1");

  const InventoryEntry& entry = world.inventory.at(d.ref);
  CHECK(entry.desired == d.digest);
  CHECK(entry.observed == testing::observed(*world.api.find(d.ref)).projection(world.owner));
  CHECK(entry.resource_version == kube::resource_version_of(*world.api.find(d.ref)));
  CHECK(entry.held.empty());
  // The additions to the request are not in the desired object.
  CHECK(d.body.find_path({"metadata", "resourceVersion"}) == nullptr);
}

/// Somebody edits the ConfigMap "a" and adds a port to it; the next apply is refused.
void refuse_repair(World& world, std::vector<base::ErrorCause> causes) {
  world.want_map("a", "1");
  CHECK(world.run().ok());
  Value live = value::deep_copy(*world.api.find(testing::config_map("a")));
  live.find("data")->mutable_dict().set("k", Value::string("2"));
  std::vector<Value> entries = live.find_path({"metadata", "managedFields"})->as_list().items;
  entries.push_back(json(R"({"manager":"edit","operation":"Update","apiVersion":"v1",
                             "fieldsV1":{"f:spec":{"f:ports":{"k:{\"port\":81}":{}}}}})"));
  live.find("metadata")->mutable_dict().set("managedFields", Value::list(std::move(entries)));
  world.api.put(live);
  const Error no = Error(ErrorCode::kInvalid, "no").with_http(422, "Invalid");
  world.api.fail_once(kApplyA, Error(no).with_causes(std::move(causes)));
}

const base::ErrorCause kDuplicate{"FieldValueDuplicate", "Duplicate value", "spec.ports[1].name"};

TEST_CASE("List items of others that a repair collides with become ours, and nothing else") {
  World world;
  refuse_repair(world, {kDuplicate});
  CHECK(world.run().ok());
  CHECK(world.api.whats() == std::vector{kApplyA, kGetA, kGetA, kPatchA, kApplyA});
  CHECK(world.k_of("a") == "1");
  const Value sent = world.api.last(kPatchA).body;
  CHECK(sent.as_dict().size() == 1);
  CHECK_FALSE(sent.string_at({"metadata", "uid"}).empty());
  CHECK_FALSE(sent.string_at({"metadata", "resourceVersion"}).empty());
}

TEST_CASE("A refusal that names no list item, or another field as well, is an error") {
  World world;
  const std::vector<base::ErrorCause> causes = GENERATE(values<std::vector<base::ErrorCause>>(
      {{},
       {{"", "not on a Tuesday", ""}},
       {kDuplicate, {"", "Invalid value", "spec.type"}},
       {{"", "Invalid value", "metadata.annotations[example.com/a]"}}}));
  refuse_repair(world, causes);
  CHECK(world.only_error().code() == ErrorCode::kInvalid);
  // The object is looked at for what a cause may mean.
  CHECK(world.api.whats() == (causes.empty() ? std::vector{kApplyA} : std::vector{kApplyA, kGetA}));
}

TEST_CASE("A second run finds everything done") {
  World world;
  world.want_map("a", "1");
  CHECK(world.run().ok());
  const ApplyReport report = world.run();
  CHECK(report.ok());
  CHECK(report.writes == 0);
  CHECK(world.api.calls().empty());
}

TEST_CASE("An apply over a known object names its uid, so that it cannot revive a deleted one") {
  World world;
  world.want_map("a", "1");
  CHECK(world.run().ok());
  world.desired.clear();
  world.want_map("a", "2");
  const std::string uid(kube::uid_of(*world.api.find(testing::config_map("a"))));

  SECTION("it is there") {
    CHECK(world.run().ok());
    CHECK(world.api.last(kApplyA).body.string_at({"metadata", "uid"}) == uid);
    CHECK(world.k_of("a") == "2");
  }
  SECTION("it went meanwhile") {
    world.api.once(kApplyA, [&world] {
      world.api.erase(testing::config_map("a"));
      return std::optional<Error>();
    });
    CHECK(world.only_error().code() == ErrorCode::kConflict);
    CHECK(world.k_of("a") == "none");
  }
}

/// A ConfigMap that the caches do not show, in place of the one that is wanted.
struct Taken : World {
  Taken() {
    blind = true;
    want_map("a", "1");
  }
  Value other =
      json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"},
               "data":{"k":"theirs"}})");

  void set(std::string_view key, Value of_metadata) {
    other.find("metadata")->mutable_dict().set(key, std::move(of_metadata));
  }
  void owned_by(const std::string& uid) {
    Owner its = testing::book_owner();
    its.uid = uid;
    set("ownerReferences", Value::list({owner_reference(its)}));
  }
};

TEST_CASE("A name that is taken without the caches knowing is left alone") {
  Taken world;
  SECTION("another controller's is refused, also when adoption is asked for") {
    world.owned_by("uid-other");
    world.api.put(world.other);
    world.adoption = GENERATE(Adoption::kRefuse, Adoption::kAdopt);
    const Error error = world.only_error();
    CHECK(error.code() == ErrorCode::kOwnership);
    CHECK(error.message() == "ConfigMap shop/a is controlled by BookStore books (uid uid-other)");
    CHECK(world.k_of("a") == "theirs");
    CHECK(world.inventory.empty());
  }
  SECTION("nobody's is refused, with the way out") {
    world.api.put(world.other);
    const Error error = world.only_error();
    CHECK(error.code() == ErrorCode::kOwnership);
    CHECK_THAT(error.message(),
               Catch::Matchers::StartsWith("ConfigMap shop/a exists and belongs to nobody; "));
    CHECK_THAT(error.message(), Catch::Matchers::Contains("chartwright.io/adoptable-by"));
    CHECK(world.k_of("a") == "theirs");
  }
  SECTION("one on its way out is waited for") {
    world.set("finalizers", Value::list({Value::string("x/y")}));
    world.api.put(world.other);
    world.api.begin_deletion(testing::config_map("a"));
    const Error error = world.only_error();
    CHECK(error.code() == ErrorCode::kConflict);
    CHECK(error.message() == "ConfigMap shop/a is still being deleted");
  }
  SECTION("one that goes between our two calls is an error to come back from") {
    world.api.put(world.other);
    world.api.once("get ConfigMap shop/a", [&world] {
      world.api.erase(testing::config_map("a"));
      return std::optional<Error>();
    });
    const Error error = world.only_error();
    CHECK(error.code() == ErrorCode::kConflict);
    CHECK(error.message() == "ConfigMap shop/a was deleted meanwhile");
  }
}

TEST_CASE("A name that is taken without the caches knowing is taken over") {
  Taken world;
  SECTION("nobody's is taken over when asked for, over its uid") {
    const std::string uid(kube::uid_of(world.api.put(world.other)));
    world.adoption = Adoption::kAdopt;
    const ApplyReport report = world.run();
    CHECK(report.ok());
    CHECK(report.writes == 2);
    CHECK(world.api.whats() == std::vector<std::string>{kApplyA, kGetA, kApplyA});
    CHECK(world.api.last(kApplyA).body.string_at({"metadata", "uid"}) == uid);
    CHECK(world.api.last(kApplyA).body.find_path({"metadata", "resourceVersion"}) == nullptr);
    CHECK(world.k_of("a") == "1");
    CHECK(world.inventory.contains(testing::config_map("a")));
  }
  SECTION("our own, lost from the caches, is taken over without asking") {
    world.owned_by("uid-cr");
    world.api.put(world.other);
    CHECK(world.run().ok());
    CHECK(world.k_of("a") == "1");
  }
}

TEST_CASE("A plan's refusal becomes an error, and no call") {
  World world;
  world.want_map("a", "1");
  world.api.put(
      json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"}})"));
  CHECK(world.only_error().code() == ErrorCode::kOwnership);
  CHECK(world.api.calls().empty());
}

TEST_CASE("A stage is finished, then an error ends the run and nothing is pruned") {
  World world;
  world.want_map("old", "1");
  CHECK(world.run().ok());
  world.desired.clear();
  world.want_map("a", "1");
  world.want_map("b", "1");
  world.want(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"}})");
  world.api.fail_once(kApplyA, Error(ErrorCode::kInvalid, "no").with_http(422, "Invalid"));

  const ApplyReport report = world.run();
  REQUIRE(report.errors.size() == 1);
  CHECK(report.errors[0].ref == testing::config_map("a"));
  CHECK(report.errors[0].error.code() == ErrorCode::kInvalid);
  CHECK(world.api.whats() == std::vector<std::string>{kApplyA, "apply ConfigMap shop/b"});
  CHECK(world.k_of("b") == "1");
  CHECK(world.k_of("old") == "1");
  // The inventory records what happened: b exists, a does not, old is still in it.
  CHECK(world.inventory.contains(testing::config_map("b")));
  CHECK_FALSE(world.inventory.contains(testing::config_map("a")));
  CHECK(world.inventory.contains(testing::config_map("old")));
}

TEST_CASE("After a refusal, what only has to be restored is restored in every stage") {
  World world;
  const std::string service =
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"NAME"},"spec":{"x":"1"}})";
  const auto named = [&service](const std::string& name) {
    return std::string(service).replace(service.find("NAME"), 4, name);
  };
  const auto ref_of = [](const std::string& name) {
    return kube::ObjectRef{{"", "v1", "Service"}, "shop", name};
  };
  world.want_map("a", "1");
  world.want(named("gone"));
  world.want(named("drifted"));
  world.want(named("changed"));
  CHECK(world.run().ok());
  world.api.erase(testing::config_map("a"));
  world.api.erase(ref_of("gone"));
  Value live = value::deep_copy(*world.api.find(ref_of("drifted")));
  live.find("spec")->mutable_dict().set("x", Value::string("2"));
  world.api.put(live);
  world.desired.clear();
  world.want_map("a", "1");
  world.want(named("gone"));
  world.want(named("drifted"));
  world.want(
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"changed"},"spec":{"x":"2"}})");
  world.want(named("new"));
  world.api.fail_once(kApplyA, Error(ErrorCode::kForbidden, "the namespace ends"));

  CHECK(world.only_error().code() == ErrorCode::kForbidden);
  CHECK(world.api.whats() ==
        std::vector<std::string>{kApplyA, "apply Service shop/gone", "apply Service shop/drifted"});
  CHECK(world.api.find(ref_of("drifted"))->string_at({"spec", "x"}) == "1");
  CHECK(world.api.find(ref_of("changed"))->string_at({"spec", "x"}) == "1");
  CHECK(world.run().ok());
  CHECK(world.api.find(ref_of("changed"))->string_at({"spec", "x"}) == "2");
  CHECK(world.api.find(ref_of("new")).has_value());
}

TEST_CASE("A prune that fails ends the run, and what is left stays in the inventory") {
  World world;
  world.want_map("a", "1");
  world.want_map("b", "1");
  CHECK(world.run().ok());
  world.desired.clear();
  // A webhook may answer with a conflict, although the object is the same one.
  const auto code = GENERATE(ErrorCode::kForbidden, ErrorCode::kConflict);
  world.api.fail_once("delete ConfigMap shop/a", Error(code, "may not delete"));
  const Error error = world.only_error();
  CHECK(error.code() == code);
  CHECK(world.k_of("b") == "1");
  CHECK(world.inventory.size() == 2);
  CHECK(world.run().ok());
  CHECK(world.k_of("a") == "none");
  CHECK(world.k_of("b") == "none");
  CHECK(world.inventory.empty());
}

TEST_CASE("A child that is no longer rendered is deleted with its uid as precondition") {
  World world;
  world.want_map("a", "1");
  CHECK(world.run().ok());
  world.desired.clear();
  const std::string uid(kube::uid_of(*world.api.find(testing::config_map("a"))));

  SECTION("and goes") {
    const ApplyReport report = world.run();
    CHECK(report.ok());
    CHECK(report.writes == 1);
    CHECK(world.api.last("delete ConfigMap shop/a").uid == uid);
    CHECK(world.k_of("a") == "none");
    CHECK(world.inventory.empty());
  }
  SECTION("unless it is gone already") {
    world.api.once("delete ConfigMap shop/a", [&world] {
      world.api.erase(testing::config_map("a"));
      return std::optional<Error>();
    });
    CHECK(world.run().ok());
    CHECK(world.inventory.empty());
  }
  SECTION("or another one has its name by now, which stays") {
    world.api.once("delete ConfigMap shop/a", [&world] {
      world.api.erase(testing::config_map("a"));
      world.api.put(json(
          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"},
              "data":{"k":"new"}})"));
      return std::optional<Error>();
    });
    CHECK(world.run().ok());
    CHECK(world.k_of("a") == "new");
    CHECK(world.inventory.empty());
  }
}

TEST_CASE("A kept object is forgotten without a call") {
  World world;
  world.want(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",
                 "annotations":{"helm.sh/resource-policy":"keep"}}})");
  CHECK(world.run().ok());
  world.desired.clear();
  CHECK(world.run().ok());
  CHECK(world.api.calls().empty());
  CHECK(world.api.find(testing::config_map("a")));
  CHECK(world.inventory.empty());
}

const Error kImmutable(ErrorCode::kImmutable, "spec.x: field is immutable");

TEST_CASE("A child with a changed immutable field is deleted, then created anew") {
  World world;
  const auto [update, propagation] = GENERATE(table<Update, kube::Propagation>({
      {Update::kRecreate, kube::Propagation::kBackground},
      {Update::kRecreateIfImmutable, kube::Propagation::kBackground},
      {Update::kOrphanRecreate, kube::Propagation::kOrphan},
  }));
  ChildRule rule;
  rule.update = update;
  world.rules.push_back(rule);
  world.want_map("a", "1");
  CHECK(world.run().ok());
  const std::string uid(kube::uid_of(*world.api.find(testing::config_map("a"))));
  world.desired.clear();
  world.want_map("a", "2");
  if (update != Update::kRecreate) {  // That one does not try.
    world.api.fail_once(kApplyA, kImmutable);
  }

  CHECK(world.run().ok());
  const model::MemoryServer::Call removal = world.api.last("delete ConfigMap shop/a");
  CHECK(removal.uid == uid);
  CHECK(removal.propagation == propagation);
  CHECK(world.k_of("a") == "none");
  CHECK(world.inventory.contains(testing::config_map("a")));  // It is still ours to create.
  CHECK(world.lines.back().find("replace") != std::string::npos);

  CHECK(world.run().ok());
  CHECK(world.k_of("a") == "2");
  CHECK(world.run().ok());
  CHECK(world.api.calls().empty());
}

TEST_CASE("A successor whose creation was not recorded is not replaced again") {
  World world;
  world.rules.emplace_back().update = Update::kRecreate;
  world.want_map("a", "1");
  CHECK(world.run().ok());
  world.desired.clear();
  world.want_map("a", "2");
  CHECK(world.run().ok());
  const Inventory stored = world.inventory;  // The last that the next process finds.
  CHECK(world.run().ok());
  const std::string uid(kube::uid_of(*world.api.find(testing::config_map("a"))));
  world.inventory = stored;
  CHECK(world.run().ok());
  CHECK(kube::uid_of(*world.api.find(testing::config_map("a"))) == uid);
}

TEST_CASE("Without such a rule a changed immutable field is an error") {
  World world;
  world.want_map("a", "1");
  CHECK(world.run().ok());
  world.desired.clear();
  world.want_map("a", "2");
  world.api.fail_once(kApplyA, kImmutable);
  CHECK(world.only_error().code() == ErrorCode::kImmutable);
  CHECK(world.k_of("a") == "1");
}

TEST_CASE("A change that waits for a deletion is recorded until it is made or taken back") {
  World world;
  ChildRule rule;
  rule.update = Update::kOnDelete;
  world.rules.push_back(rule);
  world.want_map("a", "1");
  CHECK(world.run().ok());
  world.desired.clear();
  world.want_map("a", "2");
  CHECK(world.run().ok());
  CHECK(world.api.calls().empty());
  CHECK(world.inventory.at(testing::config_map("a")).outdated);
  SECTION("it is taken back") {
    world.desired.clear();
    world.want_map("a", "1");
    CHECK(world.run().ok());
  }
  SECTION("the child is deleted") {
    world.api.erase(testing::config_map("a"));
    CHECK(world.run().ok());
    CHECK(world.k_of("a") == "2");
  }
  CHECK_FALSE(world.inventory.at(testing::config_map("a")).outdated);
}

TEST_CASE(
    "A child whose rule orphans is deleted without what it owns, and never by the collector") {
  World world;
  ChildRule rule;
  rule.on_delete = OnDelete::kOrphan;
  world.rules.push_back(rule);
  world.want_map("a", "1");
  CHECK(world.run().ok());
  CHECK(kube::owner_references_of(*world.api.find(testing::config_map("a"))).empty());
  world.desired.clear();
  world.rules.clear();  // The rule may go with the template.
  CHECK(world.run().ok());
  CHECK(world.api.last("delete ConfigMap shop/a").propagation == kube::Propagation::kOrphan);
}

TEST_CASE("A child whose rule keeps stays when it is no longer rendered") {
  World world;
  ChildRule rule;
  rule.on_delete = OnDelete::kKeep;
  world.rules.push_back(rule);
  world.want_map("a", "1");
  CHECK(world.run().ok());
  world.desired.clear();
  CHECK(world.run().ok());
  CHECK(world.api.calls().empty());
  CHECK(world.k_of("a") == "1");
}

const std::string kClaim =
    R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},
        "spec":{"storageClassName":"fast","resources":{"requests":{"storage":"SIZE"}}}})";

std::string claim(const std::string& size) {
  std::string text = kClaim;
  return text.replace(text.find("SIZE"), 4, size);
}

kube::ObjectRef claim_ref() { return {{"", "v1", "PersistentVolumeClaim"}, "shop", "c"}; }

ChildRule grow_only() {
  ChildRule rule;
  rule.match.kind = "PersistentVolumeClaim";
  rule.grow_only.push_back(CW_MUST(value::Path::parse("spec.resources.requests.storage")));
  rule.freeze.push_back(CW_MUST(value::Path::parse("spec.storageClassName")));
  return rule;
}

TEST_CASE("A field that a rule holds back is sent as it is, and recorded") {
  World world;
  world.rules.push_back(grow_only());
  world.want(claim("3Gi"));
  CHECK(world.run().ok());
  CHECK(world.inventory.at(claim_ref()).held.empty());
  world.desired.clear();
  world.want(claim("2Gi"));

  CHECK(world.run().ok());
  // The live object decides, not the cached one.
  CHECK(world.api.whats() == std::vector<std::string>{"get PersistentVolumeClaim shop/c",
                                                      "apply PersistentVolumeClaim shop/c"});
  CHECK(world.api.find(claim_ref())->string_at({"spec", "resources", "requests", "storage"}) ==
        "3Gi");
  CHECK(world.inventory.at(claim_ref()).held ==
        "spec.resources.requests.storage stays 3Gi, 2Gi asked");

  SECTION("and the next pass has nothing to do") {
    CHECK(world.run().writes == 0);
    CHECK(world.inventory.at(claim_ref()).held ==
          "spec.resources.requests.storage stays 3Gi, 2Gi asked");
  }
  SECTION("until the wish grows again") {
    world.desired.clear();
    world.want(claim("4Gi"));
    CHECK(world.run().ok());
    CHECK(world.inventory.at(claim_ref()).held.empty());
    CHECK(world.api.find(claim_ref())->string_at({"spec", "resources", "requests", "storage"}) ==
          "4Gi");
  }
}

TEST_CASE("An object replaced between plan and rule is left for the next pass") {
  World world;
  world.rules.push_back(grow_only());
  world.want(claim("3Gi"));
  CHECK(world.run().ok());
  world.desired.clear();
  world.want(claim("4Gi"));
  world.api.once("get PersistentVolumeClaim shop/c", [&world] {
    world.api.erase(claim_ref());
    world.api.put(json(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",
                           "metadata":{"name":"c","namespace":"shop"}})"));
    return std::optional<Error>();
  });
  const Error error = world.only_error();
  CHECK(error.code() == ErrorCode::kConflict);
  CHECK(error.message() == "PersistentVolumeClaim shop/c was replaced meanwhile");
}

TEST_CASE("An adopted object keeps what rules say") {
  World world;
  world.rules.push_back(grow_only());
  world.blind = true;
  world.adoption = Adoption::kAdopt;
  world.api.put(json(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",
    "metadata":{"name":"c","namespace":"shop"},
    "spec":{"storageClassName":"slow","resources":{"requests":{"storage":"5Gi"}}}})"));
  world.want(claim("3Gi"));
  CHECK(world.run().ok());
  const Value live = *world.api.find(claim_ref());
  CHECK(live.string_at({"spec", "storageClassName"}) == "slow");
  CHECK(live.string_at({"spec", "resources", "requests", "storage"}) == "5Gi");
  CHECK(world.inventory.at(claim_ref()).held ==
        "spec.resources.requests.storage stays 5Gi, 3Gi asked");
}

/// A claim owned by others, of which we set only the size.
struct PartialWorld : World {
  PartialWorld() {
    rules.push_back(grow_only());
    rules[0].freeze.clear();
  }
  void exists(const std::string& size) {
    Value object = json(claim(size));
    object.find("metadata")->mutable_dict().set("namespace", Value::string("shop"));
    api.put(object);
  }
  void ask(const std::string& size) {
    desired.clear();
    want(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},
             "spec":{"resources":{"requests":{"storage":")" +
             size + R"("}}}})",
         Role::kPartial);
  }
  std::string size() {
    return std::string(
        api.find(claim_ref())->string_at({"spec", "resources", "requests", "storage"}));
  }
};

TEST_CASE("A partial object is applied to an existing target only") {
  PartialWorld world;
  world.ask("4Gi");
  CHECK(world.run().ok());
  CHECK(world.api.calls().empty());
  CHECK(world.inventory.empty());

  world.exists("3Gi");
  CHECK(world.run().ok());
  CHECK(world.size() == "4Gi");
  CHECK(world.inventory.at(claim_ref()).role == Role::kPartial);
  const Value sent = world.api.last("apply PersistentVolumeClaim shop/c").body;
  CHECK(sent.string_at({"metadata", "uid"}) == kube::uid_of(*world.api.find(claim_ref())));
  CHECK(sent.find_path({"metadata", "ownerReferences"}) == nullptr);
  CHECK(world.run().writes == 0);
}

TEST_CASE("A partial object that its rule holds back whole needs no call and is remembered") {
  PartialWorld world;
  world.exists("5Gi");
  world.ask("4Gi");
  CHECK(world.run().writes == 0);
  CHECK(world.inventory.at(claim_ref()).held ==
        "spec.resources.requests.storage stays 5Gi, 4Gi asked");
  // The desired size now equals the live one: nothing is held any more.
  world.ask("5Gi");
  CHECK(world.run().writes == 0);
  CHECK(world.inventory.at(claim_ref()).held.empty());
  // It is no longer rendered. We never owned a field of it, so nothing is given up.
  world.desired.clear();
  CHECK(world.run().ok());
  CHECK(world.api.calls().empty());
  CHECK(world.inventory.empty());
}

TEST_CASE("A partial object that is no longer asked for gives its fields back") {
  PartialWorld world;
  world.exists("3Gi");
  world.ask("4Gi");
  CHECK(world.run().ok());
  world.desired.clear();
  const std::string apply = "apply PersistentVolumeClaim shop/c";

  SECTION("by an apply of its identity alone") {
    CHECK(world.run().ok());
    const Value sent = world.api.last(apply).body;
    CHECK(sent.find("spec") == nullptr);
    CHECK(sent.string_at({"metadata", "namespace"}) == "shop");
    CHECK(sent.string_at({"metadata", "uid"}) == kube::uid_of(*world.api.find(claim_ref())));
    CHECK(world.api.find(claim_ref()));  // Never deleted: others own it.
    CHECK(world.inventory.empty());
  }
  SECTION("or keeps them where it cannot be without, or is gone") {
    const auto code = GENERATE(ErrorCode::kInvalid, ErrorCode::kImmutable, ErrorCode::kNotFound);
    world.api.fail_once(apply, Error(code, "no"));
    CHECK(world.run().ok());
    CHECK(world.inventory.empty());
  }
  SECTION("or is another one by now") {
    world.api.once(apply, [&world] {
      world.api.erase(claim_ref());
      world.exists("3Gi");
      return std::optional<Error>();
    });
    CHECK(world.run().ok());
    CHECK(world.inventory.empty());
  }
  SECTION("other errors are tried again, a conflict with a webhook, too") {
    const auto code = GENERATE(ErrorCode::kForbidden, ErrorCode::kConflict);
    world.api.fail_once(apply, Error(code, "no"));
    CHECK(world.only_error().code() == code);
    CHECK(world.inventory.contains(claim_ref()));
  }
}

TEST_CASE("A child on its way out is waited for, and stays in the inventory") {
  World world;
  world.want_map("a", "1");
  CHECK(world.run().ok());
  Value object = *world.api.find(testing::config_map("a"));
  object.find("metadata")->mutable_dict().set("finalizers", Value::list({Value::string("x/y")}));
  world.api.put(object);
  world.api.begin_deletion(testing::config_map("a"));
  CHECK(world.run().ok());
  CHECK(world.api.calls().empty());
  CHECK(world.inventory.contains(testing::config_map("a")));
}

TEST_CASE("A write is logged by object, action and reason, without contents") {
  World world;
  world.want(
      R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":"tops3cret"}})");
  CHECK(world.run().ok());
  REQUIRE(world.lines.size() == 1);
  CHECK(world.lines[0].find(R"("object":"Secret shop/s")") != std::string::npos);
  CHECK(world.lines[0].find(R"("action":"create")") != std::string::npos);
  CHECK(world.lines[0].find(R"("reason":"missing")") != std::string::npos);
  CHECK(world.lines[0].find("tops3cret") == std::string::npos);
}

}  // namespace
}  // namespace chartwright::release
