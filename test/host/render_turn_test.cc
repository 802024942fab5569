// SPDX-License-Identifier: Apache-2.0
#include "host/render_turn.h"

#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"

namespace chartwright::host {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;

/// One render at a time, of four MiB.
struct OneRender {
  base::ManualClock clock;
  const base::Logger log{{}, clock, [](std::string_view /*line*/) {}};
  RenderMarks marks{"", log};
  RenderMemory memory{.usable_bytes = 128 * kMebibyte, .bytes = 4 * kMebibyte, .at_once = 1};
  RenderGate gate{memory.gate_bytes()};
  const RenderResources resources{gate, marks, memory};
  const MarkKey key{};

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
  OneRender render;
  {
    RenderTurn turn(render.resources, render.memory.bytes, {});
    CHECK(turn.run(render.key, [] { return text_of(1000); }).ok());
    CHECK(render.is_free());
    const auto kept = turn.run(render.key, [] { return text_of(3 * kMebibyte); });
    CHECK(kept.ok());
    CHECK_FALSE(render.is_free());
    // It continues without waiting for itself, within the rest of its share.
    CHECK(turn.run(render.key, [] { return text_of(1000); }).ok());
    const auto more = turn.run(render.key, [] { return text_of(2 * kMebibyte); });
    REQUIRE_FALSE(more.ok());
    CHECK(more.error().code() == base::ErrorCode::kBudget);
  }
  CHECK(render.is_free());
}

TEST_CASE("A render beyond its share reports the limit, and how to raise it") {
  OneRender render;
  RenderTurn turn(render.resources, render.memory.bytes, {});
  const auto big = turn.run(render.key, [] { return text_of(5 * kMebibyte); });
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
  OneRender render;
  RenderTurn turn(render.resources, render.memory.bytes, {});
  const auto escape = []() -> base::Status { throw std::runtime_error("a bug"); };
  CHECK_THROWS(turn.run(render.key, escape));
  CHECK(render.is_free());
}

}  // namespace
}  // namespace chartwright::host
