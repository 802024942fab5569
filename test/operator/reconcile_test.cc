// SPDX-License-Identifier: Apache-2.0
// Rollbacks and status templates.
#include "operator/reconcile.h"

#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::forge;
using testing::Painted;
using testing::World;
using value::Value;

constexpr std::string_view kPinned =
    "stays in force until the spec or the chart changes, or the annotation "
    "chartwright.io/rollback-to is removed";

/// A custom resource that was rolled back to its first revision.
struct RolledBack : Painted {
  RolledBack() {
    annotate(kRollbackTo, "1");
    converge();
    REQUIRE(color() == "red");
    REQUIRE(revision() == 4);
  }
};

TEST_CASE("A rollback replays an earlier revision as a new one") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.history() == Calls{"4 deployed Rollback to 1", "3 superseded Upgrade complete",
                                 "2 superseded Upgrade complete", "1 superseded Install complete"});
  CHECK(world.condition("RolledBack") ==
        "True RollbackRequested: revision 4 " + std::string(kPinned));
  CHECK(world.condition("Deployed") == "True UpgradeSuccessful: Painted red.");
  CHECK(world.status().string_at({"lastHandledRollback"}) == "1");
  CHECK(world.lines.mention("Rolled back release"));
  // The spec belongs to the user, and is never written.
  CHECK(world.cr().string_at({"spec", "color"}) == "blue");
}

TEST_CASE("A rollback stays") {
  RolledBack world;
  SECTION("for good, at no cost") {
    world.converge();
    world.converge();
    CHECK(world.calls().empty());
    world.restart();
    world.converge();
    CHECK(world.calls().empty());
    CHECK(world.color() == "red");
  }
  SECTION("drift is repaired to it") {
    world.api.erase(world.config_map("w"));
    world.converge();
    CHECK(world.color() == "red");
    CHECK(world.revision() == 4);
  }
  SECTION("another label or annotation does not end it") {
    world.annotate("example.com/note", "x");
    world.converge();
    CHECK(world.color() == "red");
    CHECK(world.revision() == 4);
  }
  SECTION("another request moves it") {
    world.annotate(kRollbackTo, "2");
    world.converge();
    CHECK(world.color() == "green");
    CHECK(world.history().front() == "5 deployed Rollback to 2");
  }
  SECTION("a later request that is refused leaves it, and is reported") {
    world.annotate(kRollbackTo, "77");
    world.converge();
    CHECK(world.color() == "red");
    CHECK(world.condition("RolledBack") == "True RollbackRequested: revision 4 " +
                                               std::string(kPinned) +
                                               "; refused: cannot roll back: revision 77 is not in "
                                               "status.history");
    world.converge();
    CHECK(world.calls().empty());
    world.restart();
    world.converge();
    CHECK(world.calls().empty());
    CHECK_THAT(world.condition("RolledBack"), Catch::Matchers::Contains("; refused: "));
  }
}

TEST_CASE("A rollback ends") {
  RolledBack world;
  SECTION("when the spec changes") {
    world.spec(R"({"color":"pink"})");
    world.converge();
    CHECK(world.color() == "pink");
    CHECK(world.condition("RolledBack") == "absent");
    CHECK(world.history().front() == "5 deployed Upgrade complete");
    // The answered annotation is still there; it must not revert the new spec.
    world.converge();
    CHECK(world.color() == "pink");
  }
  SECTION("when the annotation goes") {
    world.annotate(kRollbackTo, std::nullopt);
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(world.condition("RolledBack") == "absent");
    CHECK(world.status().find("lastHandledRollback") == nullptr);
    CHECK(world.revision() == 5);
    // The same request may be made again.
    world.annotate(kRollbackTo, "1");
    world.converge();
    CHECK(world.color() == "red");
  }
  SECTION("when the annotation is emptied") {
    world.annotate(kRollbackTo, "");
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(world.condition("RolledBack") == "absent");
  }
  SECTION("when the chart changes") {
    world.deploy({{"values.yaml",
                   "color: red\nextra: more\nbroken: false\nempty: false\n"
                   "raw: \"\"\n"}});
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(world.exists("more"));
    CHECK(world.condition("RolledBack") == "absent");
  }
}

