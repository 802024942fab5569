// SPDX-License-Identifier: Apache-2.0
#include "value/differences.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "value/compare.h"
#include "value/json.h"

namespace chartwright::value {
namespace {

Value from_json(std::string_view text) { return CW_MUST(parse_json(text, Numbers::kInt64)); }

std::string side(const Value* v) {
  return v == nullptr ? "nothing" : CW_MUST(to_json(*v, JsonEscape::kNone));
}

/// Returns the differences of two values as "path: first -> second".
std::vector<std::string> differences(std::string_view first, std::string_view second,
                                     DifferenceSearch search = {}) {
  std::vector<std::string> found;
  search.visit = [&](const Difference& one) {
    found.push_back(one.path + ": " + side(one.first) + " -> " + side(one.second));
  };
  const Value a = from_json(first);
  const Value b = from_json(second);
  compare_members(&a, &b, search);
  return found;
}

using Lines = std::vector<std::string>;

TEST_CASE("Values differ in members that are changed, missing or more") {
  CHECK(differences(R"({"a":1,"b":{"c":2,"d.e":3}})", R"({"a":1,"b":{"c":4,"f":null}})") ==
        Lines{"b.c: 2 -> 4", R"(b["d.e"]: 3 -> nothing)", "b.f: nothing -> null"});
  CHECK(differences(R"({"a":1})", R"({"a":1})").empty());
  CHECK(differences("1", R"("1")") == Lines{": 1 -> \"1\""});
}

TEST_CASE("Items of a list are recognised by what identifies them, else by their place") {
  CHECK(
      differences(R"([{"name":"a","x":1},{"name":"b"}])", R"([{"name":"b"},{"name":"a","x":2}])") ==
      Lines{"[name=a].x: 1 -> 2", R"( (order): ["a","b"] -> ["b","a"])"});
  CHECK(differences(R"([{"x":1}])", R"([{"x":2}])") == Lines{"[0].x: 1 -> 2"});
  CHECK(differences("[1,2]", "[1,3]") == Lines{": [1,2] -> [1,3]"});
}

TEST_CASE("The caller decides what is equal, and what is left out") {
  CHECK(differences(R"({"a":1})", R"({"a":1.0})").empty());
  CHECK(
      differences(R"({"a":1})", R"({"a":1.0})", {.is_equal = deep_equal, .skips = {}, .visit = {}})
          .size() == 1);
  const auto skips = [](const std::vector<Path::Step>& steps) {
    return std::get<std::string>(steps.back()) == "a";
  };
  CHECK(differences(R"({"a":1,"b":1})", R"({"a":2,"b":2})", {.skips = skips, .visit = {}}) ==
        Lines{"b: 1 -> 2"});
}

TEST_CASE("Long texts are cut to where they begin to differ") {
  DifferentTexts texts{std::string(300, 'a') + "b", std::string(300, 'a') + "c"};
  shorten(texts);
  CHECK(*texts.first == "…" + std::string(40, 'a') + "b (301 bytes)");
  CHECK(*texts.second == "…" + std::string(40, 'a') + "c (301 bytes)");
  DifferentTexts one{std::nullopt, std::string(200, 'x')};
  shorten(one);
  CHECK(*one.second == std::string(160, 'x') + "… (200 bytes)");
}

}  // namespace
}  // namespace chartwright::value
