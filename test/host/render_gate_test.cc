// SPDX-License-Identifier: Apache-2.0
#include "host/render_gate.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/thread.h"
#include "test/base/manual_clock.h"

namespace chartwright::host {
namespace {

constexpr size_t kOneRender = RenderMemory::kStackBytes;  // A render that may hold nothing.

/// Memory for some such renders, and for what `workers` may keep in any case.
RenderMemory memory_for(int renders, size_t workers = 0) {
  return {.at_once = renders, .left_bytes = workers * RenderMemory::kLeftBytes};
}

/// Threads that enter a gate, and the order in which they entered.
class Visitors {
 public:
  explicit Visitors(RenderGate& gate) : gate_(gate) {}
  ~Visitors() { threads_.clear(); }

  /// Starts a thread, and returns when it waits.
  void wait_for(const std::string& name, const RenderGate::Ask& ask,
                const std::stop_token& stop = {}) {
    const size_t before = gate_.waiting();
    threads_.emplace_back(name, base::kDefaultStackBytes, [this, name, ask, stop] {
      const auto taken = gate_.enter(ask, stop);
      base::MutexLock lock(mutex_);
      came_.push_back(name + (taken.ok() ? "" : " stopped"));
      changed_.notify_all();
    });
    while (gate_.waiting() == before) {
      std::this_thread::yield();
    }
  }
  /// Waits for `count` threads to enter, and returns them in order.
  std::vector<std::string> came(size_t count) {
    base::MutexLock lock(mutex_);
    while (came_.size() < count) {
      changed_.wait(mutex_);
    }
    return came_;
  }

