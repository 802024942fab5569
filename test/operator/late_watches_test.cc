// SPDX-License-Identifier: Apache-2.0
// What a status says while the watches have not sent our own writes yet.
#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::Files;
using testing::widget_chart;
using testing::with;
using testing::World;
using value::Value;

Files with_rule(const std::string& rule) {
  return with(widget_chart(), {{"operator/operator.yaml",
                                "children:\n- match: {kind: ConfigMap}\n  " + rule + "\n"}});
}

const Files& deployment_chart() {
  static const Files kChart = with(widget_chart(), {{"templates/widget.yaml",
                                                     R"(apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas | default 1 }}
)"}});
  return kChart;
}

/// The next call `what` of the operator is the last before the watches fall silent.
void silence_watches_at(World& world, const std::string& what) {
  world.api.once(what, [&world] {
    world.api.hold_watches(true);
    return std::nullopt;
  });
}

void roll_out(World& world) {
  const kube::ObjectRef ref{{"apps", "v1", "Deployment"}, "shop", "w"};
  Value object = *world.api.find(ref);
  const int64_t replicas = object.find_path({"spec", "replicas"})->as_int();
  Value status = Value::dict({{"observedGeneration", Value::integer(kube::generation_of(object))}});
  for (const char* count : {"replicas", "updatedReplicas", "availableReplicas", "readyReplicas"}) {
    status.mutable_dict().set(count, Value::integer(replicas));
  }
  const Value available =
      Value::dict({{"type", Value::string("Available")}, {"status", Value::string("True")}});
  status.mutable_dict().set("conditions", Value::list({available}));
  object.mutable_dict().set("status", status);
  world.api.put(object);
}

TEST_CASE("A child is not ready before the watch has shown it after a change") {
  World world(deployment_chart());
  world.spec("{}");
  world.converge();
  roll_out(world);
  world.converge();
  REQUIRE(world.condition("Ready") == "True Ready: all children are ready");

  world.spec(R"({"replicas": 2})");
  silence_watches_at(world, "apply Deployment.apps shop/w");
  world.converge();
  CHECK(world.revision() == 2);
  CHECK(world.condition("Ready") == "False Progressing: Deployment.apps shop/w: not observed yet");
  world.api.hold_watches(false);
  world.converge();
  CHECK(world.calls().empty());
  roll_out(world);
  world.converge();
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
}

TEST_CASE("A child that was deleted for its successor is not ready") {
  World world(with_rule("update: recreate"));
  world.spec("{}");
  world.converge();
  world.converge();
  REQUIRE(world.condition("Ready") == "True Ready: all children are ready");

  world.spec(R"({"color": "blue"})");
  silence_watches_at(world, "delete ConfigMap shop/w");
  world.converge();
  const std::string waits = "False Progressing: ConfigMap shop/w: being deleted";
  CHECK(world.condition("Ready") == waits);
  world.converge();
  CHECK(world.condition("Ready") == waits);
  CHECK(world.calls().empty());  // It is not deleted twice.
  world.api.hold_watches(false);
  world.converge();
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
}

TEST_CASE("The repair of a child that is ready at once leaves the status as it is") {
  World world;
  world.spec("{}");
  world.converge();
  world.converge();
  Value child = *world.api.find(world.config_map("w"));
  child.find("data")->mutable_dict().set("color", Value::string("edited"));
  world.api.put(child);
  silence_watches_at(world, "apply ConfigMap shop/w");
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.calls() == Calls{testing::get(1), "get ConfigMap shop/w", "apply ConfigMap shop/w"});
}

TEST_CASE("A child is ready according to its rule only as the watch shows it") {
  World world(with_rule(R"(ready: '{{ eq .Object.data.color "red" }}')"));
  world.spec("{}");
  world.converge();
  world.converge();
  REQUIRE(world.condition("Ready") == "True Ready: all children are ready");
  world.spec(R"({"color": "blue"})");
  silence_watches_at(world, "apply ConfigMap shop/w");
  world.converge();
  CHECK(world.condition("Ready") == "False Progressing: ConfigMap shop/w: just written");
  world.api.hold_watches(false);
  world.converge();
  CHECK(world.condition("Ready") ==
        "False Progressing: ConfigMap shop/w: not ready according to its rule");
}

TEST_CASE("An install whose children are ready at once is ready at once") {
  World world;
  world.spec("{}");
  silence_watches_at(world, "apply ConfigMap shop/w");
  world.converge();
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
}

}  // namespace
}  // namespace chartwright::op
