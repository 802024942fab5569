// SPDX-License-Identifier: Apache-2.0
// CRDs of charts: created, waited for, updated, released.
#include <catch2/catch.hpp>

#include "revision/keyed_digest.h"
#include "test/operator/hooked.h"
#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using release::DefinitionPolicy;
using testing::Files;
using testing::json;
using testing::World;
using value::Value;
using Calls = std::vector<std::string>;

const std::string kCrd =
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"
    "  name: foos.example.com\nspec:\n  group: example.com\n  scope: Namespaced\n"
    "  names: {kind: Foo, plural: foos}\n  versions:\n  - {name: v1, served: true}\n";
const std::string kFoo = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: w}\n";
const std::string kText = "CustomResourceDefinition.apiextensions.k8s.io foos.example.com";
constexpr std::string_view kWaiting =
    "Unknown Progressing: CustomResourceDefinition foos.example.com is not established yet";

kube::ObjectRef crd() {
  return {{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}, "", "foos.example.com"};
}
kube::ObjectRef foo() { return {{"example.com", "v1", "Foo"}, "shop", "w"}; }

Files with_crd(const std::string& folder) {
  return testing::with(testing::widget_chart(),
                       {{folder + "/foos.yaml", kCrd}, {"templates/foo.yaml", kFoo}});
}

/// A chart with a Foo and its CRD, in a cluster that has neither.
struct Defining : World {
  explicit Defining(const std::string& folder = "crds") : Defining(with_crd(folder)) {}
  explicit Defining(const Files& files) : World(files) {
    api.unserve("Foo");
    spec("{}");
  }

  /// The API server accepts the CRD and, if `served`, lists its kind.
  void establish(bool served = true) {
    Value live = *api.find(crd());
    live.mutable_dict().set("status", json(R"({"storedVersions":["v1"],
      "conditions":[{"type":"Established","status":"True"}]})"));
    api.put(live);
    if (served) {
      api.serve("Foo");
    }
  }
  /// A reconcile that ends early, to come back.
  base::Duration wait() {
    const auto outcome = reconcile();
    REQUIRE(std::holds_alternative<runtime::RequeueAfter>(outcome));
    return std::get<runtime::RequeueAfter>(outcome).delay;
  }
  /// Installs by one of several ways.
  void install() {
    wait();
    establish();
    converge();
  }
  bool has(const kube::ObjectRef& ref) const { return api.find(ref).has_value(); }
  bool lists(std::string_view kind) const {
    const Value object = status();
    const auto& items = object.find("resources")->as_list().items;
    return std::any_of(items.begin(), items.end(),
                       [kind](const Value& item) { return item.string_at({"kind"}) == kind; });
  }
};

release::Owner owner_of(const World& world) {
  return {world.watch.gvk, "shop", "w", std::string(kube::uid_of(world.cr()))};
}

