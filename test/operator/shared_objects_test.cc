// SPDX-License-Identifier: Apache-2.0
// Several custom resources that meet in one object.
#include <catch2/catch.hpp>

#include "operator/patches.h"
#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::json;
using testing::World;
using value::Value;

// Each has a child of its own name, with what the spec says, and patches what the spec names.
constexpr std::string_view kNeighbour = R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Values.name | default .Release.Name }}
  labels: {child: "yes"}
data:
  t: {{ .Values.text | default "x" | quote }}
)";
constexpr std::string_view kNeighbourPatch = R"({{- with .Values.patch }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .target }}
data: {{ toJson .data }}
{{- end }}
)";

testing::Files neighbours_chart() {
  return testing::with(testing::widget_chart(),
                       {{"templates/widget.yaml", std::string(kNeighbour)},
                        {"operator/patches/patch.yaml", std::string(kNeighbourPatch)}});
}

struct Neighbours : World {
  Neighbours() : World(neighbours_chart()) {
    api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap",
                     "metadata":{"name":"t","namespace":"shop"},"data":{"own":"x"}})"));
  }
  /// A custom resource that patches `target` with these data, reconciled.
  void patches(const std::string& name, const std::string& data, const std::string& target = "t") {
    turn_to(name);
    spec(R"({"patch":{"target":")" + target + R"(","data":)" + data + "}}");
    converge();
  }
  /// Reconciles all of them until nobody writes, and returns in how many rounds.
  int settle(const std::vector<std::string>& names) {
    constexpr int kRoundsMax = 6;
    for (int round = 0; round < kRoundsMax; ++round) {
      size_t writes = 0;
      for (const std::string& name : names) {
        turn_to(name);
        converge();
        writes += calls().size();
      }
      if (writes == 0) {
        return round;
      }
    }
    FAIL("they do not come to rest");
    return kRoundsMax;
  }
  /// Deletes a custom resource, and lets the operator see to it.
  void remove(const std::string& name) {
    turn_to(name);
    api.begin_deletion(ref());
    reconcile();
    CHECK_FALSE(api.find(ref()));
    reconcile();
  }
  std::string data(const std::string& name = "t") {
    return CW_MUST(value::to_json(*api.find(config_map(name))->find("data")));
  }
  std::string condition_of(const std::string& name, std::string_view type) {
    turn_to(name);
    return condition(type);
  }
};

TEST_CASE("Patches of two custom resources in one object keep to their fields") {
  Neighbours world;
  world.patches("a", R"({"by-a":"1"})");
  world.patches("b", R"({"by-b":"2"})");
  world.settle({"a", "b"});
  CHECK(world.data() == R"({"by-a":"1","by-b":"2","own":"x"})");
  SECTION("one changes") {
    world.patches("a", R"({"by-a":"3"})");
    world.settle({"b", "a"});
    CHECK(world.data() == R"({"by-a":"3","by-b":"2","own":"x"})");
  }
  SECTION("one takes another field") {
    world.patches("a", R"({"also-a":"3"})");
    world.settle({"b", "a"});
    CHECK(world.data() == R"({"also-a":"3","by-b":"2","own":"x"})");
  }
  SECTION("one is deleted") {
    world.remove("a");
    world.settle({"b"});
    CHECK(world.data() == R"({"by-b":"2","own":"x"})");
  }
  SECTION("both are deleted") {
    world.remove("b");
    world.remove("a");
    CHECK(world.data() == R"({"own":"x"})");
  }
  SECTION("another process writes nothing") {
    world.restart();
    CHECK(world.settle({"a", "b"}) == 0);
  }
}

