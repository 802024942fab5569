// SPDX-License-Identifier: Apache-2.0
#include "runtime/fair_queue.h"

#include <catch2/catch.hpp>
#include <string>

namespace chartwright::runtime {
namespace {

constexpr FairQueue::Limits kFewTasks = {
    .running_of_one = 2,
    .waiting_of_one = 4,
    .waiting = 6,
};

bool push(FairQueue& queue, const std::string& client) {
  return queue.push(client, [] {});
}

/// Returns the clients of all tasks that may run now, in order.
std::string start_all(FairQueue& queue) {
  std::string clients;
  while (const auto next = queue.pop()) {
    clients += next->client;
  }
  return clients;
}

TEST_CASE("Tasks of one client run in their order") {
  FairQueue queue(kFewTasks);
  std::string ran;
  for (const char* name : {"1", "2"}) {
    queue.push("a", [&ran, name] { ran += name; });
  }
  queue.pop()->task();
  queue.pop()->task();
  CHECK(ran == "12");
  CHECK(!queue.pop());
}

TEST_CASE("A client who brings many tasks delays only his own") {
  FairQueue queue(kFewTasks);
  for (int i = 0; i < 4; ++i) {
    CHECK(push(queue, "a"));
  }
  CHECK(push(queue, "b"));
  CHECK(push(queue, "c"));
  CHECK(queue.pop()->client == "a");
  CHECK(queue.pop()->client == "b");
  CHECK(queue.pop()->client == "c");
  CHECK(queue.pop()->client == "a");
}

TEST_CASE("A client has no more workers than the limit for one") {
  FairQueue queue(kFewTasks);
  for (int i = 0; i < 4; ++i) {
    push(queue, "a");
  }
  CHECK(start_all(queue) == "aa");
  push(queue, "b");
  CHECK(start_all(queue) == "b");
  CHECK(queue.waiting() == 2);
  queue.end("a");
  queue.end("b");
  CHECK(start_all(queue) == "a");
}

TEST_CASE("Too many waiting tasks are refused, of one client and of all") {
  FairQueue queue(kFewTasks);
  for (int i = 0; i < 4; ++i) {
    CHECK(push(queue, "a"));
  }
  CHECK(!push(queue, "a"));
  CHECK(push(queue, "b"));
  CHECK(push(queue, "c"));
  CHECK(!push(queue, "d"));
  queue.pop();
  CHECK(push(queue, "d"));
}

TEST_CASE("A task that was cleared does not run, and one that was running ends") {
  FairQueue queue(kFewTasks);
  push(queue, "a");
  push(queue, "a");
  push(queue, "b");
  CHECK(queue.pop()->client == "a");
  queue.clear();
  CHECK(queue.waiting() == 0);
  CHECK(!queue.pop());
  queue.end("a");
  CHECK(push(queue, "a"));
  CHECK(start_all(queue) == "a");
}

}  // namespace
}  // namespace chartwright::runtime