TEST_CASE("A CRD of crds/ is created, waited for, and not owned") {
  Defining world;
  CHECK(world.wait() == std::chrono::milliseconds(250));
  CHECK(world.calls() == Calls{"get " + kText, "get Widget.example.com shop/w", "create " + kText,
                               "apply-status Widget.example.com shop/w"});
  const Value made = world.api.last("create " + kText).body;
  CHECK(made.find_path({"metadata", "ownerReferences"}) == nullptr);
  CHECK(made.find_path({"metadata", "annotations"}) == nullptr);
  CHECK(made.find_path({"metadata", "labels"}) == nullptr);
  CHECK(world.condition("Ready") == kWaiting);
  CHECK(world.condition("ReleaseFailed") == "absent");
  CHECK_FALSE(world.exists("w"));

  SECTION("a wait costs one read, and is reported once") {
    world.wait();
    CHECK(world.calls() == Calls{"get " + kText});
  }
  SECTION("retries become less frequent") {
    world.clock.advance(std::chrono::seconds(3));
    CHECK(world.wait() == std::chrono::seconds(3));
    world.clock.advance(std::chrono::seconds(30));
    CHECK(world.wait() == std::chrono::seconds(5));
  }
  SECTION("until it is established and served; then the rest is applied") {
    world.establish(false);
    world.wait();
    CHECK_THAT(world.condition("Ready"),
               Catch::Matchers::Contains("Foo.example.com is not served"));
    CHECK(world.has(foo()) == false);
    world.api.serve("Foo");
    world.converge();
    CHECK(world.has(foo()));
    CHECK(world.color() == "red");
    CHECK(world.revision() == 1);
    CHECK_FALSE(world.lists("CustomResourceDefinition"));
    world.converge();
    world.converge();
    CHECK(world.calls().empty());
  }
  SECTION("a wait of a minute is reported as an error") {
    world.clock.advance(std::chrono::seconds(60));
    CHECK(world.fail().error.code() == ErrorCode::kTimeout);
    CHECK_THAT(world.condition("ReleaseFailed"),
               Catch::Matchers::Contains("waited for 1m0s and more, without success: "
                                         "CustomResourceDefinition foos.example.com"));
    CHECK(world.fail().error.code() == ErrorCode::kTimeout);  // It is still reported.
    world.establish();
    world.converge();
    CHECK(world.condition("ReleaseFailed") == "absent");
  }
  SECTION("a restart continues the wait") {
    world.restart();
    world.wait();
    CHECK(world.calls() == Calls{"list Secret shop owner=helm,name=w", "get " + kText});
    world.establish();
    world.converge();
    CHECK(world.revision() == 1);
  }
  SECTION("a custom resource deleted meanwhile leaves nothing but the CRD") {
    world.api.begin_deletion(world.ref());
    CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
    world.api.erase(crd());
    CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
    CHECK(world.calls().empty());
  }
}

TEST_CASE("No CRD is created for a custom resource that was deleted") {
  Defining world;
  world.api.once("get " + kText, [&world] {
    world.api.erase(world.ref());
    return std::optional<Error>();
  });
  CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
  CHECK_FALSE(world.has(crd()));
}

TEST_CASE("A CRD that another reconcile created first is used") {
  Defining world;
  world.api.once("create " + kText, [&world] {
    world.api.put(CW_MUST(bundle::Renderer::parse_manifest(kCrd)).front());
    return std::optional<Error>();
  });
  world.wait();
  world.establish();
  world.converge();
  CHECK(world.has(foo()));
}

TEST_CASE("An existing CRD is left as it is, and one that is being deleted is waited for") {
  Defining world;
  world.api.put(json(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"foos.example.com","finalizers":["x"]},"spec":{"note":"theirs"}})"));
  world.establish();
  SECTION("left") {
    world.converge();
    CHECK(world.api.find(crd())->string_at({"spec", "note"}) == "theirs");
    CHECK(world.has(foo()));
  }
  SECTION("waited for") {
    world.api.begin_deletion(crd());
    world.wait();
    CHECK(world.condition("Ready") == kWaiting);
    world.api.erase(crd());
    world.wait();
    world.establish();
    world.converge();
    CHECK(world.has(foo()));
  }
}

TEST_CASE("A missing permission is reported with the rule that grants it") {
  Defining world;
  const Error denied(ErrorCode::kForbidden, "cannot get customresourcedefinitions");
  world.api.fail_always("get " + kText, denied);
  SECTION("where the CRD is missing") {
    CHECK(world.fail().retry == runtime::Retry::kBackoff);
    const std::string condition = world.error();
    CHECK_THAT(condition, Catch::Matchers::Contains("cannot get customresourcedefinitions\n") &&
                              Catch::Matchers::Contains("verbs: [get, create]\n") &&
                              Catch::Matchers::Contains("\"crds: skip\" in watches.yaml"));
  }
  SECTION("with the permission to patch it, for createOrUpdate") {
    world.watch.crds = DefinitionPolicy::kCreateOrUpdate;
    world.fail();
    CHECK_THAT(world.error(), Catch::Matchers::Contains("[get, create, patch]"));
  }
  SECTION("but not where its kind is served: then it is there") {
    world.api.serve("Foo");
    CHECK(world.api.refresh_kinds({}, {}).ok());
    world.converge();
    CHECK(world.has(foo()));
  }
}

