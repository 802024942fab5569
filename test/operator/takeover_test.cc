// SPDX-License-Identifier: Apache-2.0
#include "operator/takeover.h"

#include <catch2/catch.hpp>

#include "test/operator/hooked.h"
#include "test/operator/parts.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::Files;
using testing::get;
using testing::has;
using testing::kStatus;
using testing::patch;
using testing::put_record;
using testing::record;
using testing::widget_chart;
using testing::with;
using testing::World;
using value::Value;
using value::testing::json;

const std::string kList = "list Secret shop owner=helm,name=w";
const std::string kGetChild = "get ConfigMap shop/w";
const std::string kPatchChild = "patch ConfigMap shop/w";

void set_status(World& world, const std::string& status) {
  Value cr = world.cr();
  cr.mutable_dict().set("status", json(status));
  world.api.put(cr);
}

void set_finalizer(World& world) {
  Value cr = world.cr();
  cr.find("metadata")
      ->mutable_dict()
      .set("finalizers", json(R"(["helm.sdk.operatorframework.io/uninstall-release"])"));
  world.api.put(cr);
}

/// The fields of a child become those of helm-operator.
void give_fields_back(World& world, const std::string& name) {
  Value child = *world.api.find(world.config_map(name));
  std::vector<Value> entries;
  for (const Value& entry : child.find_path({"metadata", "managedFields"})->as_list().items) {
    entries.push_back(value::deep_copy(entry));
    entries.back().mutable_dict().set("manager", Value::string("helm-operator"));
    entries.back().mutable_dict().set("operation", Value::string("Update"));
  }
  child.find("metadata")->mutable_dict().set("managedFields", Value::list(std::move(entries)));
  world.api.put(child);
}

/// Somebody changes the child.
void edit(World& world) {
  Value child = *world.api.find(world.config_map("w"));
  child.find("data")->mutable_dict().set("color", Value::string("edited"));
  world.api.put(child);
}

/// Makes what the operator has installed a release of helm-operator, while no operator runs.
void give_back(World& world, const Calls& children = {"w"}) {
  for (const std::string& name : children) {
    give_fields_back(world, name);
  }
  release::Revision newest = record(world, static_cast<int>(world.revision()));
  newest.key.clear();
  put_record(world, newest);
  set_status(world, R"({"conditions":[{"type":"Deployed","status":"True","message":"Notes."}],
                        "deployedRelease":{"name":"w","manifest":"data: secret"}})");
  set_finalizer(world);
  world.restart();
}

/// A release in that color, with the objects that the spec names.
void install(World& world, const std::string& spec = "{}") {
  world.spec(spec);
  world.converge();
  world.converge();
}

TEST_CASE("A release of helm-operator goes on under its number") {
  World world;
  install(world);
  world.spec(R"({"color": "blue"})");
  world.converge();
  const std::string uid(kube::uid_of(*world.api.find(world.config_map("w"))));
  give_back(world);

  world.converge();
  CHECK(world.calls() == Calls{kList, get(2), get(1), kGetChild, kPatchChild,
                               "patch Widget.example.com shop/w", get(2), patch(2), kStatus});
  CHECK(world.revision() == 2);
  CHECK(world.history() == Calls{"2 deployed Upgrade complete", "1 superseded Install complete"});
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  CHECK(value::json_equal(*world.status().find("deployedRelease"), json(R"({"name":"w"})")));
  CHECK(kube::uid_of(*world.api.find(world.config_map("w"))) == uid);
  CHECK(world.lines.mention("Took over release"));

  world.converge();
  CHECK(world.calls().empty());
  world.restart();
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("A child that a chart drops after the takeover is deleted") {
  World world;
  install(world, R"({"extra": "more"})");
  give_back(world, {"w", "more"});
  SECTION("in the reconcile that takes over") {}
  SECTION("later") { world.converge(); }
  world.spec("{}");
  world.converge();
  world.converge();
  CHECK_FALSE(world.exists("more"));
  CHECK(world.revision() == 2);
  CHECK(record(world, 1).status == release::RevisionStatus::kSuperseded);
}

TEST_CASE("A child that differs from the record is applied") {
  World world;
  install(world);
  give_back(world);
  edit(world);
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.revision() == 1);
}

