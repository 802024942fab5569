// SPDX-License-Identifier: Apache-2.0
#include "helm/toml/toml.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/memory_limit.h"

// Tests the limits, which case files cannot express.
namespace chartwright::helm {
namespace {

using value::Value;

base::Result<Value> decode(const std::string& text, const base::BudgetLimits& limits = {}) {
  const base::SystemClock clock;
  return base::within_memory(limits.memory_bytes_max, [&] {
    base::Budget budget(limits, clock);
    return from_toml(text, {budget, base::WallTime()});
  });
}

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += part;
  }
  return text;
}

base::ErrorCode refusal(const std::string& text, const base::BudgetLimits& limits = {}) {
  const auto v = decode(text, limits);
  REQUIRE_FALSE(v.ok());
  return v.error().code();
}

}  // namespace

TEST_CASE("Documents may be a thousand levels deep, and no deeper") {
  CHECK(decode("a = " + repeated("[", 900) + repeated("]", 900)).ok());
  CHECK(decode(repeated("a.", 900) + "a = 1").ok());
  CHECK(refusal("a = " + repeated("[", 100'000)) == base::ErrorCode::kBudget);
  CHECK(refusal("a = " + repeated("{a = ", 100'000)) == base::ErrorCode::kBudget);
  CHECK(refusal("a = " + repeated("[{a = ", 100'000)) == base::ErrorCode::kBudget);
  CHECK(refusal(repeated("a.", 100'000) + "a = 1") == base::ErrorCode::kBudget);
  CHECK(refusal("[" + repeated("a.", 2'000) + "a]") == base::ErrorCode::kBudget);
  CHECK(refusal("[[" + repeated("a.", 2'000) + "a]]") == base::ErrorCode::kBudget);
}

TEST_CASE("Tables that pile up under headers stay within a thousand levels") {
  const std::string deep = "[" + repeated("a.", 600) + "a]\n" + repeated("b.", 600) + "b = 1\n";
  CHECK(refusal(deep) == base::ErrorCode::kBudget);
}

TEST_CASE("The values that a document makes are charged to the budget") {
  base::BudgetLimits limits;
  limits.memory_bytes_max = 100'000;
  CHECK(refusal("a = [" + repeated("1,", 10'000) + "]", limits) == base::ErrorCode::kBudget);
  CHECK(refusal("[" + std::string(2000, 'k') + "]\n" + repeated("a.b.c = 1\n", 1) +
                    repeated("d = {}\n", 1) + "e = \"" + std::string(100'000, 'x') + "\"",
                limits) == base::ErrorCode::kBudget);
}

TEST_CASE("A long key above many members costs what the library spends on it") {
  base::BudgetLimits limits;
  limits.steps_max = 100'000;
  std::string text = "[" + std::string(10'000, 'k') + "]\n";
  for (int i = 0; i < 2000; ++i) {
    text += "m" + std::to_string(i) + " = 1\n";
  }
  CHECK(refusal(text, limits) == base::ErrorCode::kBudget);
}

TEST_CASE("Members in any order take no longer than in order") {
  std::string text;
  for (int i = 100'000; i-- > 0;) {
    text += "k" + std::to_string(i) + " = 1\n";
  }
  const auto v = decode(text);
  REQUIRE(v.ok());
  CHECK(v->as_dict().size() == 100'000);
}

}  // namespace chartwright::helm
