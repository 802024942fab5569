// SPDX-License-Identifier: Apache-2.0
#include "suite/text_diff.h"

#include <catch2/catch.hpp>

namespace chartwright::suite {
namespace {

// The answers of Python's difflib.unified_diff with n=1.
TEST_CASE("Changes have one line of context") {
  CHECK(text_diff("a", "a").empty());
  CHECK(text_diff("a\nb\nc\nd\ne\nf\n", "a\nb\nX\nd\ne\nf\n") ==
        "--- Expected\n+++ Actual\n@@ -2,3 +2,3 @@\n b\n-c\n+X\n d\n");
  CHECK(text_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "0\n1\n2\n3\n4\n5\n6\n7\n") ==
        "--- Expected\n+++ Actual\n@@ -1 +1,2 @@\n+0\n 1\n@@ -7,3 +8,2 @@\n 7\n-8\n \n");
}

TEST_CASE("Long texts are compared, too") {
  std::string a;
  std::string b;
  for (int i = 0; i < 300; ++i) {
    a += "same\n";
    b += i == 150 ? "other\n" : "same\n";
  }
  CHECK_FALSE(text_diff(a, b).empty());
  CHECK_FALSE(text_diff(std::string(50'000, '\n'), "a").empty());
}

}  // namespace
}  // namespace chartwright::suite
