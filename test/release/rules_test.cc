// SPDX-License-Identifier: Apache-2.0
#include "release/rules.h"

#include <catch2/catch.hpp>

#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using testing::json;

value::Path path(std::string_view text) { return CW_MUST(value::Path::parse(text)); }

TEST_CASE("The first rule that matches speaks for an object") {
  std::vector<ChildRule> rules(3);
  rules[0].match.kind = "StatefulSet";
  rules[1].match.name = "db-*";
  rules[2].match.labels = {{"app", "web"}};
  CHECK(find_rule(rules, json(R"({"kind":"StatefulSet","metadata":{"name":"db-1"}})")) ==
        &rules[0]);
  CHECK(find_rule(rules, json(R"({"kind":"Pod","metadata":{"name":"db-1"}})")) == &rules[1]);
  CHECK(
      find_rule(rules, json(R"({"kind":"Pod","metadata":{"name":"x","labels":{"app":"web"}}})")) ==
      &rules[2]);
  CHECK(find_rule(rules, json(R"({"kind":"Pod","metadata":{"name":"x"}})")) == nullptr);
}

TEST_CASE("Globs match whole names") {
  CHECK(glob_match("a*c", "abc"));
  CHECK(glob_match("a*c", "ac"));
  CHECK(glob_match("*", ""));
  CHECK(glob_match("a?c", "abc"));
  CHECK(glob_match("*-data-*", "x-data-y-data-z"));
  CHECK_FALSE(glob_match("a*c", "abcd"));
  CHECK_FALSE(glob_match("a?c", "ac"));
  CHECK_FALSE(glob_match("", "a"));
  // Many stars on a long string stay cheap.
  CHECK_FALSE(glob_match("*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

TEST_CASE("Frozen fields are sent as they live, and quantities that would shrink stay") {
  ChildRule rule;
  rule.freeze = {path("spec.template")};
  rule.grow_only = {path("spec.size")};
  const value::Value live = json(R"({"spec":{"template":[{"size":"2Gi"}],"size":"3Gi"}})");
  SECTION("shrink") {
    value::Value desired = json(R"({"spec":{"template":[{"size":"9Gi"}],"size":"2Gi"}})");
    const Held held = hold_fields(rule, live, "chartwright", desired);
    REQUIRE(held.shrinking.size() == 1);
    CHECK(held.shrinking[0].path == "spec.size");
    CHECK(held.shrinking[0].live == "3Gi");
    CHECK(held.shrinking[0].wanted == "2Gi");
    CHECK(held.frozen == std::vector<std::string>{"spec.template"});
    CHECK(value::to_json(desired).value() ==
          R"({"spec":{"size":"3Gi","template":[{"size":"2Gi"}]}})");
  }
  SECTION("growth and another spelling of the same size are not held") {
    for (std::string_view size : {"4Gi", "3072Mi", "3Gi"}) {
      value::Value desired = json(R"({"spec":{"size":")" + std::string(size) + "\"}}");
      CHECK(hold_fields(rule, live, "chartwright", desired).empty());
      CHECK(desired.string_at({"spec", "size"}) == size);
    }
  }
  SECTION("a value that is not a quantity is left for the API server to judge") {
    value::Value desired = json(R"({"spec":{"size":"big"}})");
    CHECK(hold_fields(rule, live, "chartwright", desired).empty());
  }
  SECTION("a frozen field that the live object lacks is not sent") {
    value::Value desired = json(R"({"spec":{"template":[1]}})");
    CHECK(hold_fields(rule, json(R"({"spec":{}})"), "chartwright", desired).frozen.size() == 1);
    CHECK(desired.find_path({"spec", "template"}) == nullptr);
  }
  SECTION("only another value is told, not a default or another spelling") {
    const value::Value lives = json(
        R"({"spec":{"template":[{"size":"2Gi","mode":"Filesystem","labels":{"a":"b"}},{"n":1}]}})");
    const auto is_told = [&](std::string_view wanted) {
      value::Value desired = json(R"({"spec":{"template":)" + std::string(wanted) + "}}");
      return !hold_fields(rule, lives, "chartwright", desired).empty();
    };
    CHECK_FALSE(is_told(R"([{"size":"2048Mi","labels":{}},{"n":1}])"));
    CHECK(is_told(R"([{"size":"3Gi"},{"n":1}])"));
    CHECK(is_told(R"([{"size":"2Gi"}])"));
    CHECK(is_told(R"([{"size":"2Gi","labels":{"c":"d"}},{"n":1}])"));
    CHECK(is_told(R"([{"size":["2Gi"]},{"n":1}])"));
    CHECK(is_told(R"("none")"));
    CHECK_FALSE(is_told(R"([{"size":"2Gi","notes":{},"keys":[],"none":null},{"n":1}])"));
  }
}

TEST_CASE("An ignored field is sent as it lives while we own it, and not at all once others do") {
  ChildRule rule;
  rule.ignore = {path("spec.replicas")};
  const auto live = [](std::string_view ours) {
    return json(R"({"apiVersion":"v1","kind":"X","spec":{"replicas":2,"size":1},
      "metadata":{"managedFields":[{"manager":"chartwright","operation":"Apply",
      "apiVersion":"v1","fieldsV1":{"f:spec":)" +
                std::string(ours) + "}}]}}");
  };
  value::Value desired = json(R"({"spec":{"replicas":3,"size":4}})");
  SECTION("ours") {
    hold_fields(rule, live(R"({"f:replicas":{},"f:size":{}})"), "chartwright", desired);
    CHECK(value::to_json(desired).value() == R"({"spec":{"replicas":2,"size":4}})");
  }
  SECTION("given up, or of others from the start") {
    hold_fields(rule, live(R"({"f:size":{}})"), "chartwright", desired);
    CHECK(value::to_json(desired).value() == R"({"spec":{"size":4}})");
    desired = json(R"({"spec":{"replicas":3,"size":4}})");
    hold_fields(rule, json(R"({"spec":{"replicas":2}})"), "chartwright", desired);
    CHECK(value::to_json(desired).value() == R"({"spec":{"size":4}})");
  }
  CHECK(rule.needs_live());
}

}  // namespace
}  // namespace chartwright::release
