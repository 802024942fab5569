// SPDX-License-Identifier: Apache-2.0
#include "operator/patches.h"

#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::json;
using testing::World;
using value::Value;

constexpr std::string_view kPatch = R"({{- if .Values.extra }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: theirs
data:
  color: {{ .Values.color }}
{{- end }}
)";

testing::Files patching_chart() {
  return testing::with(
      testing::widget_chart(),
      {{"templates/widget.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: w\n"},
       {"operator/patches/theirs.yaml", std::string(kPatch)},
       {"operator/operator.yaml",
        "related:\n  theirs:\n    apiVersion: v1\n    kind: ConfigMap\n"
        "    selector: {app: theirs}\n"}});
}

Value theirs() {
  return json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"theirs",
                  "namespace":"shop","labels":{"app":"theirs"}},"data":{"own":"x"}})");
}

TEST_CASE("A patch writes its fields into an object that it does not own") {
  World world(patching_chart());
  world.spec(R"({"extra":"yes","color":"blue"})");
  world.converge();
  CHECK_FALSE(world.exists("theirs"));  // There is nothing to patch.

  world.api.put(theirs());
  world.converge();
  CHECK(world.color("theirs") == "blue");
  const Value object = *world.api.find(world.config_map("theirs"));
  CHECK(kube::owner_references_of(object).empty());
  CHECK(object.string_at({"data", "own"}) == "x");
  world.converge();
  world.converge();
  CHECK(world.calls().empty());

  SECTION("repairs them") {
    Value edited = object;
    edited.find("data")->mutable_dict().set("color", Value::string("edited"));
    world.api.put(edited);
    world.converge();
    CHECK(world.color("theirs") == "blue");
  }
  SECTION("and gives them back when it ends; the object stays") {
    world.spec(R"({"color":"blue"})");
    world.converge();
    CHECK(world.exists("theirs"));
    CHECK(world.color("theirs").empty());
    world.converge();
    CHECK(world.status().find("resources")->as_list().items.size() == 1);
  }
  SECTION("never deletes the object, whatever happens to the custom resource") {
    world.api.begin_deletion(world.ref());
    world.reconcile();
    CHECK(world.exists("theirs"));
  }
}

TEST_CASE("A patch for which there is no room to watch its target waits until there is some") {
  testing::Files files = patching_chart();
  std::erase_if(files, [](const auto& file) { return file.first == "operator/operator.yaml"; });
  World world(files);
  world.api.put(theirs());
  world.spec(R"({"extra":"yes","color":"blue"})");
  world.start();
  std::set<kube::ObjectRef> many;
  for (size_t i = 0; i < observe::kTargetsMax; ++i) {
    many.insert(world.config_map("target-" + std::to_string(i)));
  }
  const kube::ObjectRef other{world.watch.gvk, "shop", "other"};
  CW_MUST(world.caches().watch_targets(other, many, std::stop_token()));
  CHECK(world.fail().retry == runtime::Retry::kLater);
  CHECK(world.condition("Stalled").starts_with("True "));
  world.triggered();
  world.caches().forget(other);
  CHECK(world.triggered().contains(world.ref().to_string()));
  world.converge();
  CHECK(world.color("theirs") == "blue");
  CHECK(world.condition("Stalled") == "absent");
}

TEST_CASE("A patch that ends before a cache shows it is given up") {
  World world(patching_chart());
  world.api.put(theirs());
  world.spec(R"({"color":"blue"})");
  world.converge();
  world.api.settle();
  world.api.hold_watches_of({"", "ConfigMap"});
  world.spec(R"({"extra":"yes","color":"blue"})");
  world.converge();
  CHECK(world.color("theirs") == "blue");
  world.spec(R"({"color":"blue"})");
  SECTION("also if nobody knew for a while") {
    const std::string get = "get ConfigMap shop/theirs";
    world.api.fail_always(get, Error(ErrorCode::kForbidden, "may not get configmaps"));
    CHECK(world.fail().error.code() == ErrorCode::kForbidden);
    CHECK(world.color("theirs") == "blue");
    world.api.fail_always(get, std::nullopt);
  }
  world.converge();
  CHECK(world.color("theirs").empty());
  world.api.hold_watches(false);
  world.converge();
  CHECK(world.color("theirs").empty());
  CHECK(world.exists("theirs"));
}

