// SPDX-License-Identifier: Apache-2.0
#include "subject/verdicts.h"

#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using testing::Files;
using testing::has;
using testing::widget_chart;
using testing::with;
using testing::World;
using value::Value;

Files judging_chart(const std::string& rule) {
  return with(widget_chart(),
              {{"operator/operator.yaml", "children:\n- match: {kind: ConfigMap}\n" + rule}});
}

const std::string kPresent =
    "  present: '{{ ne (dig \"state\" \"\" .Object) \"spent\" }}'\n  update: recreate\n";
const std::string kReady = "  ready: '{{ eq (dig \"state\" \"\" .Object) .CR.metadata.name }}'\n";

/// Somebody sets a field of the child that its rule looks at.
void set_state(World& world, const std::string& state) {
  Value object = *world.api.find(world.config_map("w"));
  object.mutable_dict().set("state", Value::string(state));
  world.api.put(object);
}

TEST_CASE("Without predicates no child is judged") {
  World world;
  world.spec("{}");
  world.converge();
  testing::Parts parts(world);
  CHECK_FALSE(CW_MUST(judge_children(parts.subject, parts.renders)));
  CHECK_FALSE(world.watch.bundle.reads_live);
}

TEST_CASE("A child that does not count is deleted and created anew") {
  World world(judging_chart(kPresent));
  world.spec("{}");
  for (int i = 0; i < 3; ++i) {
    world.converge();
  }
  CHECK(world.calls().empty());
  const std::string uid(kube::uid_of(*world.api.find(world.config_map("w"))));
  set_state(world, "spent");
  world.converge();
  CHECK(has(world.calls(), "delete ConfigMap shop/w"));
  world.converge();
  REQUIRE(world.exists("w"));
  CHECK(kube::uid_of(*world.api.find(world.config_map("w"))) != uid);
  for (int i = 0; i < 3; ++i) {
    world.converge();
  }
  CHECK(world.calls().empty());
  CHECK(world.revision() == 1);
}

TEST_CASE("A child that never counts is replaced less and less often") {
  World world(judging_chart(kPresent));
  world.spec("{}");
  world.converge();
  std::string uid;
  const auto replaced = [&] {
    const std::string before = std::exchange(
        uid,
        std::string(world.exists("w") ? kube::uid_of(*world.api.find(world.config_map("w"))) : ""));
    return before != uid;
  };
  replaced();
  for (const int pause : {0, 10, 20, 40, 80, 160, 300, 300}) {
    CAPTURE(pause);
    set_state(world, "spent");
    if (pause > 0) {
      world.converge();
      CHECK(world.condition("Ready") ==
            "False Progressing: ConfigMap shop/w: does not count according to its rule, and is "
            "replaced later, like others before it");
      world.clock.advance(std::chrono::seconds(pause) - std::chrono::milliseconds(1));
      world.converge();
      CHECK_FALSE(replaced());
      const auto outcome = world.reconcile();
      REQUIRE(std::holds_alternative<runtime::RequeueAfter>(outcome));
      CHECK(std::get<runtime::RequeueAfter>(outcome).delay == std::chrono::milliseconds(1));
      world.clock.advance(std::chrono::milliseconds(1));
    }
    world.converge();
    world.converge();
    CHECK(replaced());
  }
  world.clock.advance(std::chrono::minutes(11));
  set_state(world, "spent");
  world.converge();
  world.converge();
  CHECK(replaced());
}

TEST_CASE("A wait for a replacement ends with the child") {
  World world(judging_chart(kPresent));
  world.spec("{}");
  world.converge();
  for (int i = 0; i < 2; ++i) {
    set_state(world, "spent");
    world.converge();
    world.converge();
  }
  const std::string uid(kube::uid_of(*world.api.find(world.config_map("w"))));
  world.api.erase(world.config_map("w"));
  world.api.settle();
  world.converge();
  world.converge();
  REQUIRE(world.exists("w"));
  CHECK(kube::uid_of(*world.api.find(world.config_map("w"))) != uid);
  CHECK_THAT(world.condition("Ready"), Catch::Matchers::StartsWith("True"));
}

TEST_CASE("The rule's word for readiness counts") {
  World world(judging_chart(kReady));
  world.spec("{}");
  world.converge();
  world.converge();  // The first one may end before the cache has the child.
  CHECK(world.condition("Ready") ==
        "False Progressing: ConfigMap shop/w: not ready according to its rule");
  set_state(world, "w");
  world.converge();
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  world.converge();
  CHECK(world.calls().empty());
  set_state(world, "x");
  world.converge();
  CHECK_THAT(world.condition("Ready"), Catch::Matchers::StartsWith("False Progressing"));
}

TEST_CASE("An answer that is neither true nor false stops the reconcile until the child changes") {
  World world(judging_chart("  present: '{{ dig \"state\" \"true\" .Object }}'\n"));
  world.spec("{}");
  world.converge();
  set_state(world, "perhaps");
  world.spec(R"({"color":"blue"})");
  const auto failed = world.fail();
  CHECK(failed.error.code() == base::ErrorCode::kTemplate);
  CHECK_THAT(failed.error.to_string(),
             Catch::Matchers::Contains("operator.yaml:3:12: children[0].present of ConfigMap "
                                       "shop/w: \"perhaps\" was rendered (true or false is "
                                       "needed)"));
  CHECK_THAT(world.condition("Irreconcilable"), Catch::Matchers::Contains("\"perhaps\""));
  CHECK(world.color() == "red");
  set_state(world, "true");
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.condition("Irreconcilable") == "absent");
}

TEST_CASE("A predicate that fails is reported with its place") {
  World world(judging_chart("  ready: '{{ fail \"no idea\" }}'\n"));
  world.spec("{}");
  static_cast<void>(world.reconcile());  // It may end before the cache has the child.
  CHECK_THAT(
      world.fail().error.to_string(),
      Catch::Matchers::Contains("operator.yaml:3:10: children[0].ready of ConfigMap shop/w"));
  CHECK_THAT(world.condition("Ready"), Catch::Matchers::Contains("no idea"));
}

TEST_CASE("A verdict is about one object, not about its successor of the same name") {
  World world(judging_chart(kPresent));
  world.spec("{}");
  world.converge();
  set_state(world, "spent");
  testing::Parts parts(world);
  CHECK(CW_MUST(judge_children(parts.subject, parts.renders)));
  CHECK_FALSE(judged_live(parts.subject, world.config_map("w"))->present());
  Value object = *world.api.find(world.config_map("w"));
  world.api.erase(world.config_map("w"));
  object.find("metadata")->mutable_dict().erase("uid");
  world.api.put(object);
  world.api.settle();
  CHECK(judged_live(parts.subject, world.config_map("w"))->present());
}

}  // namespace
}  // namespace chartwright::op
