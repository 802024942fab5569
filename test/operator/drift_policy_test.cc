// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::has;
using testing::kApply;
using testing::World;
using value::Value;

constexpr std::string_view kPainted = R"(data.color: "pink" instead of "red" (managed by foo))";

/// A child that others paint over, under a policy that leaves it so.
struct Painting : World {
  explicit Painting(std::string policy = "warn") {
    spec(R"({"color":"red"})");
    annotate(kDrift, std::move(policy));
    converge();
  }
  void paint(const std::string& with) {
    Value live = value::deep_copy(*api.find(config_map("w")));
    live.find("data")->mutable_dict().set("color", Value::string(with));
    Value entry = testing::json(
        R"({"manager":"foo","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",)"
        R"("fieldsV1":{"f:data":{"f:color":{}}}})");
    live.find("metadata")->mutable_dict().set("managedFields", Value::list({std::move(entry)}));
    api.put(live);
  }
  void check_resting() {
    converge();
    CHECK(calls().empty());
  }
  void check_untouched() {
    const Calls all = calls();
    CHECK_FALSE(has(all, kApply));
    CHECK_FALSE(has(all, "delete ConfigMap shop/w"));
  }
};

TEST_CASE("Drift that is to be told stays, and is told once") {
  Painting world;
  world.paint("pink");
  world.converge();
  CHECK(world.color() == "pink");
  world.check_untouched();
  CHECK(world.condition("Drifted") ==
        "True ChangedByOthers: ConfigMap shop/w: " + std::string(kPainted));
  CHECK(world.condition("Ready") ==
        "True Drifted: all children are ready; see the condition Drifted");
  CHECK(world.warnings.take() == Calls{"Drifted: ConfigMap shop/w: " + std::string(kPainted) +
                                       "; it stays so, because the policy for drift is warn"});
  CHECK(world.metrics.expose().find(
            R"(chartwright_drift_warnings_total{child="ConfigMap",kind="Widget"} 1)") !=
        std::string::npos);
  world.check_resting();
  world.restart();
  world.converge();
  CHECK(world.color() == "pink");
  CHECK(world.warnings.take().empty());
  world.check_resting();
}

TEST_CASE("Drift that changes is told anew, and drift that ends is over") {
  Painting world;
  world.paint("pink");
  world.converge();
  world.triggered();
  world.paint("blue");
  CHECK(world.triggered().contains(world.ref().to_string()));
  world.converge();
  CHECK(world.condition("Drifted").ends_with(
      R"(data.color: "blue" instead of "red" (managed by foo))"));
  CHECK(world.warnings.take().size() == 2);
  world.paint("red");
  world.converge();
  CHECK(world.condition("Drifted") == "absent");
  CHECK(world.warnings.take().empty());
  testing::check_at_rest(world);
}

TEST_CASE("A policy that is taken back has the drift repaired") {
  Painting world;
  world.paint("pink");
  world.converge();
  SECTION("at once") {}
  SECTION("while no process runs") { world.restart(); }
  world.annotate(kDrift,
                 GENERATE(as<std::optional<std::string>>(), std::nullopt, "repair", "wran"));
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.condition("Drifted") == "absent");
}

TEST_CASE("A child that others delete stays deleted, and is not ready") {
  Painting world(GENERATE("warn", "ignore"));
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK_FALSE(world.exists("w"));
  CHECK(world.condition("Ready") ==
        "False ChildFailed: ConfigMap shop/w: deleted by others, and not created again by its "
        "policy for drift");
  world.annotate(kDrift, std::nullopt);
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.condition("Ready").starts_with("True"));
}

TEST_CASE("Drift that is to be ignored is not told") {
  Painting world("ignore");
  world.paint("pink");
  world.converge();
  CHECK(world.color() == "pink");
  CHECK(world.condition("Drifted") == "absent");
  CHECK(world.warnings.take().empty());
  testing::check_at_rest(world);
}

TEST_CASE("A new spec is applied over drift") {
  Painting world;
  world.paint("pink");
  world.converge();
  world.spec(R"({"color":"green"})");
  world.converge();
  CHECK(world.color() == "green");
  CHECK(world.condition("Drifted") == "absent");
}

TEST_CASE("A policy that there is not has no effect, and the status says so") {
  Painting world("wran");
  CHECK(world.condition("UnusedAnnotations") ==
        "True NoEffect: chartwright.io/drift: \"wran\" is not repair, warn or ignore, and has no "
        "effect");
}

TEST_CASE("An API server that does not answer leaves drift to the next try") {
  Painting world;
  world.paint("pink");
  world.api.fail_once("dry-apply ConfigMap shop/w",
                      base::Error(base::ErrorCode::kUnavailable, "busy"));
  world.fail();
  CHECK(world.color() == "pink");
  world.converge();
  CHECK(world.condition("Drifted") != "absent");
}

TEST_CASE("A comparison that fails does not hold up the repair of another child") {
  World world(testing::with(testing::widget_chart(),
                            {{"operator/operator.yaml",
                              "children:\n- match: {kind: ConfigMap, name: w}\n  drift: warn\n"}}));
  world.spec(R"({"color":"red","extra":"more"})");
  world.converge();
  Value live = value::deep_copy(*world.api.find(world.config_map("w")));
  live.find("data")->mutable_dict().set("color", Value::string("pink"));
  live.find("metadata")->mutable_dict().erase("managedFields");
  world.api.put(live);
  world.api.erase(world.config_map("more"));
  world.api.fail_once("dry-apply ConfigMap shop/w",
                      base::Error(base::ErrorCode::kUnavailable, "busy"));
  world.fail();
  CHECK(world.exists("more"));
  CHECK(world.color() == "pink");
  world.converge();
  CHECK(world.condition("Drifted").find("shop/w") != std::string::npos);
}

TEST_CASE("A repair that the API server would refuse is told as drift all the same") {
  Painting world;
  world.paint("pink");
  world.api.fail_once("dry-apply ConfigMap shop/w", base::Error(base::ErrorCode::kForbidden, "no"));
  world.converge();
  CHECK(world.condition("Drifted") ==
        "True ChangedByOthers: ConfigMap shop/w: changed by others, and the API server would "
        "refuse the repair");
}

}  // namespace
}  // namespace chartwright::op