TEST_CASE("A child that is gone is created anew") {
  World world;
  install(world);
  give_back(world);
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.revision() == 1);
}

TEST_CASE("A child of others is not taken over") {
  World world;
  install(world);
  give_back(world);
  Value child = *world.api.find(world.config_map("w"));
  SECTION("it has another controller") {
    const release::Owner other{world.watch.gvk, "shop", "w", "uid-other"};
    child.find("metadata")
        ->mutable_dict()
        .set("ownerReferences", Value::list({release::owner_reference(other)}));
  }
  SECTION("nothing says that it belongs to the release") {
    child.find("metadata")->mutable_dict().erase("ownerReferences");
    child.find("metadata")->mutable_dict().erase("annotations");
  }
  SECTION("it is of another release") {
    child.find("metadata")->mutable_dict().erase("ownerReferences");
    child.find("metadata")
        ->find("annotations")
        ->mutable_dict()
        .set(release::kReleaseNameAnnotation, Value::string("other"));
  }
  world.api.put(child);
  world.fail();
  CHECK_FALSE(has(world.calls(), kPatchChild));
  CHECK_THAT(world.condition("Ready"), Catch::Matchers::StartsWith("False"));
}

TEST_CASE("A child without an owner is recognised by the marks of its release") {
  World world;
  install(world);
  give_back(world);
  Value child = *world.api.find(world.config_map("w"));
  child.find("metadata")->mutable_dict().erase("ownerReferences");
  world.api.put(child);
  world.converge();
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(kube::is_owned_by(*world.api.find(world.config_map("w")), kube::uid_of(world.cr())));
}

TEST_CASE("Only the newest deployed record stays deployed") {
  World world;
  install(world);
  world.spec(R"({"color": "blue"})");
  world.converge();
  release::Revision first = record(world, 1);
  first.status = release::RevisionStatus::kDeployed;
  put_record(world, first);
  give_back(world);
  world.converge();
  CHECK(record(world, 1).status == release::RevisionStatus::kSuperseded);
  CHECK(record(world, 2).status == release::RevisionStatus::kDeployed);
}

TEST_CASE("A record of which the manifest makes no sense holds up nothing") {
  World world;
  install(world);
  world.spec(R"({"color": "blue", "extra": "more"})");
  world.converge();
  give_back(world, {"w", "more"});
  release::Revision broken = record(world, 2);
  broken.manifest = "data: [hunter2";
  put_record(world, broken);
  world.restart();
  world.converge();
  world.converge();
  CHECK(world.revision() == 3);
  CHECK(world.color() == "blue");
  CHECK(record(world, 2).status == release::RevisionStatus::kSuperseded);
  CHECK_FALSE(world.lines.mention("hunter2"));
}

TEST_CASE("A takeover that fails leaves the report of the deployed release") {
  World world;
  install(world);
  give_back(world);
  world.api.fail_once(kGetChild, Error(ErrorCode::kForbidden, "no"));
  world.fail();
  CHECK(world.condition("Deployed") == "True : Notes.");
  world.converge();
  CHECK(world.condition("Deployed") == "True InstallSuccessful: Painted red.");
}

TEST_CASE("An interrupted takeover begins again") {
  World world;
  install(world);
  give_back(world);
  const std::string at =
      GENERATE(values<std::string>({kList, kGetChild, kPatchChild, get(1), patch(1), kStatus}));
  CAPTURE(at);
  world.api.fail_once(at, Error(ErrorCode::kUnavailable, "not now"));
  world.fail();
  world.restart();
  world.converge();
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  CHECK(world.api.count("Secret") == 1);
}

