// SPDX-License-Identifier: Apache-2.0
#include "apiserver/json_patch.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::apiserver {
namespace {

using value::testing::json;

std::string patched(std::string_view target, std::string_view patch) {
  const auto result = json_patched(json(target), json(patch));
  return result.ok() ? CW_MUST(value::to_json(*result)) : "error";
}

}  // namespace

// The examples of appendix A of RFC 6902.
TEST_CASE("a JSON patch does what RFC 6902 says") {
  CHECK(patched(R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])") ==
        R"({"baz":"qux","foo":"bar"})");
  CHECK(patched(R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])") ==
        R"({"foo":["bar","qux","baz"]})");
  CHECK(patched(R"({"foo":["a"]})", R"([{"op":"add","path":"/foo/-","value":1}])") ==
        R"({"foo":["a",1]})");
  CHECK(patched(R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])") ==
        R"({"foo":["bar","baz"]})");
  CHECK(patched(R"({"a":1,"b":2})", R"([{"op":"move","from":"/a","path":"/b"}])") == R"({"b":1})");
  CHECK(patched(R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/b"}])") ==
        R"({"a":{"x":1},"b":{"x":1}})");
  CHECK(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":1}])") == R"({"a":1})");
  CHECK(patched(R"({"a/b":{"m~n":1}})", R"([{"op":"replace","path":"/a~1b/m~0n","value":2}])") ==
        R"({"a/b":{"m~n":2}})");
}

TEST_CASE("a JSON patch that does not fit is refused and changes nothing") {
  for (const char* patch :
       {R"([{"op":"replace","path":"/x","value":1}])", R"([{"op":"remove","path":"/x"}])",
        R"([{"op":"test","path":"/a","value":2}])", R"([{"op":"add","path":"/x/y","value":1}])",
        R"([{"op":"add","path":"/l/3","value":1}])", R"([{"op":"move","from":"/o","path":"/o/p"}])",
        R"([{"op":"add","path":"a","value":1}])", R"([{"op":"add","path":"/b"}])",
        R"([{"op":"swap","path":"/a"}])", R"([{"op":"remove","path":""}])", R"({"op":"add"})"}) {
    CAPTURE(patch);
    CHECK(patched(R"({"a":1,"l":[1],"o":{}})", patch) == "error");
  }
}

TEST_CASE("a JSON patch that copies a list into itself ends") {
  std::string patch = R"([{"op":"add","path":"/a","value":["x"]})";
  for (int i = 0; i < 100; ++i) {
    patch += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  }
  const auto result = json_patched(json("{}"), json(patch + "]"));
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == base::ErrorCode::kBudget);
  CHECK(result.error().message() == "the operations copy more than 3145728 bytes");
}

}  // namespace chartwright::apiserver
