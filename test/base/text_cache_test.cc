// SPDX-License-Identifier: Apache-2.0
#include "base/text_cache.h"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "base/thread.h"

using chartwright::base::kDefaultStackBytes;
using chartwright::base::TextCache;
using chartwright::base::Thread;

TEST_CASE("A kept value is found, the last one of a text") {
  TextCache<int> numbers(4);
  CHECK_FALSE(numbers.find("one").has_value());
  numbers.keep("one", 1);
  numbers.keep("two", 3);
  numbers.keep("two", 2);
  CHECK(numbers.find("one") == 1);
  CHECK(numbers.find("two") == 2);
  CHECK_FALSE(numbers.find("").has_value());
}

TEST_CASE("A full one forgets, and lets go of what it held") {
  TextCache<std::shared_ptr<const int>> numbers(2);
  const auto first = std::make_shared<const int>(1);
  const std::weak_ptr<const int> second = [&] {
    auto made = std::make_shared<const int>(2);
    numbers.keep("second", made);
    return std::weak_ptr<const int>(made);
  }();
  numbers.keep("first", first);
  CHECK_FALSE(second.expired());
  numbers.keep("third", std::make_shared<const int>(3));
  CHECK(second.expired());
  CHECK(first.use_count() == 1);
  CHECK(**numbers.find("third") == 3);
}

TEST_CASE("Threads may find and keep at once") {
  TextCache<size_t> numbers(8);
  std::vector<Thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back("keeper", kDefaultStackBytes, [&numbers, &wrong, t] {
      for (size_t i = 0; i < 2000; ++i) {
        const std::string text = std::to_string(i % 16);
        wrong[t] += numbers.find(text).value_or(i % 16) == i % 16 ? 0 : 1;
        numbers.keep(text, i % 16);
      }
    });
  }
  for (Thread& thread : threads) {
    thread.join();
  }
  CHECK(wrong == std::vector<int>(4, 0));
}