TEST_CASE("Two patches of one field: the first stays, and both name the other") {
  Neighbours world;
  world.patches("a", R"({"color":"red"})");
  world.patches("b", R"({"color":"blue","more":"b"})");
  CHECK(world.triggered().contains("Widget.example.com shop/a"));
  world.settle({"a", "b"});
  CHECK(world.data() == R"({"color":"red","more":"b","own":"x"})");
  CHECK(world.condition_of("b", "Ready") ==
        "False PatchRefused: data.color of ConfigMap shop/t has another value, set by "
        "Widget.example.com shop/a");
  CHECK(world.condition_of("b", "Stalled").starts_with("True PatchRefused"));
  CHECK(world.condition_of("a", "Contested") ==
        "True PatchConflict: Widget.example.com shop/b wants another value of data.color of "
        "ConfigMap shop/t");
  CHECK(world.condition_of("a", "Ready").starts_with("True"));
  SECTION("the first one yields") {
    world.patches("a", R"({"other":"a"})");
    CHECK(world.triggered().contains("Widget.example.com shop/b"));
    world.settle({"b", "a"});
    CHECK(world.data() == R"({"color":"blue","more":"b","other":"a","own":"x"})");
    CHECK(world.condition_of("a", "Contested") == "absent");
    CHECK(world.condition_of("b", "Ready").starts_with("True"));
    CHECK(world.condition_of("b", "Stalled") == "absent");
  }
  SECTION("the first one is deleted") {
    world.remove("a");
    CHECK(world.triggered().contains("Widget.example.com shop/b"));
    world.settle({"b"});
    CHECK(world.data() == R"({"color":"blue","more":"b","own":"x"})");
    CHECK(world.condition_of("b", "Ready").starts_with("True"));
  }
  SECTION("the second one is deleted") {
    world.remove("b");
    CHECK(world.triggered().contains("Widget.example.com shop/a"));
    world.settle({"a"});
    CHECK(world.data() == R"({"color":"red","own":"x"})");
    CHECK(world.condition_of("a", "Contested") == "absent");
  }
  SECTION("they agree, and one goes") {
    world.patches("b", R"({"color":"red"})");
    world.settle({"a", "b"});
    CHECK(world.condition_of("a", "Contested") == "absent");
    world.remove("a");
    CHECK(world.data() == R"({"color":"red","own":"x"})");
    world.settle({"b"});
    CHECK(world.data() == R"({"color":"red","own":"x"})");
  }
  SECTION("another process finds it so, and changes nothing in the object") {
    const std::string before(kube::resource_version_of(*world.api.find(world.config_map("t"))));
    world.restart();
    world.settle({"a", "b", "a"});
    CHECK(kube::resource_version_of(*world.api.find(world.config_map("t"))) == before);
    CHECK(world.condition_of("a", "Contested").starts_with("True PatchConflict"));
    CHECK(world.condition_of("b", "Ready").starts_with("False PatchRefused"));
  }
}

TEST_CASE("The child of another custom resource takes no patch") {
  Neighbours world;
  const bool child_first = GENERATE(true, false);
  const auto make_child = [&world] {
    world.turn_to("a");
    world.spec(R"({"text":"of a"})");
    world.converge();
  };
  if (child_first) {
    make_child();
  }
  world.patches("b", R"({"t":"of b","by-b":"1"})", "a");
  if (!child_first) {
    make_child();
  }
  world.settle({"b", "a"});
  const Value child = *world.api.find(world.config_map("a"));
  CHECK(world.data("a") == R"({"t":"of a"})");
  CHECK(kube::owner_references_of(child).size() == 1);
  CHECK(child.string_at({"metadata", "labels", "child"}) == "yes");
  CHECK(world.condition_of("b", "Ready") ==
        "False PatchRefused: ConfigMap shop/a is a child of Widget.example.com shop/a, and takes "
        "no patch");
  CHECK(world.condition_of("a", "Ready").starts_with("True"));
  SECTION("as long as it is a child") {
    world.remove("a");
    world.api.erase(world.config_map("a"));
    world.settle({"b"});
    CHECK(world.condition_of("b", "Ready").starts_with("False TargetMissing"));
    world.api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap",
                           "metadata":{"name":"a","namespace":"shop"},"data":{}})"));
    CHECK(world.triggered().contains("Widget.example.com shop/b"));
    world.settle({"b"});
    CHECK(world.data("a") == R"({"by-b":"1","t":"of b"})");
  }
  SECTION("nor does the deletion take anything from it") {
    world.remove("b");
    CHECK(world.data("a") == R"({"t":"of a"})");
  }
}

TEST_CASE("A patched object that another custom resource adopts stays whole") {
  Neighbours world;
  world.patches("b", R"({"by-b":"1","t":"of b"})", "t");
  world.turn_to("t");  // Its child has this name.
  world.spec(R"({"text":"of t"})");
  world.watch.adoption = bundle::AdoptionPolicy::kAuthor;
  world.annotate(kAdopt, "true");
  world.converge();
  world.settle({"b", "t"});
  CHECK(world.data("t") == R"({"by-b":"1","own":"x","t":"of t"})");
  CHECK(world.condition_of("b", "Ready")
            .starts_with("False PatchRefused: ConfigMap shop/t is a "
                         "child of Widget.example.com shop/t"));
  world.remove("b");
  world.settle({"t"});
  CHECK(world.data("t") == R"({"own":"x","t":"of t"})");
}

TEST_CASE("An object that a custom resource patched, and then renders, is its child") {
  Neighbours world;
  world.patches("p", R"({"by-p":"1"})");
  world.watch.adoption = bundle::AdoptionPolicy::kAuthor;
  world.annotate(kAdopt, "true");
  world.spec(R"({"name":"t","patch":{"target":"t","data":{"by-p":"1"}}})");
  world.settle({"p"});
  CHECK(world.condition_of("p", "Ready") ==
        "False PatchRefused: ConfigMap shop/t is a child of this custom resource, whose chart has "
        "to write it");
  CHECK(world.data("t") == R"({"own":"x","t":"x"})");
}

