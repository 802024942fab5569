// SPDX-License-Identifier: Apache-2.0
#include "suite/paths/json_path.h"

#include <catch2/catch.hpp>

#include "yaml/yaml.h"

// The selections of paths are compared with helm-unittest in test/suites/paths; here are the
// limits.
namespace chartwright::suite {
namespace {

TEST_CASE("A path that would not end is refused") {
  CHECK(JsonPath::compile(std::string(10'000, 'a')).error().message() ==
        "path is longer than 8192 bytes");
  std::string nested;
  for (int i = 0; i < 1000; ++i) {
    nested += "[?(@.a";
  }
  CHECK(JsonPath::compile(nested).error().message().find("nested too deeply") != std::string::npos);
  std::string parentheses = "a[?(" + std::string(5000, '(');
  CHECK(JsonPath::compile(parentheses).error().message().find("nested too deeply") !=
        std::string::npos);
  CHECK_FALSE(JsonPath::compile("a[?(" + std::string(5000, '!')).ok());
}

TEST_CASE("A path that selects too much is refused") {
  const auto document = yaml::parse_yaml(
      "[[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [1, 2, 3, 4, 5, 6, 7, 8]]", value::Numbers::kInt64);
  REQUIRE(document.ok());
  std::string path = "$";
  for (int i = 0; i < 40; ++i) {
    path += "..[0:8]";
  }
  const auto wide = JsonPath::compile("$[0,0,0,0,0,0,0,0][0,0,0,0,0,0,0,0]" + path.substr(1));
  REQUIRE(wide.ok());
  const auto found = wide->find(*document);
  CHECK((found.ok() || found.error().code() == base::ErrorCode::kBudget));
}

TEST_CASE("Bounds far outside of a list cost no time") {
  const auto document = yaml::parse_yaml("[1, 2, 3]", value::Numbers::kInt64);
  REQUIRE(document.ok());
  for (const char* text :
       {"[-9000000000000000000:9000000000000000000:1]", "[0:3:9000000000000000000]",
        "[9000000000000000000:-9000000000000000000:-1]", "[9000000000000000000]"}) {
    const auto path = JsonPath::compile(text);
    INFO(text);
    REQUIRE(path.ok());
    const auto found = path->find(*document);
    REQUIRE(found.ok());
    CHECK(found->size() <= 3);
  }
}

}  // namespace
}  // namespace chartwright::suite