TEST_CASE("A patch whose target no related entry selects is applied, too") {
  World world(testing::with(testing::widget_chart(), {{"operator/patches/theirs.yaml",
                                                       "apiVersion: v1\nkind: ConfigMap\n"
                                                       "metadata: {name: theirs}\n"
                                                       "data: {color: blue}\n"}}));
  world.spec("{}");
  world.converge();
  CHECK(world.condition("Ready") ==
        "False TargetMissing: ConfigMap shop/theirs does not exist; its patch waits for it");
  CHECK(world.condition("Reconciling").starts_with("True TargetMissing"));
  world.converge();
  CHECK(world.calls().empty());

  world.api.put(theirs());
  CHECK(world.triggered() == std::set{world.ref().to_string()});
  world.converge();
  CHECK(world.color("theirs") == "blue");
  CHECK(world.condition("Ready").starts_with("True"));
  SECTION("it is repaired") {
    Value edited = *world.api.find(world.config_map("theirs"));
    edited.find("data")->mutable_dict().set("color", Value::string("edited"));
    world.api.put(edited);
    CHECK(world.triggered() == std::set{world.ref().to_string()});
    world.converge();
    CHECK(world.color("theirs") == "blue");
  }
  SECTION("it is missed when it goes") {
    world.api.erase(world.config_map("theirs"));
    CHECK(world.triggered() == std::set{world.ref().to_string()});
    world.converge();
    CHECK(world.condition("Ready").starts_with("False TargetMissing"));
  }
  SECTION("a restart writes nothing") {
    world.converge();
    world.restart();
    world.converge();
    CHECK(world.calls().empty());
  }
}

TEST_CASE("A patch of the custom resource itself is refused") {
  World world(testing::with(
      testing::widget_chart(),
      {{"operator/patches/own.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: {{ .CR.metadata.name }}}\n"
        "spec: {count: {{ add 1 (.CR.spec.count | default 0) }}}\n"}}));
  world.spec("{}");
  world.fail();
  CHECK(world.condition("ReleaseFailed") ==
        "True InstallError: operator/patches: Widget.example.com shop/w is the custom resource "
        "itself, "
        "which no patch may take; operator/status.yaml writes its status");
  CHECK(world.revision() == 1);
  CHECK(world.exists("w"));
}

TEST_CASE("A patch of chance is refused, since it would never come to rest") {
  World world(testing::with(testing::widget_chart(),
                            {{"operator/patches/theirs.yaml",
                              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: theirs}\n"
                              "data: {color: {{ randAlpha 5 }}}\n"}}));
  world.api.put(theirs());
  world.spec("{}");
  world.fail();
  CHECK_THAT(world.error(), Catch::Matchers::Contains("random numbers are refused"));
  CHECK(world.color("theirs").empty());
}

TEST_CASE("A patch that fails is reported and retried; the release stays") {
  World world(patching_chart());
  world.api.put(theirs());
  world.spec(R"({"extra":"yes"})");
  world.api.fail_once("apply ConfigMap shop/theirs", Error(ErrorCode::kForbidden, "may not"));
  CHECK(world.fail().retry == runtime::Retry::kBackoff);
  CHECK(world.revision() == 1);
  CHECK(world.condition("ReleaseFailed") == "True InstallError: may not");
  CHECK(world.condition("Stalled") == "True InstallError: see the condition ReleaseFailed");
  world.converge();
  CHECK(world.color("theirs") == "red");
  CHECK(world.condition("Stalled") == "absent");
}

}  // namespace
}  // namespace chartwright::op