TEST_CASE("A status that somebody wiped is rebuilt, and answers no request twice") {
  World world;
  install(world);
  world.spec(R"({"color": "blue"})");
  world.converge();
  std::string color;
  SECTION("without a request") { color = "blue"; }
  SECTION("with a rollback in force") {
    world.annotate("chartwright.io/rollback-to", "1");
    world.converge();
    color = "red";
  }
  SECTION("with a rollback that the spec has ended") {
    world.annotate("chartwright.io/rollback-to", "1");
    world.converge();
    world.spec(R"({"color": "green"})");
    world.converge();
    color = "green";
  }
  const int64_t revision = world.revision();
  set_status(world, R"({"conditions":[]})");
  world.restart();
  world.converge();
  world.converge();
  CHECK(world.revision() == revision);
  CHECK(world.color() == color);
  CHECK(world.history().size() == static_cast<size_t>(revision));
  // The records of earlier revisions are signed.
  world.annotate("chartwright.io/rollback-to", "2");
  if (revision != 2) {
    world.converge();
    CHECK(world.color() == "blue");
  }
}

TEST_CASE("A rollback after a takeover leads to the record that the chart has confirmed") {
  World world;
  install(world);
  give_back(world);
  edit(world);
  world.converge();
  world.spec(R"({"color": "blue"})");
  world.converge();
  world.annotate("chartwright.io/rollback-to", "1");
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.revision() == 3);
}

TEST_CASE("A rollback never leads to a record that nothing has confirmed") {
  World world;
  install(world);
  give_back(world);
  testing::forge(world, 1);
  world.converge();
  REQUIRE(world.revision() == 2);
  world.annotate("chartwright.io/rollback-to", "1");
  world.converge();
  CHECK_THAT(world.condition("RolledBack"),
             Catch::Matchers::StartsWith("False RollbackRefused: status.history has no digest"));
  CHECK_FALSE(world.exists("forged"));
}

TEST_CASE("A status that somebody wipes while the operator runs is written anew") {
  World world;
  install(world);
  SECTION("after a write") {}
  SECTION("after a restart") {
    world.restart();
    world.converge();
  }
  const Value before = world.status();
  set_status(world, R"({"conditions":[]})");
  world.converge();
  CHECK(world.calls() == Calls{kStatus});
  CHECK(value::json_equal(world.status(), before));
  world.converge();
  CHECK(world.calls().empty());
}

