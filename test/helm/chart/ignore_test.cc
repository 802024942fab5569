// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/ignore.h"

#include <catch2/catch.hpp>

// The expected results are those of pkg/ignore in Helm 3.22.
namespace chartwright::helm {
namespace {

struct IgnoreCase {
  const char* rules;
  const char* path;
  EntryType type;
  bool ignored;
};

TEST_CASE("The first ignore rule that matches decides") {
  static const IgnoreCase kCases[] = {
      {"*.txt", "a.txt", EntryType::kFile, true},
      {"*.txt", "x/a.txt", EntryType::kFile, true},
      {"/*.txt", "x/a.txt", EntryType::kFile, false},
      {"/*.txt", "a.txt", EntryType::kFile, true},
      {"mydir/", "mydir", EntryType::kDirectory, true},
      {"mydir/", "mydir", EntryType::kFile, false},
      {"mydir/", "a/mydir", EntryType::kDirectory, true},
      {"a/b", "a/b", EntryType::kFile, true},
      {"a/b", "x/a/b", EntryType::kFile, false},
      {"!a.txt", "a.txt", EntryType::kFile, false},
      {"!a.txt", "b.txt", EntryType::kFile, true},
      {"!a.txt\n*.txt", "a.txt", EntryType::kFile, true},
      {"# a.txt", "a.txt", EntryType::kFile, false},
      {"  a.txt  ", "a.txt", EntryType::kFile, true},
      {"", "templates/.x", EntryType::kFile, true},
      {"", "templates/x", EntryType::kFile, false},
      {"", "templates/.x/y", EntryType::kFile, false},
      {"!dir/", "dir", EntryType::kFile, true},
      {"!dir/", "dir", EntryType::kDirectory, false},
      {"a[b-d].txt", "ac.txt", EntryType::kFile, true},
      {"//x", "x", EntryType::kFile, false},
      {"/", "x", EntryType::kFile, false},
      {"*", "x/y", EntryType::kFile, true},
      {"*/y", "x/y", EntryType::kFile, true},
      {"\xEF\xBB\xBF"
       "a.txt",
       "a.txt", EntryType::kFile, true},
  };
  for (const IgnoreCase& c : kCases) {
    INFO(c.rules << " against " << c.path);
    const auto rules = IgnoreRules::parse(c.rules);
    REQUIRE(rules.ok());
    CHECK(rules->ignores(c.path, c.type) == c.ignored);
  }
}

TEST_CASE("Invalid ignore rules are refused") {
  const auto double_star = IgnoreRules::parse("a/**");
  REQUIRE_FALSE(double_star.ok());
  CHECK(double_star.error().message() == "double-star (**) syntax is not supported");
  const auto bad = IgnoreRules::parse("[a");
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().message() == "syntax error in pattern");
}

}  // namespace
}  // namespace chartwright::helm