TEST_CASE("The previous revision is the newest before the one in force that did not fail") {
  Painted world;
  world.annotate(kRollbackTo, "previous");
  world.converge();
  CHECK(world.color() == "green");
  CHECK(world.history().front() == "4 deployed Rollback to 2");
  world.converge();
  CHECK(world.revision() == 4);  // Answered once.
}

TEST_CASE("A request that cannot be met is answered once, with the reason") {
  World world;
  world.spec("{}");
  world.converge();
  world.converge();
  const auto [request, reason] = GENERATE(table<std::string, std::string>({
      {"previous", "cannot roll back: there is no revision before 1"},
      {"9", "cannot roll back: revision 9 is not in status.history"},
      {"0", "chartwright.io/rollback-to: \"0\" is neither a revision number nor \"previous\""},
      {"-1", "chartwright.io/rollback-to: \"-1\" is neither a revision number nor \"previous\""},
      {"last",
       "chartwright.io/rollback-to: \"last\" is neither a revision number nor "
       "\"previous\""},
  }));
  world.annotate(kRollbackTo, request);
  world.converge();
  CHECK(world.condition("RolledBack") == "False RollbackRefused: " + reason);
  CHECK(world.warnings.take() == Calls{"RollbackRefused: " + reason});
  CHECK(world.condition("Ready") ==
        "True RollbackRefused: all children are ready; see the condition RolledBack");
  CHECK(world.revision() == 1);
  world.converge();
  CHECK(world.calls().empty());
  CHECK(world.warnings.take().empty());
  world.restart();
  world.converge();
  CHECK(world.calls().empty());
  world.annotate(kRollbackTo, std::nullopt);
  world.converge();
  CHECK(world.condition("RolledBack") == "absent");
}

TEST_CASE("A request waits until there is a revision to go back to") {
  World world;
  world.spec("{}");
  world.annotate(kRollbackTo, "previous");
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.condition("RolledBack") == "absent");
}

TEST_CASE("A rollback can end a failed upgrade") {
  Painted world;
  world.spec(R"({"broken":true})");
  world.fail();
  world.annotate(kRollbackTo, "2");
  world.converge();
  CHECK(world.color() == "green");
  CHECK(world.condition("Irreconcilable") == "absent");
  CHECK_THAT(world.condition("RolledBack"), Catch::Matchers::StartsWith("True "));
  world.converge();
  CHECK(world.color() == "green");
}

TEST_CASE("A rollback that fails is retried until it is done") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  world.api.fail_once("apply ConfigMap shop/w", Error(ErrorCode::kUnavailable, "not now"));
  CHECK(world.fail().retry == runtime::Retry::kBackoff);
  CHECK(world.status().find("lastHandledRollback") == nullptr);
  world.converge();
  CHECK(world.color() == "red");
}

TEST_CASE("A rollback that failed and is withdrawn leaves the earlier one in force, at rest") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  world.converge();
  world.annotate(kRollbackTo, "2");
  world.api.fail_once("apply ConfigMap shop/w", Error(ErrorCode::kUnavailable, "not now"));
  world.fail();
  world.annotate(kRollbackTo, "1");
  CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
  CHECK(world.color() == "red");
}

TEST_CASE("A revision whose record is gone cannot be rolled back to") {
  Painted world;
  world.api.erase(world.secret(1));
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.color() == "blue");
  CHECK_THAT(world.condition("RolledBack"), Catch::Matchers::StartsWith("False RollbackRefused: "));
}

TEST_CASE("A record that would take too much memory to read harms nothing else") {
  Painted world;
  world.memory = {.usable_bytes = size_t{128} << 20, .bytes = size_t{8} << 20, .at_once = 1};
  world.restart();
  // A few kilobytes in its Secret, and a hundred megabytes when decoded.
  release::Revision revision = testing::record(world, 1);
  revision.config =
      Value::list(std::vector<Value>(size_t{3} << 20, Value::integer(0, value::IntType::kInt64)));
  testing::put_record(world, revision);
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK_THAT(world.condition("RolledBack"), Catch::Matchers::Contains("8388608 bytes of memory"));
  CHECK(world.color() == "blue");
  world.annotate(kRollbackTo, "2");
  world.converge();
  CHECK(world.color() == "green");
}

