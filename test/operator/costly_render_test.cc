// SPDX-License-Identifier: Apache-2.0
// Renders that take too much memory, or end the process.
#include <algorithm>
#include <catch2/catch.hpp>

#include "test/host/mark_files.h"
#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::Files;
using testing::Folder;
using testing::World;

constexpr size_t kMiB = size_t{1} << 20;

TEST_CASE("A chart that takes too much memory is reported, and the next one renders") {
  World world;
  world.memory = {.usable_bytes = 128 * kMiB, .bytes = 8 * kMiB, .at_once = 1};
  world.spec("{}");
  world.converge();
  world.spec(R"({"color":"{{x}}","raw":")" + std::string(3 * kMiB, 'y') + "\"}");
  CHECK(world.fail().retry == runtime::Retry::kNever);
  const std::string condition = world.condition("Irreconcilable");
  CAPTURE(condition);
  CHECK(condition.find("more than 8388608 bytes of memory") != std::string::npos);
  CHECK(condition.find("One render may hold 8Mi of memory: the operator may use 128Mi") !=
        std::string::npos);
  CHECK(condition.find("--render-memory") != std::string::npos);
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(world.color() == "blue");

  SECTION("a watch may have more, or less, than others") {
    world.watch.render_memory = 1024;
    world.spec(R"({"color":"green"})");
    world.fail();
    CHECK(world.condition("Irreconcilable").find("which watches.yaml says") != std::string::npos);
  }
}

// A chart whose render calls the server, where a test can read the files that a killed process
// would leave.
Files waiting_chart() {
  return testing::with(
      testing::widget_chart(),
      {{"templates/widget.yaml",
        "{{- $seen := lookup \"v1\" \"ConfigMap\" .Release.Namespace \"source\" }}\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: w\ndata:\n"
        "  color: {{ dig \"data\" \"color\" .Values.color $seen }}\n"
        "  password: {{ .Values.password | default \"none\" }}\n"}});
}

const std::string kAsk = "get ConfigMap shop/source";

/// A world whose process dies during its next render, and starts anew.
class Mortal {
 public:
  explicit Mortal(const Folder& state) : world(waiting_chart()), state_(state) {
    world.watch.dry_run = bundle::DryRunMode::kServer;
    world.state_dir = state.path();
  }
  World world;
  Files left;  ///< Left by the last process that died.

  void die() {
    world.restart();  // Then no lookup is known, so that only the render makes one.
    world.api.once(kAsk, [this] {
      left = host::testing::marks_in(state_.path());
      return base::Error(base::ErrorCode::kUnavailable, "nobody is there any more");
    });
    world.fail();  // Its outcome does not count: the memory is lost with the process.
    REQUIRE(left.size() == 1);
    for (const auto& [name, text] : left) {
      state_.write(name, text);
    }
    world.restart();
  }
  bool asked() const {
    const auto calls = world.calls();
    return std::find(calls.begin(), calls.end(), kAsk) != calls.end();
  }

 private:
  const Folder& state_;
};

TEST_CASE("A custom resource whose render killed the process twice is set aside") {
  const Folder state{{}};
  Mortal mortal(state);
  World& world = mortal.world;
  world.spec(R"({"color":"red"})");
  world.converge();
  CHECK(host::testing::marks_in(state.path()).empty());

  world.spec(R"({"color":"blue","password":"hunter2"})");
  mortal.die();
  CHECK(mortal.left[0].second.find("\"alone\":false") != std::string::npos);
  CHECK(mortal.left[0].second.find("hunter2") == std::string::npos);
  mortal.die();
  CHECK(mortal.left[0].second.find("\"alone\":true") != std::string::npos);

  const auto refused = world.fail();
  CHECK(refused.retry == runtime::Retry::kNever);
  CHECK_FALSE(mortal.asked());
  const std::string condition =
      "True RenderKilledOperator: the operator was killed twice while it rendered this custom "
      "resource, the second time with no other render beside it; it is not rendered again until "
      "its spec or chart changes, or the annotation chartwright.io/reconcile-requested-at";
  CHECK(world.condition("Irreconcilable") == condition);
  CHECK(world.condition("Stalled").ends_with(": see the condition Irreconcilable"));
  CHECK(world.color() == "red");
}

TEST_CASE("A custom resource that is set aside") {
  const Folder state{{}};
  Mortal mortal(state);
  World& world = mortal.world;
  world.spec(R"({"color":"red"})");
  world.converge();
  world.spec(R"({"color":"blue","password":"hunter2"})");
  mortal.die();
  mortal.die();
  world.fail();

  SECTION("the revision in force is repaired, and nothing more is written") {
    world.converge();
    world.converge();
    CHECK(world.calls() == std::vector<std::string>{});
    world.api.erase(world.config_map("w"));
    world.converge();
    CHECK(world.color() == "red");
    CHECK_FALSE(mortal.asked());
  }
  SECTION("the next process knows, too") {
    world.restart();
    world.fail();
    CHECK_FALSE(mortal.asked());
  }
  SECTION("a new spec is rendered") {
    world.spec(R"({"color":"green"})");
    world.converge();
    CHECK(world.color() == "green");
    CHECK(world.condition("Irreconcilable") == "absent");
    CHECK(world.condition("Stalled") == "absent");
    CHECK(host::testing::marks_in(state.path()).empty());
  }
  SECTION("a request is heeded") {
    world.annotate(kReconcileRequestedAt, "now");
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(host::testing::marks_in(state.path()).empty());
  }
  SECTION("a request that kills once more is enough") {
    world.annotate(kReconcileRequestedAt, "now");
    mortal.die();
    world.fail();
    CHECK_FALSE(mortal.asked());
  }
  SECTION("a rollback is a way out") {
    world.annotate(kRollbackTo, "1");
    world.converge();
    CHECK(world.condition("Stalled") == "absent");
    CHECK(world.color() == "red");
  }
  SECTION("its mark goes with it") {
    world.api.erase(world.ref());
    world.converge();
    CHECK(host::testing::marks_in(state.path()).empty());
  }
}

TEST_CASE("A first render that killed the process twice is a release that failed") {
  const Folder state{{}};
  Mortal mortal(state);
  mortal.world.spec(R"({"color":"blue"})");
  mortal.die();
  mortal.die();
  mortal.world.fail();
  CHECK(mortal.world.condition("ReleaseFailed").starts_with("True RenderKilledOperator: "));
  CHECK(mortal.world.color() == "none");
}

TEST_CASE("A render that killed the process once, and lives through the next, is cleared") {
  const Folder state{{}};
  Mortal mortal(state);
  mortal.world.spec(R"({"color":"blue"})");
  mortal.die();
  mortal.world.converge();
  CHECK(mortal.world.color() == "blue");
  mortal.world.converge();
  CHECK(mortal.world.condition("Ready").starts_with("True"));
  CHECK(host::testing::marks_in(state.path()).empty());
}

}  // namespace
}  // namespace chartwright::op
