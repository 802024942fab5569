// SPDX-License-Identifier: Apache-2.0
// The ways in which an entry of `related` names its objects.
#include <catch2/catch.hpp>

#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::Files;
using testing::json;
using testing::World;
using value::Value;

constexpr std::string_view kDeployment = R"({{ if not .Values.without }}
apiVersion: apps/v1
kind: Deployment
metadata: {name: w}
spec: {selector: {matchLabels: {app: {{ .Values.app | default "web" }}}}}
{{ end }})";

/// A chart whose status lists the names of the related objects `r`.
Files chart_with(const std::string& entry) {
  return testing::with(
      testing::widget_chart(),
      {{"templates/web.yaml", std::string(kDeployment)},
       {"operator/status.yaml", "names: [{{ range .Related.r }}{{ .metadata.name }},{{ end }}]\n"},
       {"operator/operator.yaml", "related:\n  r: {" + entry + "}\n"}});
}

/// The names in the status: "a b".
std::string names(World& world) {
  world.converge();
  world.converge();  // The first one may have created the child that selects.
  std::string text;
  const Value status = world.status();
  for (const Value& name : status.find("names")->as_list().items) {
    text += (text.empty() ? "" : " ") + std::string(name.as_string());
  }
  return text;
}

void put(World& world, const std::string& kind, const std::string& name, const std::string& ns,
         const std::string& labels = "{}") {
  Value object = json(R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"name":")" + name +
                      R"(","labels":)" + labels + "}}");
  if (!ns.empty()) {
    object.find("metadata")->mutable_dict().set("namespace", Value::string(ns));
  }
  world.api.put(object);
}

bool is_triggered(World& world) { return world.triggered() == std::set{world.ref().to_string()}; }

TEST_CASE("The pods that a child's selector selects are related") {
  World world(
      chart_with("apiVersion: v1, kind: Pod, selectedBy: {apiVersion: apps/v1, "
                 "kind: Deployment, name: '{{ .CR.metadata.name }}'}"));
  world.spec("{}");
  put(world, "Pod", "a", "shop", R"({"app":"web","more":"x"})");
  put(world, "Pod", "other", "shop", R"({"app":"db"})");
  put(world, "Pod", "far", "elsewhere", R"({"app":"web"})");
  // That of another release with the same labels.
  world.api.put(json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"theirs",
      "namespace":"shop","labels":{"app":"web","pod-template-hash":"5f6c"},"ownerReferences":
      [{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"x-5f6c","uid":"r","controller":true}]}})"));
  CHECK(names(world) == "a");
  world.triggered();
  put(world, "Pod", "b", "shop", R"({"app":"web"})");
  CHECK(is_triggered(world));
  CHECK(names(world) == "a b");
  SECTION("another selector selects others") {
    world.spec(R"({"app":"db"})");
    world.converge();
    CHECK(names(world) == "other");
  }
  SECTION("a child that is made again selects again") {
    world.api.erase({{"apps", "v1", "Deployment"}, "shop", "w"});
    world.converge();
    CHECK(names(world) == "a b");
  }
}

TEST_CASE("Objects that a deleted child selected stay patched until it is back") {
  const std::string source = GENERATE("{{ range .Related.r }}{{ if true }}",
                                      "{{ range .Live }}{{ if eq .kind \"Deployment\" }}");
  World world(testing::with(
      chart_with("apiVersion: v1, kind: Pod, selectedBy: {apiVersion: apps/v1, "
                 "kind: Deployment, name: '{{ .CR.metadata.name }}'}"),
      {{"operator/patches/pods.yaml",
        source + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {seen: 'yes'}}\n"
                 "{{ end }}{{ end }}"}}));
  world.spec("{}");
  put(world, "Pod", "a", "shop", R"({"app":"web"})");
  CHECK(names(world) == "a");
  world.converge();
  const auto is_patched = [&world] {
    const Value pod = *world.api.find({{"", "v1", "Pod"}, "shop", "a"});
    return kube::label_of(pod, "seen") == "yes";
  };
  REQUIRE(is_patched());
  world.api.erase({{"apps", "v1", "Deployment"}, "shop", "w"});
  SECTION("while no cache shows it yet") {
    world.api.once("apply Deployment.apps shop/w", [&world] {
      world.api.hold_watches(true);
      return std::nullopt;
    });
    world.converge();
    REQUIRE(names(world).empty());
    CHECK(is_patched());
    world.api.hold_watches(false);
    CHECK(names(world) == "a");
    CHECK(is_patched());
  }
  SECTION("and no longer if the chart does without it") {
    world.spec(R"({"without":true})");
    world.converge();
    world.converge();
    CHECK_FALSE(is_patched());
  }
}

TEST_CASE("Objects of others that labels select are related") {
  World world(chart_with(
      "apiVersion: v1, kind: Pod, selector: {app: '{{ .CR.spec.app | default \"web\" }}'}"));
  world.spec("{}");
  put(world, "Pod", "a", "shop", R"({"app":"web"})");
  world.api.put(json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"theirs",
      "namespace":"shop","labels":{"app":"web","pod-template-hash":"5f6c"},"ownerReferences":
      [{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"x-5f6c","uid":"r","controller":true}]}})"));
  CHECK(names(world) == "a theirs");
}

