// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker_pool.h"

#include <catch2/catch.hpp>
#include <future>

namespace chartwright::runtime {

TEST_CASE("A client whose tasks hang leaves a worker to others") {
  std::promise<void> released;
  const std::shared_future<void> release = released.get_future().share();
  std::promise<void> served;
  WorkerPool pool("test", 3, {.running_of_one = 2, .waiting_of_one = 8, .waiting = 16}, 1 << 20);
  for (int i = 0; i < 8; ++i) {
    REQUIRE(pool.submit("busy", [release] { release.wait(); }));
  }
  REQUIRE(pool.submit("other", [&] { served.set_value(); }));
  served.get_future().wait();
  released.set_value();
}

}  // namespace chartwright::runtime