TEST_CASE("A deletion gives up patches, whatever became of their targets") {
  Neighbours world;
  world.patches("a", R"({"by-a":"1"})");
  CHECK(kube::finalizers_of(world.cr()) == std::vector{std::string(kUninstallFinalizer)});
  SECTION("an object that is there") {
    world.remove("a");
    CHECK(world.data() == R"({"own":"x"})");
  }
  SECTION("by another process") {
    world.restart();
    world.remove("a");
    CHECK(world.data() == R"({"own":"x"})");
  }
  SECTION("one that is gone") {
    world.api.erase(world.config_map("t"));
    world.remove("a");
  }
  SECTION("one whose kind is gone") {
    world.restart();
    world.api.unserve("ConfigMap");
    world.turn_to("a");
    world.api.begin_deletion(world.ref());
    world.reconcile();
    CHECK_FALSE(world.api.find(world.ref()));
  }
  SECTION("one that cannot be without the field") {
    world.api.fail_always("apply ConfigMap shop/t", Error(ErrorCode::kInvalid, "needed"));
    world.remove("a");
    CHECK(world.data() == R"({"by-a":"1","own":"x"})");
    CHECK(world.api.find(world.config_map("t"))->items_at({"metadata", "managedFields"}).size() <=
          1);
  }
  SECTION("one that may not be written: the deletion waits, and says so") {
    world.api.fail_always("apply ConfigMap shop/t", Error(ErrorCode::kForbidden, "no right"));
    world.api.begin_deletion(world.ref());
    world.fail();
    CHECK(world.condition("Stalled").starts_with("True UninstallError"));
    world.api.fail_always("apply ConfigMap shop/t", std::nullopt);
    world.reconcile();
    CHECK_FALSE(world.api.find(world.ref()));
  }
}

TEST_CASE("The finalizer precedes the first write of a patch, and only that") {
  Neighbours world;
  world.api.erase(world.config_map("t"));
  world.patches("a", R"({"by-a":"1"})");
  CHECK(kube::finalizers_of(world.cr()).empty());
  world.api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap",
                         "metadata":{"name":"t","namespace":"shop"}})"));
  world.api.once("apply ConfigMap shop/t", [&world] {
    CHECK(kube::finalizers_of(world.cr()).size() == 1);
    return std::nullopt;
  });
  world.converge();
  CHECK(world.data() == R"({"by-a":"1"})");
}

TEST_CASE("A custom resource that patched before gets the finalizer, and its fields") {
  Neighbours world;
  world.patches("a", R"({"by-a":"1"})");
  Value target = value::deep_copy(*world.api.find(world.config_map("t")));
  for (const Value& entry : target.items_at({"metadata", "managedFields"})) {
    entry.mutable_dict().set("manager", Value::string("chartwright"));
  }
  world.api.put(target);
  Value cr = value::deep_copy(world.cr());
  cr.find("metadata")->mutable_dict().erase("finalizers");
  world.api.put(cr);
  world.restart();
  world.settle({"a"});
  CHECK(kube::finalizers_of(world.cr()).size() == 1);
  CHECK(world.data() == R"({"by-a":"1","own":"x"})");
  world.remove("a");
  CHECK(world.data() == R"({"own":"x"})");
}

TEST_CASE("A chart that has no patches any more gives up those that it had") {
  Neighbours world;
  world.patches("a", R"({"by-a":"1"})");
  world.watch.bundle.patches.clear();
  world.spec(R"({"text":"changed"})");
  world.converge();
  CHECK(world.data() == R"({"own":"x"})");
  CHECK(world.settle({"a"}) == 0);
}

TEST_CASE("A forged status takes nothing from others") {
  Neighbours world;
  world.turn_to("victim");
  world.spec("{}");
  world.converge();
  world.patches("b", R"({"by-b":"1"})");
  const std::string child = world.data("victim");
  const std::string patched = world.data("t");
  world.turn_to("a");
  world.spec("{}");
  world.converge();
  Value cr = value::deep_copy(world.cr());
  std::vector<Value> resources = cr.items_at({"status", "resources"});
  for (const char* name : {"victim", "t"}) {
    Value item = json(R"({"version":"v1","kind":"ConfigMap","namespace":"shop","partial":true,
                          "desired":"x","observed":"y"})");
    item.mutable_dict().set("name", Value::string(name));
    resources.push_back(item);
  }
  cr.find("status")->mutable_dict().set("resources", Value::list(resources));
  world.api.put(cr);
  world.restart();
  SECTION("while the custom resource lives") {
    world.spec(R"({"text":"changed"})");
    world.settle({"a"});
  }
  SECTION("when it is deleted") {
    world.annotate(kUninstallWait, "true");
    world.turn_to("a");
    world.converge();
    world.api.begin_deletion(world.ref());
    world.reconcile();
  }
  CHECK(world.data("victim") == child);
  CHECK(world.data("t") == patched);
  CHECK(kube::owner_references_of(*world.api.find(world.config_map("victim"))).size() == 1);
}

}  // namespace
}  // namespace chartwright::op