/// A chart whose Deployment has that selector, and reads the pods that it selects.
Files chart_of_selector(const std::string& selector) {
  return testing::with(chart_with("apiVersion: v1, kind: Pod, "
                                  "selectedBy: {apiVersion: apps/v1, kind: Deployment, name: w}"),
                       {{"templates/web.yaml",
                         "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\n"
                         "spec: {selector: " +
                             selector + "}\n"}});
}

TEST_CASE("The pods that a child selects by expressions are related") {
  World world(
      chart_of_selector("{matchExpressions: [\n"
                        "  {key: app, operator: In, values: [web, {{ .Values.also }}]},\n"
                        "  {key: tier, operator: NotIn, values: [old]}]}"));
  world.spec(R"({"also":"db"})");
  put(world, "Pod", "a", "shop", R"({"app":"web"})");
  put(world, "Pod", "b", "shop", R"({"app":"db","tier":"new"})");
  put(world, "Pod", "c", "shop", R"({"app":"db","tier":"old"})");
  put(world, "Pod", "d", "shop", R"({"app":"mail"})");
  CHECK(names(world) == "a b");
  world.triggered();
  put(world, "Pod", "c", "shop", R"({"app":"db"})");
  CHECK(is_triggered(world));
  CHECK(names(world) == "a b c");
  world.spec(R"({"also":"mail"})");
  world.converge();
  CHECK(names(world) == "a d");
}

TEST_CASE("A child that selects everything is an error") {
  World world(chart_of_selector("{matchLabels: {}}"));
  world.spec("{}");
  world.reconcile();
  world.reconcile();
  CHECK_THAT(world.condition("Ready"),
             Catch::Matchers::Contains("related.r: Deployment.apps shop/w selects everything"));
}

TEST_CASE("Related objects are selected by expressions, with values of the custom resource") {
  World world(
      chart_with("apiVersion: v1, kind: ConfigMap, selector: {matchLabels: {app: web}, "
                 "matchExpressions: [{key: zone, operator: In, values: ['{{ .CR.spec.zone }}', "
                 "all]}, {key: old, operator: DoesNotExist}]}"));
  world.spec(R"({"zone":"east"})");
  put(world, "ConfigMap", "a", "shop", R"({"app":"web","zone":"east"})");
  put(world, "ConfigMap", "b", "shop", R"({"app":"web","zone":"all"})");
  put(world, "ConfigMap", "c", "shop", R"({"app":"web","zone":"west"})");
  put(world, "ConfigMap", "d", "shop", R"({"app":"web","zone":"all","old":""})");
  put(world, "ConfigMap", "e", "shop", R"({"app":"db","zone":"all"})");
  CHECK(names(world) == "a b");
  world.spec(R"({"zone":"west"})");
  world.converge();
  CHECK(names(world) == "b c");
}

TEST_CASE("An object that is named is related, whether it exists or not") {
  World world(chart_with("apiVersion: v1, kind: ConfigMap, name: '{{ .CR.spec.settings }}'"));
  world.spec(R"({"settings":"settings"})");
  CHECK(names(world).empty());
  CHECK(world.condition("UnknownKeys") == "absent");
  world.triggered();
  put(world, "ConfigMap", "settings", "shop");
  CHECK(is_triggered(world));
  CHECK(names(world) == "settings");
  SECTION("it goes") {
    world.api.erase(world.config_map("settings"));
    CHECK(is_triggered(world));
  }
  SECTION("the custom resource names none") { world.spec("{}"); }
  CHECK(names(world).empty());
}

TEST_CASE("Related objects may be in another namespace") {
  World world(
      chart_with("apiVersion: v1, kind: ConfigMap, name: settings, "
                 "namespace: 'of-{{ .CR.metadata.name }}'"));
  world.spec("{}");
  put(world, "ConfigMap", "settings", "shop");
  CHECK(names(world).empty());
  put(world, "ConfigMap", "settings", "of-w");
  CHECK(names(world) == "settings");
}

TEST_CASE("Related objects may be cluster-scoped, by label or name") {
  const std::string choice = GENERATE("name: fast", "selector: {tier: fast}");
  INFO(choice);
  World world(chart_with("apiVersion: storage.k8s.io/v1, kind: StorageClass, " + choice));
  world.spec("{}");
  CHECK(names(world).empty());
  world.api.put(json(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass",
                         "metadata":{"name":"fast","labels":{"tier":"fast"}}})"));
  CHECK(names(world) == "fast");
}

TEST_CASE("A related kind that is not served has no objects") {
  World world(chart_with("apiVersion: example.com/v1, kind: Gizmo, name: x"));
  world.api.unserve("Gizmo");
  world.spec("{}");
  CHECK(names(world).empty());
  CHECK(world.condition("ReleaseFailed") == "absent");
  CHECK(world.condition("Stalled") == "absent");
}

}  // namespace
}  // namespace chartwright::op
