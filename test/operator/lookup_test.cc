// SPDX-License-Identifier: Apache-2.0
// Lookups of charts.
#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::json;
using testing::World;
using value::Value;

/// A chart that looks up a ConfigMap.
testing::Files looking_chart() {
  return testing::with(
      testing::widget_chart(),
      {{"templates/widget.yaml",
        "{{- $seen := lookup \"v1\" \"ConfigMap\" .Release.Namespace \"source\" }}\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: w\ndata:\n"
        "  color: {{ dig \"data\" \"color\" .Values.color $seen }}\n"}});
}

Value source(const std::string& color) {
  Value object = json(R"({"apiVersion":"v1","kind":"ConfigMap",
                          "metadata":{"name":"source","namespace":"shop"},"data":{}})");
  object.find("data")->mutable_dict().set("color", Value::string(color));
  return object;
}

TEST_CASE("Every render looks up the cluster, but a change there is no reason to render") {
  World world(looking_chart());
  world.api.put(source("found"));
  world.spec("{}");
  world.converge();
  CHECK(world.color() == "found");

  world.api.put(source("another"));
  world.converge();
  world.restart();
  world.converge();
  CHECK(world.calls().empty());
  CHECK(world.color() == "found");
  world.spec(R"({"extra":"one"})");
  world.converge();
  CHECK(world.color() == "another");
}

TEST_CASE("A password that a chart keeps by looking it up stays") {
  World world(testing::with(
      testing::widget_chart(),
      {{"templates/login.yaml",
        "{{ $old := lookup \"v1\" \"ConfigMap\" .Release.Namespace \"login\" }}\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: login}\ndata:\n"
        "  color: {{ if $old }}{{ $old.data.color }}{{ else }}{{ randAlpha 20 }}{{ end }}\n"}}));
  world.spec("{}");
  world.converge();
  const std::string password = world.color("login");
  REQUIRE(password.size() == 20);
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.color("login") == password);
  world.restart();
  world.spec(R"({"color":"green"})");
  world.converge();
  CHECK(world.color("login") == password);
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.color("login") == password);
  world.api.erase(world.config_map("login"));
  world.converge();
  CHECK(world.color("login") == password);
}

TEST_CASE("A chart that waits for an object is rendered again until it is there") {
  World world(testing::with(testing::widget_chart(),
                            {{"templates/check.yaml",
                              "{{ if not (lookup \"v1\" \"ConfigMap\" \"shop\" \"source\") }}"
                              "{{ fail \"create the ConfigMap source first\" }}{{ end }}"}}));
  world.spec("{}");
  const runtime::Failed failed = world.fail();
  CHECK(failed.retry == runtime::Retry::kBackoff);
  CHECK(failed.at_most == std::chrono::seconds(10));
  CHECK_THAT(world.error(), Catch::Matchers::Contains("create the ConfigMap source"));
  world.api.put(source("x"));
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.condition("Stalled") == "absent");
}

TEST_CASE("Drift is repaired while a chart that looks objects up fails again and again") {
  World world(looking_chart());
  world.spec("{}");
  world.converge();
  world.deploy({{"templates/fails.yaml",
                 "{{ if not (lookup \"v1\" \"ConfigMap\" .Release.Namespace \"gate\") }}"
                 "{{ fail \"the gate is not there\" }}{{ end }}"}});
  for (const char* color : {"mauve", "beige"}) {
    CHECK(world.fail().error.code() == ErrorCode::kTemplate);
    Value child = *world.api.find(world.config_map("w"));
    child.find("data")->mutable_dict().set("color", Value::string(color));
    world.api.put(child);
    CHECK(world.fail().error.code() == ErrorCode::kTemplate);
    CHECK(world.color() == "red");
  }
  CHECK(world.revision() == 1);
}

TEST_CASE("With dryRunOption: server, what a lookup finds is an input") {
  World world(looking_chart());
  world.watch.dry_run = bundle::DryRunMode::kServer;
  world.spec("{}");
  world.converge();
  CHECK(world.color() == "red");
  world.converge();
  CHECK(world.revision() == 1);

  world.api.put(source("found"));
  world.converge();
  CHECK(world.color() == "found");
  CHECK(world.revision() == 2);
  world.converge();
  CHECK(world.calls() == Calls{"get ConfigMap shop/source"});
  CHECK(world.revision() == 2);

  SECTION("a restart asks again, and finds nothing new") {
    world.restart();
    world.converge();
    CHECK(world.revision() == 2);
    CHECK(world.color() == "found");
  }
  SECTION("a rollback holds, whatever the lookup finds, also over a restart") {
    world.annotate(kRollbackTo, "1");
    world.converge();
    CHECK(world.color() == "red");
    world.converge();
    CHECK(world.color() == "red");
    world.restart();
    world.converge();
    world.converge();
    CHECK(world.color() == "red");
    CHECK(world.revision() == 3);
  }
  SECTION("an error of the lookup is retried, and changes nothing") {
    world.api.fail_once("get ConfigMap shop/source", Error(ErrorCode::kUnavailable, "not now"));
    CHECK(world.fail().retry == runtime::Retry::kBackoff);
    CHECK(world.color() == "found");
  }
}

// A chart may quote a Secret, and more people can read the status than the Secret.
TEST_CASE("A Secret that a chart looked up is masked in its messages") {
  constexpr std::string_view kFound =
      "{{ (lookup \"v1\" \"Secret\" .Release.Namespace \"login\").data.password | b64dec }}";
  World world(testing::with(
      testing::widget_chart(),
      {{"templates/NOTES.txt", "The password is " + std::string(kFound) + "."},
       {"templates/check.yaml",
        "{{ if .Values.bad }}{{ fail (print \"bad password \" ((lookup \"v1\" \"Secret\" "
        ".Release.Namespace \"\").items | toJson)) }}{{ end }}"}}));
  world.watch.dry_run = bundle::DryRunMode::kServer;
  world.api.put(json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"login",
                         "namespace":"shop"},"data":{"password":"aHVudGVyMg=="}})"));
  world.spec("{}");
  world.converge();
  CHECK(world.condition("Deployed") == "True InstallSuccessful: The password is ***.");
  world.spec(R"({"bad":true})");
  CHECK(world.fail().error.message().find("aHVudGVyMg==") == std::string::npos);
  CHECK_THAT(world.condition("Irreconcilable"),
             Catch::Contains("bad password") && Catch::Contains(R"("password":"***")"));
  CHECK_FALSE(world.lines.mention("aHVudGVyMg=="));
}

}  // namespace
}  // namespace chartwright::op
