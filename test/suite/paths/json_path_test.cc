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

TEST_CASE("Places are those of the values, in their order, and not without end") {
  const auto document =
      yaml::parse_yaml("a: {b: [{k: x, v: 1}, {k: z, v: 2}], c.d: 3}", value::Numbers::kInt64);
  REQUIRE(document.ok());
  const auto places = [&](std::string_view path) {
    const auto found = CW_MUST(JsonPath::compile(path)).places(*document);
    REQUIRE(found.ok());
    std::string texts;
    for (const value::Path& place : *found) {
      texts += place.to_string() + " ";
    }
    return texts;
  };
  CHECK(places("a.b[*].v") == "a.b[0].v a.b[1].v ");
  CHECK(places("a.b[-1:]") == "a.b[1] ");
  CHECK(places("a.b[?(@.k == 'z')].v") == "a.b[1].v ");
  CHECK(places("a['c.d']") == "a[\"c.d\"] ");
  CHECK(places("a..v") == "a.b[0].v a.b[1].v ");
  CHECK(places("a.b[0].*") == "a.b[0].k a.b[0].v ");
  CHECK(places("a.x").empty());
  const value::Value many = value::Value::list(std::vector<value::Value>(10'001));
  const auto all = CW_MUST(JsonPath::compile("[*]"));
  CHECK(CW_MUST(all.find(many)).size() == 10'001);
  CHECK_FALSE(all.places(many).ok());
}

TEST_CASE("A dead end is where a path of names and indices has no member") {
  const auto document =
      CW_MUST(yaml::parse_yaml("a: {list: [{name: x}], number: 1}", value::Numbers::kInt64));
  const auto end = [&](std::string_view path) {
    const auto found = CW_MUST(JsonPath::compile(path)).dead_end(document);
    return found ? found->reached.to_string() + "|" + found->missing + "|" + found->nearest : "-";
  };
  CHECK(end("a.lists[0]") == "a|lists|list");
  CHECK(end("a.list[0].nme") == "a.list[0]|nme|name");
  CHECK(end("a.number.x") == "a.number|x|");
  CHECK(end("b") == "|b|a");
  CHECK(end("a.list[3].name") == "-");
  CHECK(end("a.list[*].x") == "a.list[0]|x|");
  CHECK(end("a.list[0].name") == "-");
}

}  // namespace
}  // namespace chartwright::suite
