// SPDX-License-Identifier: Apache-2.0
#include "host/render_gate.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/thread.h"

namespace chartwright::host {
namespace {

/// Threads that enter a gate, and the order in which they entered.
class Visitors {
 public:
  explicit Visitors(RenderGate& gate) : gate_(gate) {}
  ~Visitors() { threads_.clear(); }

  /// Starts a thread, and returns when it waits.
  void wait_for(const std::string& name, size_t bytes, const std::stop_token& stop = {}) {
    const size_t before = gate_.waiting();
    threads_.emplace_back(name, base::kDefaultStackBytes, [this, name, bytes, stop] {
      const auto taken = gate_.enter(bytes, stop);
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
  RenderGate gate(100);
  REQUIRE(gate.enter(40, {}).ok());
  REQUIRE(gate.enter(40, {}).ok());
  Visitors visitors(gate);
  visitors.wait_for("large", 50);
  visitors.wait_for("small", 10);  // It would fit, but others asked first.
  gate.leave(40);
  CHECK(visitors.came(2).size() == 2);
  CHECK(gate.waiting() == 0);
}

TEST_CASE("A render that needs all is alone") {
  RenderGate gate(100);
  REQUIRE(gate.enter(1, {}).ok());
  Visitors visitors(gate);
  visitors.wait_for("alone", 1'000'000);
  visitors.wait_for("next", 1);
  gate.leave(1);
  CHECK(visitors.came(1) == Names{"alone"});
  CHECK(gate.waiting() == 1);
  gate.leave(100);
  CHECK(visitors.came(2) == Names{"alone", "next"});
}

TEST_CASE("Who is stopped while waiting lets the next one go first") {
  RenderGate gate(100);
  REQUIRE(gate.enter(60, {}).ok());
  std::stop_source stop;
  Visitors visitors(gate);
  visitors.wait_for("stopped", 100, stop.get_token());
  visitors.wait_for("next", 40);
  stop.request_stop();
  auto came = visitors.came(2);
  std::sort(came.begin(), came.end());
  CHECK(came == Names{"next", "stopped stopped"});
  gate.leave(60);
  gate.leave(40);
  const auto late = gate.enter(100, stop.get_token());  // There is enough room, so nothing waits.
  CHECK(late.ok());
}

}  // namespace
}  // namespace chartwright::host
