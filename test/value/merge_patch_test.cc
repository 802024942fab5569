// SPDX-License-Identifier: Apache-2.0
#include "value/merge_patch.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::value {

using testing::json;

// Examples of RFC 7386.
TEST_CASE("A merge patch does what RFC 7386 says") {
  const auto merged = [](std::string_view target, std::string_view patch) {
    return CW_MUST(to_json(merge_patched(json(target), json(patch))));
  };
  CHECK(merged(R"({"a":"b"})", R"({"a":"c"})") == R"({"a":"c"})");
  CHECK(merged(R"({"a":"b","b":"c"})", R"({"a":null})") == R"({"b":"c"})");
  CHECK(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})") == R"({"a":{"b":"d"}})");
  CHECK(merged(R"({"a":[{"b":"c"}]})", R"({"a":[1]})") == R"({"a":[1]})");
  CHECK(merged(R"({})", R"({"a":{"bb":{"ccc":null}}})") == R"({"a":{"bb":{}}})");
}

TEST_CASE("A merge patch leaves its arguments alone") {
  const Value target = json(R"({"a":{"b":1}})");
  const Value merged = merge_patched(target, json(R"({"a":{"c":2}})"));
  CHECK(CW_MUST(to_json(target)) == R"({"a":{"b":1}})");
  CHECK(CW_MUST(to_json(merged)) == R"({"a":{"b":1,"c":2}})");
}

}  // namespace chartwright::value