TEST_CASE("A kind whose storage is not ready yet is waited for") {
  Defining world;
  world.wait();
  world.establish();
  const Error busy(ErrorCode::kTooManyRequests, "storage is (re)initializing");
  world.api.fail_once("apply Foo.example.com shop/w", busy);
  world.wait();
  CHECK(world.condition("Ready") == "Unknown Progressing: storage is (re)initializing");
  CHECK(world.condition("ReleaseFailed") == "absent");
  world.converge();
  CHECK(world.has(foo()));
}

TEST_CASE("A CRD whose names are taken is reported") {
  Defining world;
  world.wait();
  Value live = *world.api.find(crd());
  live.mutable_dict().set("status", json(R"({"conditions":[
    {"type":"NamesAccepted","status":"False","message":"\"Foo\" is already in use"}]})"));
  world.api.put(live);
  CHECK(world.fail().error.code() == ErrorCode::kOwnership);
  CHECK_THAT(world.error(), Catch::Matchers::Contains("\"Foo\" is already in use"));
}

TEST_CASE("With crds: skip no CRD is read, and an unknown kind is the usual error") {
  Defining world;
  world.watch.crds = DefinitionPolicy::kSkip;
  CHECK(world.fail().error.reason() == kube::kNoMatchReason);
  CHECK_FALSE(world.has(crd()));
}

TEST_CASE("A CRD that was deleted is created again when its instance is missing") {
  Defining world;
  world.install();
  world.converge();
  world.api.erase(world.config_map("w"));
  world.converge();
  const Calls calls = world.calls();
  CHECK(std::find(calls.begin(), calls.end(), "apply ConfigMap shop/w") != calls.end());
  CHECK(std::find(calls.begin(), calls.end(), "get " + kText) == calls.end());
  world.converge();
  world.api.erase(foo());
  world.api.erase(crd());
  world.wait();
  CHECK(world.has(crd()));
  world.establish();
  world.converge();
  CHECK(world.has(foo()));
}

TEST_CASE("A CRD that is deleted while a hook runs is created again") {
  Defining world(testing::with(
      with_crd("crds"), {{"templates/hook.yaml", testing::hook_job("before", "pre-install")}}));
  world.wait();
  world.establish();
  world.wait();
  REQUIRE(world.api.find(testing::job("before")));
  world.api.erase(crd());
  world.api.unserve("Foo");
  SECTION("and the process goes on") {}
  SECTION("and another process begins") { world.restart(); }
  Value done = *world.api.find(testing::job("before"));
  done.mutable_dict().set("status",
                          json(R"({"conditions":[{"type":"Complete","status":"True"}]})"));
  world.api.put(done);
  world.wait();
  CHECK(world.has(crd()));
  CHECK(world.condition("Ready") == kWaiting);
  world.establish();
  world.converge();
  CHECK(world.has(foo()));
  CHECK(world.revision() == 1);
}

TEST_CASE("A CRD in templates/ is a child, applied before what it defines") {
  Defining world("templates");
  world.wait();
  CHECK(world.has(crd()));
  CHECK_FALSE(world.exists("w"));  // All else waits: if a step failed, half of it would be left.
  CHECK(world.lists("Foo"));       // Announced.
  CHECK_THAT(world.condition("Ready"), Catch::Matchers::Contains("Foo.example.com is not served"));
  SECTION("and all of it is installed in one go") {
    world.establish();
    world.converge();
    CHECK(world.has(foo()));
    CHECK(world.revision() == 1);
    CHECK(world.lists("CustomResourceDefinition"));
    CHECK(release::claim_on(*world.api.find(crd()), owner_of(world)) == release::Claim::kOurs);
    world.converge();
    world.converge();
    CHECK(world.calls().empty());
  }
  SECTION("and goes with a custom resource that is deleted meanwhile, also after a restart") {
    world.restart();
    world.api.begin_deletion(world.ref());
    CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
    CHECK_FALSE(world.has(crd()));
    CHECK_FALSE(world.has(world.ref()));
  }
}

