// SPDX-License-Identifier: Apache-2.0
#include "go/path.h"

#include <catch2/catch.hpp>

// The expected results are those of path and path/filepath in Go 1.26.
namespace chartwright::go {
namespace {

enum class Want { kYes, kNo, kBad };

struct MatchCase {
  const char* pattern;
  const char* name;
  Want want;
};

struct PathCase {
  const char* path;
  const char* clean;
  const char* base;
  const char* extension;
};

}  // namespace

TEST_CASE("Patterns match as in path/filepath") {
  static const MatchCase kCases[] = {
      {"abc", "abc", Want::kYes},
      {"*", "abc", Want::kYes},
      {"*c", "abc", Want::kYes},
      {"a*", "a", Want::kYes},
      {"a*", "ab/c", Want::kNo},
      {"a*/b", "abc/b", Want::kYes},
      {"a*/b", "a/c/b", Want::kNo},
      {"a*b*c*d*e*/f", "axbxcxdxe/f", Want::kYes},
      {"a*b*c*d*e*/f", "axbxcxdxe/xxx/f", Want::kNo},
      {"a*b?c*x", "abxbbxdbxebxczzx", Want::kYes},
      {"a*b?c*x", "abxbbxdbxebxczzy", Want::kNo},
      {"ab[c]", "abc", Want::kYes},
      {"ab[b-d]", "abc", Want::kYes},
      {"ab[e-g]", "abc", Want::kNo},
      {"ab[^c]", "abc", Want::kNo},
      {"ab[^e-g]", "abc", Want::kYes},
      {"a\\*b", "a*b", Want::kYes},
      {"a\\*b", "ab", Want::kNo},
      {"a?b", "a☺b", Want::kYes},
      {"a[^a]b", "a☺b", Want::kYes},
      {"a???b", "a☺b", Want::kNo},
      {"[a-ζ]*", "α", Want::kYes},
      {"*[a-ζ]", "A", Want::kNo},
      {"a?b", "a/b", Want::kNo},
      {"a*b", "a/b", Want::kNo},
      {"[\\]a]", "]", Want::kYes},
      {"[\\-]", "-", Want::kYes},
      {"[x\\-]", "x", Want::kYes},
      {"[x\\-]", "z", Want::kNo},
      {"[\\-x]", "a", Want::kNo},
      {"[]a]", "]", Want::kBad},
      {"[-]", "-", Want::kBad},
      {"[x-]", "x", Want::kBad},
      {"[-x]", "x", Want::kBad},
      {"\\", "a", Want::kBad},
      {"[a-b-c]", "a", Want::kBad},
      {"[", "a", Want::kBad},
      {"[^", "a", Want::kBad},
      {"[^bc", "a", Want::kBad},
      {"a[", "a", Want::kBad},
      {"a[", "ab", Want::kBad},
      {"a[", "x", Want::kBad},
      {"a/b[", "x", Want::kBad},
      {"*x", "xxx", Want::kYes},
      {"", "", Want::kYes},
      {"", "a", Want::kNo},
      {"*", "", Want::kYes},
      {"**", "a/b", Want::kNo},
      {"**/a", "a", Want::kNo},
      {"[a", "a", Want::kBad},
      {"a*[", "b", Want::kNo},
      {"?", "", Want::kNo},
      {"a/*", "a/.b", Want::kYes},
  };
  for (const MatchCase& c : kCases) {
    INFO(c.pattern << " " << c.name);
    const auto got = match_path(c.pattern, c.name);
    CHECK(got.ok() == (c.want != Want::kBad));
    CHECK((got.ok() && *got) == (c.want == Want::kYes));
  }
}

TEST_CASE("Paths are cleaned and split as in path") {
  static const PathCase kCases[] = {
      {"", ".", ".", ""},
      {"abc", "abc", "abc", ""},
      {"abc/def", "abc/def", "def", ""},
      {"a/b/c", "a/b/c", "c", ""},
      {".", ".", ".", "."},
      {"..", "..", "..", "."},
      {"../..", "../..", "..", "."},
      {"../../abc", "../../abc", "abc", ""},
      {"/abc", "/abc", "abc", ""},
      {"/", "/", "/", ""},
      {"abc/", "abc", "abc", ""},
      {"abc/def/", "abc/def", "def", ""},
      {"a/b/c/", "a/b/c", "c", ""},
      {"./", ".", ".", ""},
      {"../", "..", "..", ""},
      {"../../", "../..", "..", ""},
      {"/abc/", "/abc", "abc", ""},
      {"abc//def//ghi", "abc/def/ghi", "ghi", ""},
      {"//abc", "/abc", "abc", ""},
      {"abc/./def", "abc/def", "def", ""},
      {"abc/def/ghi/../jkl", "abc/def/jkl", "jkl", ""},
      {"abc/def/../ghi/../jkl", "abc/jkl", "jkl", ""},
      {"abc/def/..", "abc", "..", "."},
      {"abc/def/../..", ".", "..", "."},
      {"/abc/def/../..", "/", "..", "."},
      {"abc/def/../../..", "..", "..", "."},
      {"abc/def/../../../ghi/jkl/../../../mno", "../../mno", "mno", ""},
      {"abc/../../././../def", "../../def", "def", ""},
  };
  for (const PathCase& c : kCases) {
    INFO(c.path);
    CHECK(clean_path(c.path) == c.clean);
    CHECK(base_name(c.path) == c.base);
    CHECK(extension(c.path) == c.extension);
  }
}

TEST_CASE("Joined paths are clean") {
  CHECK(join_path("a", "../b/./c") == "b/c");
  CHECK(join_path("", "b") == "b");
  CHECK(join_path("a", "") == "a");
  CHECK(join_path("", "").empty());
}

}  // namespace chartwright::go
