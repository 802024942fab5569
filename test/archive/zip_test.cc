// SPDX-License-Identifier: Apache-2.0
#include "archive/zip.h"

#include <catch2/catch.hpp>

#include "test/archive/zip_content.h"

namespace chartwright::archive {
namespace {

const base::WallTime kTime = CW_MUST(base::parse_rfc3339("2026-11-30T01:48:00Z"));

TEST_CASE("A zip has its files in the order of their names, with their texts") {
  const std::string large(100'000, 'x');
  const Files files = {{"a/b.txt", "one\n"}, {"a/a.txt", ""}, {"large", large}};
  const std::string zip = CW_MUST(zip_of(files, kTime));
  using File = std::pair<std::string, std::string>;
  CHECK(testing::zip_content(zip) ==
        std::vector<File>{{"a/a.txt", ""}, {"a/b.txt", "one\n"}, {"large", large}});
  CHECK(zip.size() < 2000);
  CHECK(zip.starts_with("PK"));
}

TEST_CASE("Equal files give equal bytes") {
  const Files files = {{"a", "one"}, {"b", std::string("\0\xff", 2)}};
  CHECK(CW_MUST(zip_of(files, kTime)) == CW_MUST(zip_of(files, kTime)));
}

TEST_CASE("A zip may be empty") { CHECK(testing::zip_content(CW_MUST(zip_of({}, kTime))).empty()); }

}  // namespace
}  // namespace chartwright::archive
