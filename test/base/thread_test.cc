// SPDX-License-Identifier: Apache-2.0
#include "base/thread.h"

#include <atomic>
#include <catch2/catch.hpp>

namespace chartwright::base {
namespace {

TEST_CASE("A thread has the name and the stack that were asked for") {
  std::string name;
  size_t stack_bytes = 0;
  Thread thread("a-name-longer-than-fifteen", size_t{2} << 20, [&] {
    std::string buffer(64, '\0');
    pthread_getname_np(pthread_self(), buffer.data(), buffer.size());
    name = buffer.substr(0, buffer.find('\0'));
    pthread_attr_t attr;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstacksize(&attr, &stack_bytes);
    pthread_attr_destroy(&attr);
  });
  thread.join();
  CHECK(name == "a-name-longer-t");
  CHECK(stack_bytes >= size_t{2} << 20);
}

TEST_CASE("A thread that the system does not give is an error") {
  constexpr size_t kAllAddresses = size_t{1} << 60;
  bool ran = false;
  const auto thread = Thread::start("wide", kAllAddresses, [&ran] { ran = true; });
  REQUIRE_FALSE(thread.ok());
  CHECK(thread.error().code() == ErrorCode::kUnavailable);
  CHECK(thread.error().message().starts_with("cannot start the thread wide: "));
  CHECK_FALSE(ran);
}

TEST_CASE("Destruction and assignment wait for the body") {
  std::atomic<int> ended = 0;
  {
    Thread thread("one", kDefaultStackBytes, [&] { ++ended; });
    thread = Thread("two", kDefaultStackBytes, [&] { ++ended; });
    CHECK(ended >= 1);
  }
  CHECK(ended == 2);
}

TEST_CASE("A moved-from or joined thread can be joined again") {
  std::atomic<bool> ran = false;
  Thread first("one", kDefaultStackBytes, [&] { ran = true; });
  Thread second(std::move(first));
  first.join();  // NOLINT(bugprone-use-after-move): what a moved-from thread does is tested here.
  second.join();
  second.join();
  CHECK(ran);
  Thread never;
  never.join();
}

}  // namespace
}  // namespace chartwright::base
