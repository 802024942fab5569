// SPDX-License-Identifier: Apache-2.0
#include "host/render_turn.h"

#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"

namespace chartwright::host {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;

/// Two renders at a time, of four MiB each.
struct TwoRenders {
  base::ManualClock clock;
  const base::Logger log{{}, clock, [](std::string_view /*line*/) {}};
  RenderMarks marks{"", log};
  RenderMemory memory{.usable_bytes = 128 * kMebibyte,
                      .bytes = 4 * kMebibyte,
                      .at_once = 2,
                      .left_bytes = 2 * RenderMemory::kLeftBytes};
  RenderGate gate{memory, clock};
  const RenderResources resources{gate, marks, memory};
  const MarkKey key{};
};

base::Result<std::string> text_of(size_t bytes) { return std::string(bytes, 'x'); }

TEST_CASE("A turn ends with the render, whatever that keeps") {
  TwoRenders render;
  {
    RenderTurn turn(render.resources, render.memory.bytes, {});
    CHECK(turn.run(render.key,
                   [&render] {
                     CHECK(render.gate.taken() == render.memory.one_render_bytes());
                     return text_of(1000);
                   })
              .ok());
    CHECK(render.gate.taken() == 0);
    const auto kept = turn.run(render.key, [] { return text_of(3 * kMebibyte); });
    CHECK(kept.ok());
    CHECK(render.gate.taken() == 0);
    CHECK(render.gate.kept() >= 3 * kMebibyte);
    CHECK(render.gate.kept() < 4 * kMebibyte);
  }
  CHECK(render.gate.kept() == 0);
}

TEST_CASE("Results that were dropped count for nothing") {
  TwoRenders render;
  RenderTurn turn(render.resources, render.memory.bytes, {});
  for (int i = 0; i < 5; ++i) {
    const auto dropped = turn.run(render.key, [] { return text_of(3 * kMebibyte); });
    CHECK(dropped.ok());
  }
  CHECK(turn.run(render.key, [] { return text_of(1000); }).ok());
  CHECK(render.gate.kept() < kMebibyte);
}

TEST_CASE("Each render has the whole share, and all results together have no more") {
  TwoRenders render;
  RenderTurn turn(render.resources, render.memory.bytes, {});
  auto kept = turn.run(render.key, [] { return text_of(2 * kMebibyte); });
  REQUIRE(kept.ok());
  const auto passing = [] { return base::Result<size_t>(std::string(3 * kMebibyte, 'x').size()); };
  CHECK(turn.run(render.key, passing).ok());
  const auto more = turn.run(render.key, [] { return text_of(3 * kMebibyte); });
  REQUIRE_FALSE(more.ok());
  CHECK(more.error().code() == base::ErrorCode::kBudget);
  CHECK_THAT(more.error().message(), Catch::Contains("the results of several renders"));
}

TEST_CASE("Results of two reconciles leave room for a render, or are refused") {
  TwoRenders render;
  render.memory.bytes = 64 * kMebibyte;  // Much larger than the stack.
  RenderGate gate(render.memory, render.clock);
  const RenderResources resources{gate, render.marks, render.memory};
  RenderTurn one(resources, render.memory.bytes, {});
  const auto kept = one.run(render.key, [] { return text_of(50 * kMebibyte); });
  REQUIRE(kept.ok());
  RenderTurn other(resources, render.memory.bytes, {});
  const auto refused = other.run(render.key, [] { return text_of(40 * kMebibyte); });
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code() == base::ErrorCode::kUnavailable);
  CHECK(refused.error().reason() == kNoRoom);
  CHECK(refused.error().message() ==
        "there is no memory to keep what was rendered (40Mi): reconciles that wait for servers "
        "keep 50Mi");
  const auto small = other.run(render.key, [] { return text_of(kMebibyte); });
  CHECK(small.ok());
}

TEST_CASE("A render beyond its share reports the limit, and how to raise it") {
  TwoRenders render;
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
  TwoRenders render;
  RenderTurn turn(render.resources, render.memory.bytes, {});
  const auto escape = []() -> base::Status { throw std::runtime_error("a bug"); };
  CHECK_THROWS(turn.run(render.key, escape));
  CHECK(render.gate.taken() == 0);
}

}  // namespace
}  // namespace chartwright::host