TEST_CASE("A changed record is not applied with our permissions") {
  Painted world;
  forge(world, 1);
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK_THAT(world.condition("RolledBack"),
             Catch::Matchers::Contains("the record of revision 1 has no valid signature"));
  CHECK_FALSE(world.exists("forged"));
}

// While a rollback holds, templates see the values of its revision, not those it rejected.
TEST_CASE("Status and patches of a pinned revision are rendered with its values") {
  World world(testing::with(testing::widget_chart(),
                            {{"operator/status.yaml", "shown: {{ .Values.color }}\n"}}));
  world.spec(R"({"color":"red"})");
  world.converge();
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(world.status().string_at({"shown"}) == "blue");
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.status().string_at({"shown"}) == "red");
  world.restart();
  // A temporary error while reading those values is retried, not ignored.
  world.api.fail_once("get Secret shop/sh.helm.release.v1.w.v3",
                      Error(ErrorCode::kUnavailable, "not now"));
  CHECK(world.fail().retry == runtime::Retry::kBackoff);
  CHECK(world.condition("Reconciling").starts_with("True ProgressingWithRetry: "));
  CHECK(world.error() == "not now");
  world.converge();
  CHECK(world.status().string_at({"shown"}) == "red");
  CHECK(world.condition("Reconciling") == "absent");
}

TEST_CASE("The author's status is rendered from live children") {
  World world(testing::with(
      testing::widget_chart(),
      {{"operator/status.yaml",
        "colors:\n{{- range .Live }}\n- {{ .data.color }}\n{{- end }}\n"
        "{{ \"revision: 99\" }}\nconditions:\n- type: {{ \"Ready\" }}\n  status: \"True\"\n  "
        "reason: Lie\n"
        "- type: Painted\n  status: \"True\"\n  reason: Dry\n  message: It is dry.\n"}}));
  world.spec(R"({"color":"blue"})");
  world.converge();
  world.converge();
  CHECK(world.status().find("colors")->as_list().items[0].as_string() == "blue");
  CHECK(world.condition("Painted") == "True Dry: It is dry.");
  // Only the engine writes these fields.
  CHECK(world.revision() == 1);
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("A status template that fails is reported without stopping the release") {
  World world(testing::with(testing::widget_chart(),
                            {{"operator/status.yaml", "x: {{ fail \"no status today\" }}\n"}}));
  world.spec("{}");
  CHECK(world.fail().retry == runtime::Retry::kNever);
  CHECK(world.revision() == 1);
  CHECK(world.color() == "red");
  CHECK_THAT(world.condition("Irreconcilable"), Catch::Matchers::Contains("no status today"));
  CHECK_THAT(world.condition("Stalled"), Catch::Matchers::StartsWith("True "));
}

TEST_CASE("A field that a rule holds back is a condition and stops nothing else") {
  World world(testing::with(
      testing::widget_chart(),
      {{"operator/operator.yaml",
        "children:\n- match: {kind: ConfigMap, name: w}\n  growOnly: [data.color]\n"}}));
  world.spec(R"({"color":"3Gi"})");
  world.converge();
  world.spec(R"({"color":"2Gi","extra":"more"})");
  world.converge();
  CHECK(world.color() == "3Gi");
  CHECK(world.exists("more"));
  CHECK(world.condition("FieldsHeld") ==
        "True ShrinkRefused: ConfigMap shop/w: data.color stays 3Gi, 2Gi asked");
  CHECK(world.condition("Stalled") == "absent");
  world.converge();
  world.converge();
  CHECK(world.calls().empty());
  world.spec(R"({"color":"4Gi","extra":"more"})");
  world.converge();
  CHECK(world.color() == "4Gi");
  CHECK(world.condition("FieldsHeld") == "absent");
}

}  // namespace
}  // namespace chartwright::op