TEST_CASE("A kind that no CRD of the release defines is the usual error") {
  World world(testing::with(testing::widget_chart(), {{"templates/foo.yaml", kFoo}}));
  world.api.unserve("Foo");
  world.spec("{}");
  CHECK(world.fail().error.reason() == kube::kNoMatchReason);
  CHECK_FALSE(world.exists("w"));
}

TEST_CASE("An update makes a CRD what the chart says, except for versions that are stored") {
  Defining world;
  world.watch.crds = DefinitionPolicy::kCreateOrUpdate;
  world.install();
  std::string newer = kCrd;
  newer.replace(newer.find("{name: v1"), 9, "{name: v2");
  world.deploy({{"crds/foos.yaml", newer},
                {"values.yaml",
                 "color: blue\nbroken: false\n"
                 "empty: false\nextra: \"\"\nraw: \"\"\n"},
                {"templates/foo.yaml", ""}});
  world.converge();
  const std::string held = world.condition("DefinitionsHeld");
  CHECK_THAT(held, Catch::Matchers::StartsWith(
                       "True NotUpdated: CustomResourceDefinition foos.example.com is "
                       "not updated: the chart no longer has v1, in which"));
  CHECK(world.color() == "blue");
  CHECK(world.condition("Ready") ==
        "True DefinitionsHeld: all children are ready; see the condition DefinitionsHeld");

  SECTION("each reconcile tries again, and a restart remembers it") {
    world.converge();
    CHECK(world.calls() == Calls{"get " + kText});
    world.restart();
    world.converge();
    CHECK(world.condition("DefinitionsHeld") == held);
    CHECK(world.calls() == Calls{"get " + kText});
  }
  SECTION("and made once nothing is stored in them") {
    Value live = *world.api.find(crd());
    live.find("status")->mutable_dict().set("storedVersions", json(R"(["v2"])"));
    world.api.put(live);
    world.converge();
    CHECK(world.condition("DefinitionsHeld") == "absent");
    const Value sent = world.api.last("apply " + kText).body;
    CHECK_FALSE(sent.string_at({"metadata", "uid"}).empty());
    CHECK_FALSE(sent.string_at({"metadata", "resourceVersion"}).empty());
    world.converge();
    CHECK(world.calls().empty());
  }
}

/// A custom resource as an older Chartwright left it: with the CRD as a child.
struct Stamped : Defining {
  Stamped() : Defining("templates") {
    install();
    converge();
    // The record of that version names the file in crds/.
    Value record = *api.find(secret(1));
    release::Revision revision = CW_MUST(release::decode_revision(record));
    const std::string from = "# Source: widget/templates/foos.yaml";
    const size_t at = revision.manifest.find(from);
    REQUIRE(at != std::string::npos);
    revision.manifest.replace(at, from.size(), "# Source: widget/crds/foos.yaml");
    testing::put_signed_record(*this, revision);
    Value object = cr();
    object.find("status")->find("history")->as_list().items.front().mutable_dict().set(
        "digest", Value::string(CW_MUST(release::keyed_digest(revision.key, revision.manifest))));
    api.put(object);
  }
  /// The chart has the CRD in crds/, or no longer.
  void move(bool to_crds) {
    deploy({{"templates/foos.yaml", ""}, {"crds/foos.yaml", to_crds ? kCrd : "# Gone.\n"}});
  }
  void check_released() {
    const auto live = api.find(crd());
    REQUIRE(live);
    CHECK(release::claim_on(*live, owner_of(*this)) == release::Claim::kNobody);
    CHECK_FALSE(kube::label_of(*live, release::kChartLabel));
    CHECK_FALSE(kube::is_deleting(*live));
  }
};

