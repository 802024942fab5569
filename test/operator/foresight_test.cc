// SPDX-License-Identifier: Apache-2.0
// Another chart that the API server would refuse.
#include <catch2/catch.hpp>

#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using bundle::testing::Files;
using Catch::Matchers::StartsWith;
using testing::World;

const std::string kAdded = "apply ConfigMap shop/added";
const Error kNoRight =
    Error(ErrorCode::kForbidden, R"(configmaps is forbidden: User "op" cannot patch resource)")
        .with_http(403, "Forbidden");

/// The next chart changes the color, and renders one more object.
Files next_chart() {
  return {{"values.yaml", "color: blue\nextra: added\nbroken: false\nempty: false\nraw: \"\"\n"}};
}

struct Fleet : World {
  Fleet() {
    spec("{}");
    converge();
  }
  void refuse(const Error& error) {
    api.fail_always("dry-" + kAdded, error);
    api.fail_always(kAdded, error);
  }
  void accept() {
    api.fail_always("dry-" + kAdded, std::nullopt);
    api.fail_always(kAdded, std::nullopt);
  }
  void check_kept() {
    CHECK(color() == "red");
    CHECK_FALSE(exists("added"));
    CHECK(revision() == 1);
    CHECK_THAT(condition("Ready"), StartsWith("True "));
  }
};

TEST_CASE("A chart that needs a right that is missing is not begun, and the resource stays ready") {
  Fleet world;
  world.refuse(kNoRight);
  world.deploy(next_chart());
  CHECK(world.fail().error.code() == ErrorCode::kForbidden);
  world.check_kept();
  CHECK_THAT(world.condition("Stalled"), StartsWith("True ReconcileError: "));
  CHECK_THAT(world.condition("Irreconcilable"), StartsWith("True ReconcileError: "));
  CHECK(world.condition("ReleaseFailed") == "absent");

  SECTION("it is taken up once the right is granted") {
    world.accept();
    world.clock.advance(std::chrono::minutes(1));
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(world.exists("added"));
    CHECK(world.revision() == 2);
    CHECK(world.condition("Irreconcilable") == "absent");
  }
  SECTION("drift is repaired meanwhile, also after a restart") {
    for (const bool restarts : {false, true}) {
      value::Value child = *world.api.find(world.config_map("w"));
      child.find("data")->mutable_dict().set("color", value::Value::string("mauve"));
      world.api.put(child);
      if (restarts) {
        world.restart();
      }
      world.clock.advance(std::chrono::minutes(1));
      CHECK(world.fail().error.code() == ErrorCode::kForbidden);
      world.check_kept();
    }
  }
  SECTION("a new spec is applied as far as the API server takes it") {
    world.spec(R"({"color":"green"})");
    world.fail();
    CHECK(world.color() == "green");
    CHECK_THAT(world.condition("Ready"), StartsWith("False UpgradeError: "));
  }
}

TEST_CASE("A chart with an object that is invalid is not begun") {
  Fleet world;
  world.refuse(Error(ErrorCode::kInvalid, "data: Invalid value").with_http(422, "Invalid"));
  world.deploy(next_chart());
  world.fail();
  world.check_kept();
}

TEST_CASE("A refusal that an earlier object of the chart may lift holds nothing up") {
  Fleet world;
  world.api.fail_always("dry-" + kAdded,
                        Error(ErrorCode::kNotFound, "namespaces \"shop\" not found"));
  world.deploy(next_chart());
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.exists("added"));
}

TEST_CASE("A chart is not begun while the API server does not answer the dry runs") {
  Fleet world;
  world.api.fail_always("dry-" + kAdded, Error(ErrorCode::kUnavailable, "etcd has no leader"));
  world.deploy(next_chart());
  world.fail();
  world.check_kept();
  world.api.fail_always("dry-" + kAdded, std::nullopt);
  world.clock.advance(std::chrono::minutes(1));
  world.converge();
  CHECK(world.color() == "blue");
}

}  // namespace
}  // namespace chartwright::op