Files random_chart() {
  return with(widget_chart(), {{"templates/password.yaml",
                                R"(apiVersion: v1
kind: ConfigMap
metadata: {name: password}
data: {color: {{ randAlphaNum 24 }}}
)"}});
}

TEST_CASE("Random values stay, if the cluster confirms the record") {
  World world(random_chart());
  install(world);
  const std::string password = world.color("password");
  SECTION("of a status that was wiped") {
    set_status(world, R"({"conditions":[]})");
    world.restart();
  }
  SECTION("of helm-operator") { give_back(world, {"w", "password"}); }
  world.converge();
  world.converge();
  CHECK(world.color("password") == password);
  CHECK(world.revision() == 1);
  world.api.erase(world.config_map("password"));
  world.converge();
  CHECK(world.color("password") == password);
}

/// The status loses its list of children, while no operator runs.
void lose_children(World& world) {
  Value cr = world.cr();
  cr.find("status")->mutable_dict().erase("resources");
  world.api.put(cr);
  world.restart();
}

std::string children_of(const World& world) {
  return CW_MUST(value::to_json(*world.status().find("resources")));
}

TEST_CASE("A status that has lost its children gets them back from record and cluster") {
  World world(random_chart());
  install(world, R"({"extra": "more"})");
  const std::string children = children_of(world);
  const std::string password = world.color("password");
  lose_children(world);
  SECTION("nothing else has happened") {
    world.converge();
    CHECK_FALSE(has(world.calls(), "apply ConfigMap shop/w"));
  }
  SECTION("a child was edited") { edit(world); }
  SECTION("a child was deleted") { world.api.erase(world.config_map("more")); }
  world.converge();
  world.converge();
  CHECK(children_of(world) == children);
  CHECK(world.color() == "red");
  CHECK(world.exists("more"));
  CHECK(world.color("password") == password);
  CHECK(world.revision() == 1);
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("Children that the status has lost are deleted when nothing asks for them any more") {
  World world;
  install(world,
          R"({"raw":"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far, namespace: other}"})");
  const kube::ObjectRef far{{"", "v1", "ConfigMap"}, "other", "far"};
  REQUIRE(world.api.find(far));
  SECTION("by the spec") { world.spec("{}"); }
  SECTION("since the custom resource is deleted") { world.api.begin_deletion(world.ref()); }
  lose_children(world);
  for (int i = 0; i < 3 && world.api.find(far); ++i) {
    world.converge();
  }
  CHECK_FALSE(world.api.find(far));
}

TEST_CASE("Children of an attempt that the status has lost are found as well") {
  testing::Hooked world(
      with(widget_chart(), {{"templates/hook.yaml", testing::hook_job("after", "post-upgrade")}}));
  world.settle();
  world.spec(R"({"extra": "more"})");
  world.step();
  REQUIRE(world.exists("more"));
  lose_children(world);
  world.spec("{}");
  world.settle();
  CHECK_FALSE(world.exists("more"));
  CHECK(world.exists("w"));
}

TEST_CASE("Without its children and its record, a release is rendered anew") {
  World world;
  install(world);
  world.api.erase(world.secret(1));
  lose_children(world);
  edit(world);
  world.converge();
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.status().find("resources")->as_list().items.size() == 1);
}

TEST_CASE("A record that the cluster does not confirm is never applied") {
  World world(random_chart());
  install(world);
  testing::forge(world, 1);
  set_status(world, R"({"conditions":[]})");
  world.annotate("chartwright.io/rollback-to", "1");
  world.restart();
  world.converge();
  world.converge();
  CHECK(world.revision() == 2);
  CHECK_FALSE(world.exists("forged"));
}

TEST_CASE("A custom resource deleted before its first reconcile is uninstalled from the record") {
  World world;
  install(world, R"({"extra": "more"})");
  give_back(world, {"w", "more"});
  world.api.begin_deletion(world.ref());
  for (int i = 0; i < 3 && world.api.find(world.ref()); ++i) {
    world.converge();
  }
  CHECK_FALSE(world.exists("w"));
  CHECK_FALSE(world.exists("more"));
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("A custom resource deleted before its first reconcile has its hooks run") {
  testing::Hooked world(
      with(widget_chart(), {{"templates/hook.yaml", testing::hook_job("farewell", "pre-delete")}}));
  world.settle();
  give_back(world);
  if (GENERATE(false, true)) {  // Then nothing shows that the record is that of the release.
    edit(world);
  }
  world.api.begin_deletion(world.ref());
  world.settle();
  CHECK(world.take_created() == Calls{"farewell"});  // As the chart renders it.
  CHECK_FALSE(world.exists("w"));
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("A record that makes no sense does not hold the deletion") {
  World world;
  install(world);
  give_back(world);
  release::Revision broken = record(world, 1);
  SECTION("no YAML") { broken.manifest = "data: ["; }
  SECTION("no object") { broken.manifest = "data: {text: hunter2}\n"; }
  put_record(world, broken);
  world.api.begin_deletion(world.ref());
  world.converge();
  CHECK_FALSE(world.api.find(world.ref()));
  CHECK(world.lines.mention("does not say what it has created"));
  CHECK_FALSE(world.lines.mention("hunter2"));
}

TEST_CASE("Records are looked for where there may be some, and once") {
  World world;
  world.spec("{}");
  bool asks = true;
  SECTION("a new custom resource has none") { asks = false; }
  SECTION("with helm-operator's finalizer") { set_finalizer(world); }
  SECTION("with a status") { set_status(world, R"({"conditions":[]})"); }
  SECTION("an old one") {
    Value cr = world.cr();
    const base::WallTime created = world.clock.wall() - std::chrono::hours(1);
    cr.find("metadata")
        ->mutable_dict()
        .set("creationTimestamp", Value::string(base::format_rfc3339(created)));
    world.api.put(cr);
  }
  world.converge();
  CHECK(has(world.calls(), kList) == asks);
  CHECK(world.revision() == 1);
  world.spec(R"({"color": "blue"})");
  world.converge();
  CHECK_FALSE(has(world.calls(), kList));
}

}  // namespace
}  // namespace chartwright::op
