// SPDX-License-Identifier: Apache-2.0
#include "subject/news.h"

#include <catch2/catch.hpp>

#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::Files;
using testing::json;
using testing::widget_chart;
using testing::with;
using testing::World;
using value::Value;
using Lines = std::vector<std::string>;

/// Another client, "foo", sets a field of a child.
void meddle(World& world, const kube::ObjectRef& ref, const std::string& group,
            const std::string& key, const std::string& text) {
  const Value live = value::deep_copy(*world.api.find(ref));
  live.find(group)->mutable_dict().set(key, Value::string(text));
  std::vector<Value> entries = live.find_path({"metadata", "managedFields"})->as_list().items;
  entries.push_back(json(R"({"manager":"foo","operation":"Update","apiVersion":"v1",
      "fieldsV1":{"f:)" + group +
                         R"(":{"f:)" + key + R"(":{}}}})"));
  live.find("metadata")->mutable_dict().set("managedFields", Value::list(std::move(entries)));
  world.api.put(live);
}

Lines repairs(World& world) {
  Lines texts = world.news.take();
  std::erase_if(texts, [](const std::string& text) { return !text.starts_with("Repaired"); });
  return texts;
}

TEST_CASE("A repair names the field, both values and the manager") {
  World world;
  world.spec(R"({"color":"red"})");
  world.converge();
  CHECK(repairs(world).empty());
  meddle(world, world.config_map("w"), "data", "color", "pink");
  world.converge();
  CHECK(world.color() == "red");
  CHECK(repairs(world) ==
        Lines{R"(Repaired: ConfigMap shop/w: data.color: "pink" → "red" (managed by foo))"});
  CHECK(world.lines.mention("Repaired field"));
  CHECK(world.lines.mention(R"("field":"data.color","from":"\"pink\"","to":"\"red\"")"));
  CHECK(world.lines.mention(R"("managers":"foo")"));
  CHECK(world.metrics.expose().find(
            "chartwright_repairs_total{child=\"ConfigMap\",kind=\"Widget\",reason=\"drifted\"} "
            "1") != std::string::npos);
  world.converge();
  CHECK(repairs(world).empty());
}

TEST_CASE("A repair of a child that was deleted says so") {
  World world;
  world.spec("{}");
  world.converge();
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(repairs(world) == Lines{"Repaired: ConfigMap shop/w was missing, and is created again"});
}

TEST_CASE("A repair goes on if the object cannot be read before it") {
  World world;
  world.spec(R"({"color":"red"})");
  world.converge();
  meddle(world, world.config_map("w"), "data", "color", "pink");
  world.api.fail_once("get ConfigMap shop/w",
                      base::Error(base::ErrorCode::kForbidden, "not allowed"));
  world.converge();
  CHECK(world.color() == "red");
  CHECK(repairs(world) == Lines{"Repaired: ConfigMap shop/w had changed"});
}

TEST_CASE("The values of a Secret are never told") {
  World world(
      with(widget_chart(),
           {{"templates/s.yaml",
             "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {key: cmlnaHQ=}\n"}}));
  world.spec("{}");
  world.converge();
  const kube::ObjectRef secret{{"", "v1", "Secret"}, "shop", "s"};
  meddle(world, secret, "data", "key", "d3Jvbmc=");
  world.converge();
  CHECK(repairs(world) == Lines{"Repaired: Secret shop/s: data.key: *** → *** (managed by foo)"});
  for (const char* text : {"d3Jvbmc=", "cmlnaHQ="}) {
    CHECK_FALSE(world.lines.mention(text));
  }
}

TEST_CASE("Where a chart may look up Secrets no value is told") {
  const auto told = [](World& world, const std::string& spec) {
    world.spec(spec);
    world.converge();
    meddle(world, world.config_map("w"), "data", "color", "pink");
    world.converge();
    CHECK_FALSE(world.lines.mention("pink"));
    return repairs(world);
  };
  const Lines hidden{"Repaired: ConfigMap shop/w: data.color: *** → *** (managed by foo)"};
  SECTION("by a template") {
    World world(with(widget_chart(),
                     {{"templates/_h.tpl",
                       R"({{ define "x" }}{{ lookup "v1" "Secret" "shop" "p" }}{{ end }})"}}));
    CHECK(told(world, R"({"color":"red"})") == hidden);
  }
  SECTION("by a value that the chart may pass through tpl") {
    World world;
    CHECK(told(world, R"({"color":"red","note":"{{ lookup }}"})") == hidden);
  }
}

TEST_CASE("Override values are not told: they come from the operator's environment") {
  World world;
  const auto told = [&](const std::string& value) {
    world.watch.override_values = {{"color", value}};
    world.spec("{}");
    world.converge();
    CHECK(world.color() == value);
    meddle(world, world.config_map("w"), "data", "color", "pink");
    world.converge();
    CHECK(world.color() == value);
    return repairs(world);
  };
  const Lines hidden{"Repaired: ConfigMap shop/w: data.color: *** → *** (managed by foo)"};
  SECTION("as a whole") {
    CHECK(told("S3cr3tPassw0rd") == hidden);
    CHECK_FALSE(world.lines.mention("S3cr3tPassw0rd"));
    CHECK_FALSE(world.lines.mention("pink"));
  }
  SECTION("also a short one") { CHECK(told("abc") == hidden); }
  SECTION("also where others suppress them in warnings") {
    world.suppress_override_values = true;
    CHECK(told("S3cr3tPassw0rd") == hidden);
    CHECK_FALSE(world.lines.mention("S3cr3tPassw0rd"));
  }
}

TEST_CASE("Override values are masked where a child quotes them") {
  World world;
  world.watch.override_values = {{"color", "S3cr3tPassw0rd"}};
  world.spec("{}");
  world.converge();
  const auto say = [&world](const std::string& message) {
    Value child = value::deep_copy(*world.api.find(world.config_map("w")));
    const Value condition = Value::dict({{"type", Value::string("Stalled")},
                                         {"status", Value::string("True")},
                                         {"reason", Value::string("Refused")},
                                         {"message", Value::string(message)}});
    child.mutable_dict().set("status", Value::dict({{"conditions", Value::list({condition})}}));
    world.api.put(child);
    world.converge();
    return world.condition("Ready");
  };
  CHECK(say("S3cr3tPassw0rd is too weak") ==
        "False ChildFailed: ConfigMap shop/w: Refused: *** is too weak");
  const std::string cut = say(std::string(180, '.') + "S3cr3tPassw0rd");
  CHECK(cut.ends_with(".***..."));
}

TEST_CASE("Override values are masked where the API server quotes them") {
  World world;
  world.watch.override_values = {{"color", "S3cr3tPassw0rd"}};
  world.spec("{}");
  world.api.fail_always(
      "apply ConfigMap shop/w",
      base::Error(base::ErrorCode::kInvalid, R"(data.color: Invalid value: "S3cr3tPassw0rd")")
          .with_http(422, "Invalid")
          .with_causes(
              {{"FieldValueInvalid", R"(Invalid value: "S3cr3tPassw0rd")", "data.color"}}));
  const auto outcome = world.reconcile();
  const auto* failed = std::get_if<runtime::Failed>(&outcome);
  REQUIRE(failed != nullptr);
  CHECK(failed->error.message().find("S3cr3tPassw0rd") == std::string::npos);
  const std::string status =
      value::to_json(*world.cr().find("status"), value::JsonEscape::kNone).value_or("");
  CHECK(status.find("Invalid value: \\\"***\\\"") != std::string::npos);
  CHECK(status.find("S3cr3tPassw0rd") == std::string::npos);
  for (const std::string& text : world.news.take()) {
    CHECK(text.find("S3cr3tPassw0rd") == std::string::npos);
  }
  CHECK_FALSE(world.lines.mention("S3cr3tPassw0rd"));
}

TEST_CASE("Each revision in force is told once") {
  World world;
  world.spec(R"({"color":"red"})");
  world.converge();
  world.converge();
  CHECK(world.news.take() ==
        Lines{"Installed: Revision 1 of release w is deployed, by chart widget-0.1.0"});
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(world.news.take() ==
        Lines{"Upgraded: Revision 2 of release w is deployed, by chart widget-0.1.0"});
  world.annotate(kRollbackTo, "1");
  world.converge();
  world.converge();
  CHECK(world.news.take() ==
        Lines{"RolledBack: Revision 3 of release w is deployed, by chart widget-0.1.0, because a "
              "rollback is asked for"});
  world.annotate(kRollbackTo, std::nullopt);
  world.converge();
  CHECK(world.news.take() ==
        Lines{"Upgraded: Revision 4 of release w is deployed, by chart widget-0.1.0, because the "
              "rollback is no longer asked for, or the spec has changed since"});
  CHECK(world.warnings.take().empty());
}

TEST_CASE("A failure is told once for each text, and again after a success") {
  World world;
  world.spec(R"({"broken":true})");
  world.reconcile();
  const Lines told = world.warnings.take();
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("the widget is broken") != std::string::npos);
  world.reconcile();
  CHECK(world.warnings.take().empty());
  world.restart();
  world.reconcile();
  CHECK(world.warnings.take().empty());
  world.spec("{}");
  world.converge();
  world.spec(R"({"broken":true})");
  world.reconcile();
  CHECK(world.warnings.take().size() == 1);
}

TEST_CASE("Many kinds of children share one series") {
  base::Metrics metrics;
  RepairCounter counter(metrics);
  counter.begin("Widget");
  for (int i = 0; i < 105; ++i) {
    release::Repair repair;
    repair.ref.gvk.kind = "K" + std::to_string(i);
    counter.count("Widget", repair);
  }
  const std::string text = metrics.expose();
  CHECK(text.find(R"({child="K99",kind="Widget",reason="drifted"} 1)") != std::string::npos);
  CHECK(text.find(R"(child="K100")") == std::string::npos);
  CHECK(text.find(R"({child="other",kind="Widget",reason="drifted"} 5)") != std::string::npos);
}

}  // namespace
}  // namespace chartwright::op
