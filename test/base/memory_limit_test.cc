// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread.h"

namespace chartwright::base {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;

/// Allocates `bytes` bytes in pieces.
std::vector<std::string> pieces(size_t bytes, size_t piece) {
  std::vector<std::string> made;
  for (size_t i = 0; i < bytes / piece; ++i) {
    made.emplace_back(piece, 'x');
  }
  return made;
}

}  // namespace

TEST_CASE("Past its limit a thread gets no more, in one piece or in many") {
  for (const size_t piece : {size_t{100}, size_t{5000}, kMebibyte, 20 * kMebibyte}) {
    INFO(piece);
    const Result<int> outcome = within_memory(8 * kMebibyte, [piece]() -> Result<int> {
      return static_cast<int>(pieces(40 * kMebibyte, piece).size());
    });
    REQUIRE(!outcome.ok());
    CHECK(outcome.error().code() == ErrorCode::kBudget);
    CHECK(outcome.error().message() == "more than 8388608 bytes of memory");
  }
}

TEST_CASE("Memory that is given back may be taken again") {
  const Status outcome = within_memory(8 * kMebibyte, []() -> Status {
    for (int i = 0; i < 100; ++i) {
      CHECK(pieces(4 * kMebibyte, 1000).size() == 4194);
    }
    return {};
  });
  CHECK(outcome.ok());
}

TEST_CASE("The result of the work and its errors pass through") {
  CHECK(within_memory(kMebibyte, []() -> Result<int> { return 7; }).value() == 7);
  const Status refused = within_memory(
      kMebibyte, []() -> Status { return Error(ErrorCode::kNotFound, "no such file"); });
  CHECK(refused.error().code() == ErrorCode::kNotFound);
}

TEST_CASE("A container beyond all measure is the same error") {
  const Status outcome = within_memory(kMebibyte, []() -> Status {
    std::vector<int> numbers;
    numbers.reserve(numbers.max_size());
    return {};
  });
  CHECK(outcome.error().message() == "more than 1048576 bytes of memory");
  const Status longer = within_memory(kMebibyte, []() -> Status {
    std::string text;
    text.reserve(std::string::npos);
    return {};
  });
  CHECK(longer.error().code() == ErrorCode::kBudget);
}

TEST_CASE("Limits nest and the narrowest counts") {
  const MemoryLimit outer(8 * kMebibyte);
  {
    const MemoryLimit wide(100 * kMebibyte);
    CHECK(MemoryLimit::left() <= 8 * kMebibyte);
    const MemoryLimit narrow(kMebibyte);
    CHECK(MemoryLimit::left() <= kMebibyte);
    CHECK_THROWS_AS(std::string(2 * kMebibyte, 'x'), MemoryLimitReached);
  }
  CHECK(MemoryLimit::left() > 7 * kMebibyte);
  CHECK(std::string(2 * kMebibyte, 'x').size() == 2 * kMebibyte);
}

TEST_CASE("Held and left tell what was taken") {
  const MemoryLimit limit(8 * kMebibyte);
  const size_t left = MemoryLimit::left();
  const std::string text(kMebibyte, 'x');
  CHECK(limit.held() >= kMebibyte);
  CHECK(limit.held() < kMebibyte + size_t{64} * 1024);
  CHECK(left - MemoryLimit::left() >= kMebibyte);
}

TEST_CASE("A request ahead of the allocation is refused as the allocation is") {
  const MemoryLimit limit(kMebibyte);
  const uint64_t before = MemoryLimit::refusals();
  CHECK(MemoryLimit::allows(kMebibyte / 2));
  CHECK(MemoryLimit::refusals() == before);
  CHECK_FALSE(MemoryLimit::allows(2 * kMebibyte));
  CHECK_FALSE(MemoryLimit::allows(~size_t{0}));
  CHECK(MemoryLimit::refusals() == before + 2);
}

TEST_CASE("A limit may be lifted for a scope, and ends with its own") {
  {
    const MemoryLimit limit(kMebibyte);
    {
      const MemoryLimitLifted lifted;
      CHECK(std::string(2 * kMebibyte, 'x').size() == 2 * kMebibyte);
    }
    CHECK_THROWS_AS(std::string(2 * kMebibyte, 'x'), MemoryLimitReached);
  }
  CHECK(MemoryLimit::left() > size_t{1} << 60);
}

TEST_CASE("A limit binds its own thread alone") {
  const MemoryLimit limit(kMebibyte);
  size_t taken = 0;
  Thread other("other", kDefaultStackBytes,
               [&taken] { taken = std::string(4 * kMebibyte, 'x').size(); });
  other.join();
  CHECK(taken == 4 * kMebibyte);
}

struct alignas(256) Wide {
  char bytes[256];
};

TEST_CASE("Every form of new is counted, and of delete") {
  const MemoryLimit limit(kMebibyte);
  const uint64_t before = MemoryLimit::refusals();
  {
    const auto array = std::make_unique<char[]>(1000);
    const std::unique_ptr<int> one(new (std::nothrow) int(1));
    const std::unique_ptr<char[]> few(new (std::nothrow) char[1000]);
    const auto wide = std::make_unique<Wide>();
    const auto wides = std::make_unique<Wide[]>(10);
    const std::unique_ptr<Wide[]> quiet(new (std::nothrow) Wide[10]);
    CHECK(reinterpret_cast<uintptr_t>(wide.get()) % 256 == 0);
    CHECK(limit.held() >= 2000 + 21 * sizeof(Wide));
  }
  CHECK(limit.held() == 0);
  CHECK(MemoryLimit::refusals() == before);
  CHECK_THROWS_AS(std::make_unique<char[]>(2 * kMebibyte), MemoryLimitReached);
  CHECK_THROWS_AS(std::make_unique<Wide[]>(kMebibyte), MemoryLimitReached);
  CHECK(new (std::nothrow) char[2 * kMebibyte] == nullptr);
  CHECK(new (std::nothrow) Wide[kMebibyte] == nullptr);
  CHECK(MemoryLimit::refusals() == before + 4);
}

}  // namespace chartwright::base
