// SPDX-License-Identifier: Apache-2.0
#include "go/regexp.h"

#include <catch2/catch.hpp>
#include <string>

using chartwright::go::Regexp;
using chartwright::go::RegexpCache;

TEST_CASE("The whole match is the same whether groups are asked for or not") {
  const Regexp regexp = CW_MUST(Regexp::compile("a(|b|bc)(d?)"));
  const std::string text = "xabcd";
  const auto all = regexp.find(text, 0, Regexp::Groups::kAll);
  const auto whole = regexp.find(text, 0, Regexp::Groups::kWhole);
  REQUIRE(all);
  REQUIRE(whole);
  CHECK(all->size() == 3);
  CHECK(whole->size() == 1);
  CHECK(all->front().in(text) == "a");  // The leftmost alternative, not the longest.
  CHECK(whole->front().in(text) == "a");
  CHECK(regexp.matches(text));
  CHECK_FALSE(regexp.matches("xbcd"));
}

TEST_CASE("A pattern compiled before gives the same, more patterns than are kept too") {
  RegexpCache cache;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 200; ++i) {
      const std::string number = std::to_string(i);
      const Regexp regexp = CW_MUST(cache.compile("^v" + number + "(x)?$"));
      REQUIRE(regexp.pattern() == "^v" + number + "(x)?$");
      REQUIRE(regexp.matches("v" + number));
      REQUIRE_FALSE(regexp.matches("v" + number + "0"));
    }
  }
}

TEST_CASE("A pattern too large to be kept compiles each time") {
  RegexpCache cache;
  for (int round = 0; round < 2; ++round) {
    const Regexp regexp = CW_MUST(cache.compile(R"(^\pL{100}$)"));
    REQUIRE(regexp.matches(std::string(100, 'a')));
    REQUIRE_FALSE(regexp.matches(std::string(99, 'a')));
  }
  const auto refused = Regexp::compile(R"(((\pL{100}){100}){100})");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message().find("error parsing regexp: ") == 0);
}

TEST_CASE("A pattern of more than a million bytes is refused unread") {
  std::string pattern;
  while (pattern.size() <= 1'000'000) {
    pattern += "a|";
  }
  const auto refused = Regexp::compile(pattern);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message() == "error parsing regexp: expression too large: ``");
}

TEST_CASE("An error is the same each time") {
  RegexpCache cache;
  for (int round = 0; round < 2; ++round) {
    const auto refused = cache.compile("(");
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message() == "error parsing regexp: missing closing ): `(`");
  }
}
