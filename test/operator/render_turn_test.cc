// SPDX-License-Identifier: Apache-2.0
#include "host/render_turn.h"

#include <catch2/catch.hpp>

#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::World;

constexpr size_t kMiB = size_t{1} << 20;

/// One render at a time, of four MiB.
struct Fixture {
  base::ManualClock clock;
  const base::Logger log{{}, clock, [](std::string_view /*line*/) {}};
  host::RenderMarks marks{"", log};
  host::RenderMemory memory{.usable_bytes = 128 * kMiB, .bytes = 4 * kMiB, .at_once = 1};
  host::RenderGate gate{memory.gate_bytes()};
  const host::RenderResources resources{gate, marks, memory};
  const host::MarkKey key{};

  bool is_free() {
    std::stop_source stop;
    stop.request_stop();
    const auto taken = gate.enter(1, stop.get_token());
    gate.leave(taken.ok() ? *taken : 0);
    return taken.ok();
  }
};

base::Result<std::string> text_of(size_t bytes) { return std::string(bytes, 'x'); }

TEST_CASE("A turn ends with the render, unless that keeps much memory") {
  Fixture render;
  {
    host::RenderTurn turn(render.resources, render.memory.bytes, {});
    CHECK(turn.run(render.key, [] { return text_of(1000); }).ok());
    CHECK(render.is_free());
    const auto kept = turn.run(render.key, [] { return text_of(3 * kMiB); });
    CHECK(kept.ok());
    CHECK_FALSE(render.is_free());
    // It continues without waiting for itself, within the rest of its share.
    CHECK(turn.run(render.key, [] { return text_of(1000); }).ok());
    const auto more = turn.run(render.key, [] { return text_of(2 * kMiB); });
    REQUIRE_FALSE(more.ok());
    CHECK(more.error().code() == base::ErrorCode::kBudget);
  }
  CHECK(render.is_free());
}

TEST_CASE("A render beyond its share reports the limit, and how to raise it") {
  Fixture render;
  host::RenderTurn turn(render.resources, render.memory.bytes, {});
  const auto big = turn.run(render.key, [] { return text_of(5 * kMiB); });
  REQUIRE_FALSE(big.ok());
  CHECK(big.error().code() == base::ErrorCode::kBudget);
  CHECK(big.error().help().starts_with("One render may hold 4Mi of memory: "));
  // Another reason, another error.
  const auto other = turn.run(render.key, []() -> base::Result<std::string> {
    return base::Error(base::ErrorCode::kBudget, "too many steps");
  });
  CHECK(other.error().help().empty());
}

TEST_CASE("An exception gives the turn back") {
  Fixture render;
  host::RenderTurn turn(render.resources, render.memory.bytes, {});
  const auto escape = []() -> base::Status { throw std::runtime_error("a bug"); };
  CHECK_THROWS(turn.run(render.key, escape));
  CHECK(render.is_free());
}

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

}  // namespace
}  // namespace chartwright::op
