// SPDX-License-Identifier: Apache-2.0
// Children with generated live names, over whole reconciles.
#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using testing::Files;
using testing::json;
using testing::World;
using value::Value;

constexpr std::string_view kSlots = R"({{- range $i := until (int .Values.count) }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $.Release.Name }}-{{ $i }}
  annotations: {chartwright.io/generate-name: {{ $.Release.Name }}-}
data:
  color: {{ $.Values.color }}
{{- end }}
)";
constexpr std::string_view kNames = R"({{- $names := list }}
{{- range .Live }}
{{- if not (hasKey .metadata "deletionTimestamp") }}{{ $names = append $names .metadata.name }}{{ end }}
{{- end }}
names: {{ sortAlpha $names | toJson }}
)";

Files slots_chart(const std::string& rules = "") {
  return {{"Chart.yaml", "apiVersion: v2\nname: widget\nversion: 0.1.0\n"},
          {"values.yaml", "count: 2\ncolor: red\n"},
          {"templates/slots.yaml", std::string(kSlots)},
          {"operator/status.yaml", std::string(kNames)},
          {"operator/operator.yaml", "allowEmpty: true\n" + rules}};
}

/// A custom resource with generated names.
struct Slots : World {
  explicit Slots(const Files& files = slots_chart()) : World(files) {
    spec("{}");
    converge();
    converge();
  }
  /// The name of the child in each slot, "" where none is recorded.
  std::string name_of(const std::string& slot) const {
    const Value all = status();
    for (const Value& item : all.find("resources")->as_list().items) {
      if (item.string_at({"slot"}) == slot) {
        return std::string(item.string_at({"name"}));
      }
    }
    return "";
  }
  size_t recorded() const { return status().find("resources")->as_list().items.size(); }
  std::string names() const {
    const Value all = status();
    const Value* found = all.find("names");
    return found == nullptr ? "none" : CW_MUST(value::to_json(*found));
  }
  void terminate(const std::string& name) {
    Value object = *api.find(config_map(name));
    object.find("metadata")->mutable_dict().set("finalizers", json(R"(["example.com/hold"])"));
    api.put(object);
    api.begin_deletion(config_map(name));
  }
};

TEST_CASE("Children have live names, which the status and its template see") {
  Slots world;
  const std::string a = world.name_of("w-0");
  const std::string b = world.name_of("w-1");
  CHECK(a.size() == std::string("w-").size() + 5);
  CHECK(a != b);
  CHECK(world.exists(a));
  CHECK(world.exists(b));
  CHECK_FALSE(world.exists("w-0"));
  CHECK(world.names() ==
        CW_MUST(value::to_json(json(a < b ? R"([")" + a + R"(",")" + b + R"("])"
                                          : R"([")" + b + R"(",")" + a + R"("])"))));
  world.converge();
  CHECK(world.calls().empty());
  world.restart();
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("A child that terminates is replaced at once") {
  Slots world;
  const std::string old = world.name_of("w-0");
  const std::string kept = world.name_of("w-1");
  world.terminate(old);
  world.converge();
  const std::string successor = world.name_of("w-0");
  CHECK(successor != old);
  CHECK(world.exists(successor));
  CHECK(world.exists(old));
  CHECK(world.name_of("w-1") == kept);
  world.converge();
  CHECK(world.names().find(old) == std::string::npos);
  CHECK(world.recorded() == 2);
  world.api.erase(world.config_map(old));
  world.converge();
  world.converge();
  CHECK(world.calls().empty());
  CHECK(world.revision() == 1);
}

TEST_CASE("A crash between announcement and creation makes one replacement") {
  Slots world;
  const std::string old = world.name_of("w-0");
  world.terminate(old);
  world.api.fail_once("get Widget.example.com shop/w",
                      base::Error(base::ErrorCode::kUnavailable, "down"));
  world.api.settle();
  static_cast<void>(world.reconcile());
  world.restart();
  world.converge();
  world.converge();
  const std::string successor = world.name_of("w-0");
  CHECK(world.exists(successor));
  CHECK(world.recorded() == 2);
}

TEST_CASE("A child of another custom resource under the name is a conflict") {
  World world(slots_chart());
  world.spec(R"({"count":1})");
  world.converge();
  const Value all = world.status();
  const std::string name(all.find("resources")->as_list().items[0].string_at({"name"}));
  world.spec(R"({"count":0})");
  world.converge();
  REQUIRE_FALSE(world.exists(name));
  world.api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                     R"(","namespace":"shop"},"data":{"color":"theirs"}})"));
  world.spec(R"({"count":1})");
  CHECK(world.fail().error.code() == base::ErrorCode::kOwnership);
  CHECK(world.color(name) == "theirs");
}

TEST_CASE("With the rule recreate, a change makes new children before it deletes the old ones") {
  Slots world(slots_chart("children: [{match: {}, update: recreate}]\n"));
  const std::string a = world.name_of("w-0");
  const std::string b = world.name_of("w-1");
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK_FALSE(world.exists(a));
  CHECK_FALSE(world.exists(b));
  CHECK(world.color(world.name_of("w-0")) == "blue");
  CHECK(world.color(world.name_of("w-1")) == "blue");
  CHECK(world.recorded() == 2);
  world.converge();
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("A paced rollout comes back by itself, and then only for events") {
  Slots world(
      slots_chart("children: [{match: {}, pace: {max: 1, until: ready}, "
                  "ready: '{{ ne .Object.data.color \"bad\" }}', update: recreate}]\n"));
  for (int i = 0; i < 4; ++i) {
    world.converge();
  }
  REQUIRE(world.condition("Ready") == "True Ready: all children are ready");
  world.spec(R"({"color":"bad"})");
  const auto first = world.reconcile();
  REQUIRE(std::holds_alternative<runtime::RequeueAfter>(first));
  CHECK(std::get<runtime::RequeueAfter>(first).delay <= std::chrono::seconds(1));
  world.converge();
  CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
  CHECK_THAT(world.condition("Ready"), Catch::Matchers::StartsWith("False Progressing"));
  world.spec(R"({"color":"good"})");
  for (int i = 0; i < 10; ++i) {
    world.converge();
  }
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  CHECK(world.color(world.name_of("w-0")) == "good");
  CHECK(world.color(world.name_of("w-1")) == "good");
  CHECK(world.recorded() == 2);
}

TEST_CASE("An announcement leaves the author's fields of the status") {
  Slots world;
  const std::string before = world.names();
  testing::Parts parts(world);
  const auto desired = CW_MUST(parts.applier.desired_from(
      {json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}})")},
      release::Role::kChild));
  CW_MUST(parts.applier.announce(desired));
  CHECK(world.recorded() == 3);
  CHECK(before.size() > 10);
  CHECK(world.names() == before);
}

}  // namespace
}  // namespace chartwright::op
