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

constexpr size_t kMiB = size_t{1} << 20;

/// Allocates `bytes` bytes in pieces.
std::vector<std::string> pieces(size_t bytes, size_t piece) {
  std::vector<std::string> made;
  for (size_t i = 0; i < bytes / piece; ++i) {
    made.emplace_back(piece, 'x');
  }
  return made;
}

}  // namespace

TEST_CASE("memory: past its limit a thread gets no more, in one piece or in many") {
  for (const size_t piece : {size_t{100}, size_t{5000}, kMiB, 20 * kMiB}) {
    INFO(piece);
    const Result<int> outcome = within_memory(8 * kMiB, [piece]() -> Result<int> {
      return static_cast<int>(pieces(40 * kMiB, piece).size());
    });
    REQUIRE(!outcome.ok());
    CHECK(outcome.error().code() == ErrorCode::kBudget);
    CHECK(outcome.error().message() == "more than 8388608 bytes of memory");
  }
}

TEST_CASE("memory: what is given back may be taken again") {
  const Status outcome = within_memory(8 * kMiB, []() -> Status {
    for (int i = 0; i < 100; ++i) {
      CHECK(pieces(4 * kMiB, 1000).size() == 4194);
    }
    return {};
  });
  CHECK(outcome.ok());
}

TEST_CASE("memory: what the work returns and its errors pass through") {
  CHECK(within_memory(kMiB, []() -> Result<int> { return 7; }).value() == 7);
  const Status refused =
      within_memory(kMiB, []() -> Status { return Error(ErrorCode::kNotFound, "no such file"); });
  CHECK(refused.error().code() == ErrorCode::kNotFound);
}

TEST_CASE("memory: a container beyond all measure is the same error") {
  const Status outcome = within_memory(kMiB, []() -> Status {
    std::vector<int> numbers;
    numbers.reserve(numbers.max_size());
    return {};
  });
  CHECK(outcome.error().message() == "more than 1048576 bytes of memory");
  const Status longer = within_memory(kMiB, []() -> Status {
    std::string text;
    text.reserve(std::string::npos);
    return {};
  });
  CHECK(longer.error().code() == ErrorCode::kBudget);
}

TEST_CASE("memory: limits nest and the narrowest counts") {
  const MemoryLimit outer(8 * kMiB);
  {
    const MemoryLimit wide(100 * kMiB);
    CHECK(MemoryLimit::left() <= 8 * kMiB);
    const MemoryLimit narrow(kMiB);
    CHECK(MemoryLimit::left() <= kMiB);
    CHECK_THROWS_AS(std::string(2 * kMiB, 'x'), MemoryLimitReached);
  }
  CHECK(MemoryLimit::left() > 7 * kMiB);
  CHECK(std::string(2 * kMiB, 'x').size() == 2 * kMiB);
}

TEST_CASE("memory: held and left tell what was taken") {
  const MemoryLimit limit(8 * kMiB);
  const size_t left = MemoryLimit::left();
  const std::string text(kMiB, 'x');
  CHECK(limit.held() >= kMiB);
  CHECK(limit.held() < kMiB + size_t{64} * 1024);
  CHECK(left - MemoryLimit::left() >= kMiB);
}

TEST_CASE("memory: what is asked before it is built is refused as what is built") {
  const MemoryLimit limit(kMiB);
  const uint64_t before = MemoryLimit::refusals();
  CHECK(MemoryLimit::allows(kMiB / 2));
  CHECK(MemoryLimit::refusals() == before);
  CHECK_FALSE(MemoryLimit::allows(2 * kMiB));
  CHECK_FALSE(MemoryLimit::allows(~size_t{0}));
  CHECK(MemoryLimit::refusals() == before + 2);
}

TEST_CASE("memory: a limit may be lifted for a scope, and ends with its own") {
  {
    const MemoryLimit limit(kMiB);
    {
      const MemoryLimitLifted lifted;
      CHECK(std::string(2 * kMiB, 'x').size() == 2 * kMiB);
    }
    CHECK_THROWS_AS(std::string(2 * kMiB, 'x'), MemoryLimitReached);
  }
  CHECK(MemoryLimit::left() > size_t{1} << 60);
}

TEST_CASE("memory: a limit binds its own thread alone") {
  const MemoryLimit limit(kMiB);
  size_t taken = 0;
  Thread other("other", kDefaultStackBytes,
               [&taken] { taken = std::string(4 * kMiB, 'x').size(); });
  other.join();
  CHECK(taken == 4 * kMiB);
}

struct alignas(256) Wide {
  char bytes[256];
};

TEST_CASE("memory: every form of new is counted, and of delete") {
  const MemoryLimit limit(kMiB);
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
  CHECK_THROWS_AS(std::make_unique<char[]>(2 * kMiB), MemoryLimitReached);
  CHECK_THROWS_AS(std::make_unique<Wide[]>(kMiB), MemoryLimitReached);
  CHECK(new (std::nothrow) char[2 * kMiB] == nullptr);
  CHECK(new (std::nothrow) Wide[kMiB] == nullptr);
  CHECK(MemoryLimit::refusals() == before + 4);
}

}  // namespace chartwright::base