TEST_CASE("A CRD that an older version recorded as a child is released") {
  Stamped world;
  SECTION("by the next render") {
    world.move(true);
    world.converge();
    world.check_released();
    CHECK_FALSE(world.lists("CustomResourceDefinition"));
    CHECK(world.has(foo()));
    world.converge();
    world.converge();
    CHECK(world.calls().empty());
  }
  SECTION("by an uninstall, which deletes all else") {
    world.move(false);
    world.api.begin_deletion(world.ref());
    CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
    world.check_released();
    CHECK_FALSE(world.has(world.ref()));
  }
  SECTION("and not, if it belongs to another custom resource by now") {
    Value live = *world.api.find(crd());
    live.find("metadata")
        ->find("annotations")
        ->mutable_dict()
        .set(release::kOwnerAnnotation, Value::string("shop/another"));
    world.api.put(live);
    world.move(true);
    world.converge();
    CHECK(kube::annotation_of(*world.api.find(crd()), release::kOwnerAnnotation) == "shop/another");
    CHECK_FALSE(world.lists("CustomResourceDefinition"));
  }
  SECTION("a rollback to such a record does not take it back") {
    world.move(true);
    world.spec(R"({"color":"green"})");
    world.converge();
    world.annotate(kRollbackTo, "1");
    world.converge();
    CHECK(world.color() == "red");
    world.check_released();
    const Value record = *world.api.find(world.secret(static_cast<int>(world.revision())));
    CHECK(CW_MUST(release::decode_revision(record)).manifest.find("kind: CustomResource") ==
          std::string::npos);
  }
}

TEST_CASE("A CRD that was recorded as a child is released whatever the chart and the record give") {
  Stamped world;
  SECTION("if the chart no longer brings it: the record says where it came from") {
    world.move(false);
    world.converge();
    world.check_released();
    CHECK_FALSE(world.lists("CustomResourceDefinition"));
  }
  SECTION("if that chart does not render, and a repair is due") {
    world.move(false);
    world.deploy({{"templates/broken.yaml", "{{ fail \"no\" }}"}});
    world.fail();
    world.api.erase(world.config_map("w"));
    world.converge();
    CHECK(world.exists("w"));
    world.check_released();
  }
  SECTION("with crds: skip") {
    world.watch.crds = DefinitionPolicy::kSkip;
    world.move(true);
    world.converge();
    world.check_released();
  }
  SECTION("if the record cannot be read") {
    world.api.erase(world.secret(1));
    world.move(false);
    world.converge();
    world.check_released();
  }
}

TEST_CASE("A CRD that moves from templates/ to crds/ is released, and no rollback takes it back") {
  Defining world("templates");
  world.install();
  world.deploy({{"templates/foos.yaml", ""}, {"crds/foos.yaml", kCrd}});
  world.spec(R"({"color":"green"})");
  world.converge();
  CHECK(release::claim_on(*world.api.find(crd()), owner_of(world)) == release::Claim::kNobody);
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.color() == "red");
  CHECK(release::claim_on(*world.api.find(crd()), owner_of(world)) == release::Claim::kNobody);
  CHECK_FALSE(world.lists("CustomResourceDefinition"));
}

TEST_CASE("With crds: skip a CRD in templates/ is a child, also if crds/ names it") {
  Defining world("templates");
  world.watch.crds = DefinitionPolicy::kSkip;
  world.deploy({{"crds/foos.yaml", kCrd}});
  world.install();
  world.converge();
  CHECK(release::claim_on(*world.api.find(crd()), owner_of(world)) == release::Claim::kOurs);
  world.spec(R"({"color":"green"})");
  world.converge();
  CHECK(world.lists("CustomResourceDefinition"));
}

TEST_CASE("A CRD that leaves templates/ is pruned like any child") {
  Defining world("templates");
  world.install();
  world.deploy({{"templates/foos.yaml", ""}, {"templates/foo.yaml", ""}});
  world.start();
  CHECK(world.caches().watch_children(world.ref(), {crd(), foo()}, {}).ok());  // As at each start.
  world.converge();
  CHECK_FALSE(world.has(crd()));
  CHECK_FALSE(world.has(foo()));
}

}  // namespace
}  // namespace chartwright::op