 private:
  RenderGate& gate_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<std::string> came_ CW_GUARDED_BY(mutex_);
  std::vector<base::Thread> threads_;
};

using Names = std::vector<std::string>;

TEST_CASE("Renders begin while there is room, then in the order in which they asked") {
  base::ManualClock clock;
  RenderGate gate(memory_for(10), clock);
  REQUIRE(gate.enter({4 * kOneRender}, {}).ok());
  const RenderGate::Place second = CW_MUST(gate.enter({4 * kOneRender}, {}));
  Visitors visitors(gate);
  visitors.wait_for("large", {5 * kOneRender});
  visitors.wait_for("small", {kOneRender});  // It would fit, but others asked first.
  CHECK(gate.leave(second, {}));
  CHECK(visitors.came(2).size() == 2);
  CHECK(gate.waiting() == 0);
}

TEST_CASE("A render that needs all is alone, and so is one that asks for it") {
  base::ManualClock clock;
  RenderGate gate(memory_for(10), clock);
  const RenderGate::Place first = CW_MUST(gate.enter({kOneRender}, {}));
  Visitors visitors(gate);
  const bool needs_all = GENERATE(true, false);
  visitors.wait_for("alone",
                    needs_all ? RenderGate::Ask{1000 * kOneRender, 0, RenderGate::Company::kOthers}
                              : RenderGate::Ask{kOneRender, 0, RenderGate::Company::kAlone});
  visitors.wait_for("next", {kOneRender});
  CHECK(gate.leave(first, {}));
  CHECK(visitors.came(1) == Names{"alone"});
  CHECK(gate.waiting() == 1);
  CHECK(gate.taken() == gate.bytes());
  CHECK(gate.leave({0, gate.bytes(), false}, {}));
  CHECK(visitors.came(2) == Names{"alone", "next"});
}

TEST_CASE("A render that must run alone does, although others keep something") {
  base::ManualClock clock;
  RenderGate gate(memory_for(2), clock);
  const RenderGate::Place first = CW_MUST(gate.enter({kOneRender}, {}));
  CHECK(gate.leave(first, {0, kOneRender / 2}));
  const RenderGate::Place alone =
      CW_MUST(gate.enter({kOneRender, 0, RenderGate::Company::kAlone}, {}));
  CHECK(alone.bytes == kOneRender);
  CHECK(alone.taken == gate.bytes());
}

TEST_CASE("Who is stopped while waiting lets the next one go first") {
  base::ManualClock clock;
  RenderGate gate(memory_for(10), clock);
  REQUIRE(gate.enter({6 * kOneRender}, {}).ok());
  std::stop_source stop;
  Visitors visitors(gate);
  visitors.wait_for("stopped", {10 * kOneRender}, stop.get_token());
  visitors.wait_for("next", {4 * kOneRender});
  stop.request_stop();
  auto came = visitors.came(2);
  std::sort(came.begin(), came.end());
  CHECK(came == Names{"next", "stopped stopped"});
  CHECK(gate.leave({0, 10 * kOneRender, false}, {}));
  const auto late =
      gate.enter({10 * kOneRender}, stop.get_token());  // There is room: nothing waits.
  CHECK(late.ok());
}

TEST_CASE("Who waits for what others keep lets those pass who need less") {
  base::ManualClock clock;
  RenderGate gate(memory_for(10), clock);
  const RenderGate::Place first = CW_MUST(gate.enter({6 * kOneRender}, {}));
  CHECK(gate.leave(first, {0, 6 * kOneRender}));
  Visitors visitors(gate);
  visitors.wait_for("large", {9 * kOneRender});
  const RenderGate::Place small = CW_MUST(gate.enter({kOneRender}, {}));
  CHECK(gate.leave(small, {}));
  CHECK(gate.waiting() == 1);
  gate.drop({6 * kOneRender, 0});
  CHECK(visitors.came(1) == Names{"large"});
}

TEST_CASE("Where others keep much, a render gets what is left, once no other runs") {
  base::ManualClock clock;
  RenderGate gate(memory_for(10), clock);
  const RenderGate::Place first = CW_MUST(gate.enter({4 * kOneRender}, {}));
  CHECK(gate.leave(first, {0, 4 * kOneRender}));
  const RenderGate::Place second = CW_MUST(gate.enter({kOneRender}, {}));
  CHECK_FALSE(second.is_short);
  Visitors visitors(gate);
  visitors.wait_for("large", {9 * kOneRender});
  CHECK(gate.leave(second, {}));
  CHECK(visitors.came(1) == Names{"large"});
  CHECK(gate.taken() == 6 * kOneRender);
}

TEST_CASE("Kept memory leaves room for a render, unless only one reconcile keeps much") {
  base::ManualClock clock;
  RenderGate gate(memory_for(3, 1), clock);
  const RenderGate::Place first = CW_MUST(gate.enter({3 * kOneRender}, {}));
  CHECK(gate.leave(first, {0, 2 * kOneRender}));
  const RenderGate::Place second = CW_MUST(gate.enter({kOneRender}, {}));
  CHECK_FALSE(gate.leave(second, {0, kOneRender}));
  CHECK(gate.kept() == 2 * kOneRender);
  const RenderGate::Place third = CW_MUST(gate.enter({kOneRender}, {}));
  CHECK(gate.leave(third, {0, RenderMemory::kLeftBytes}));  // In any case.
  gate.drop({2 * kOneRender, 0});
  const RenderGate::Place fourth = CW_MUST(gate.enter({kOneRender}, {}));
  CHECK(gate.leave(fourth, {0, 3 * kOneRender}));
}

TEST_CASE("A reconcile that keeps much gets what is left, and does not wait for itself") {
  base::ManualClock clock;
  RenderGate gate(memory_for(2), clock);
  const RenderGate::Place first = CW_MUST(gate.enter({2 * kOneRender}, {}));
  CHECK(gate.leave(first, {0, kOneRender / 2}));
  const RenderGate::Place second = CW_MUST(gate.enter({2 * kOneRender, kOneRender / 2}, {}));
  CHECK(second.bytes == 2 * kOneRender - kOneRender / 2);
  CHECK_FALSE(second.is_short);
}

TEST_CASE("A process that has grown has memory for fewer renders, but for one in any case") {
  base::ManualClock clock;
  RenderMemory memory = memory_for(4);
  memory.usable_bytes = 16 * kOneRender;
  RenderGate gate(memory, clock, base::Duration::zero());
  const auto at_once = [&gate](size_t base_bytes) {
    gate.note_base(base_bytes);
    std::vector<RenderGate::Place> places;
    for (auto place = gate.enter({kOneRender}, {}); place.ok();
         place = gate.enter({kOneRender}, {})) {
      places.push_back(*place);
    }
    for (const RenderGate::Place& place : places) {
      CHECK(gate.leave(place, {}));
    }
    return places.size();
  };
  CHECK(at_once(11 * kOneRender) == 4);
  CHECK(at_once(13 * kOneRender) == 2);
  CHECK(at_once(20 * kOneRender) == 1);
  CHECK(gate.base_bytes() == 20 * kOneRender);
}

TEST_CASE("Nobody waits for memory for ever, and the error says who has it") {
  base::ManualClock clock;
  RenderGate gate(memory_for(2), clock, base::Duration::zero());
  const RenderGate::Place first = CW_MUST(gate.enter({kOneRender}, {}));
  CHECK(gate.leave(first, {0, kOneRender}));
  REQUIRE(gate.enter({kOneRender}, {}).ok());
  const auto late = gate.enter({kOneRender}, {});
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code() == base::ErrorCode::kUnavailable);
  CHECK(late.error().reason() == kNoRoom);
  CHECK(
      late.error().message() ==
      "waited 0s for 13Mi of memory to render: of 26Mi, running renders have 13Mi, and reconciles "
      "that wait for servers keep 13Mi");
}

}  // namespace
}  // namespace chartwright::host
