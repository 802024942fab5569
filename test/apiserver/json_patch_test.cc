// SPDX-License-Identifier: Apache-2.0
#include "apiserver/json_patch.h"

#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::apiserver {
namespace {

using value::testing::json;

base::Result<value::Value> result_of(std::string_view target, std::string_view patch,
                                     uint64_t touched = 0) {
  const base::SystemClock clock;
  views::Work work(clock, {}, std::chrono::minutes(1));
  CHECK(work.touch(touched).ok());
  return json_patched(json(target), json(patch), work);
}

std::string patched(std::string_view target, std::string_view patch) {
  const auto result = result_of(target, patch);
  return result.ok() ? CW_MUST(value::to_json(*result)) : "error";
}

/// Returns the error of a patch that must cost too much.
std::string refusal(std::string_view target, std::string_view patch, uint64_t touched = 0) {
  const auto result = result_of(target, patch, touched);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == base::ErrorCode::kBudget);
  return result.error().message();
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) {
    text += part;
  }
  return text;
}

std::string nest(int levels) { return repeated(R"({"a":)", levels) + "{}" + repeated("}", levels); }

constexpr char kTooDeep[] = "the object nests deeper than 200 levels";
constexpr char kTooMuch[] = "more than 10000000 members are touched";

}  // namespace

// The examples of appendix A of RFC 6902.
TEST_CASE("A JSON patch does what RFC 6902 says") {
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

TEST_CASE("A JSON patch that does not fit is refused and changes nothing") {
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

TEST_CASE("A JSON patch that copies a list into itself ends", "[large]") {
  std::string patch = R"([{"op":"add","path":"/a","value":["x"]})";
  for (int i = 0; i < 100; ++i) {
    patch += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  }
  CHECK(refusal("{}", patch + "]") == "the operations copy more than 3145728 bytes");
}

TEST_CASE("A JSON patch nests an object no deeper than a body may be") {
  // Each copy doubles the depth.
  std::string steps = R"({"op":"add","path":"/a","value":{}})";
  std::string path = "/a";
  for (int i = 0; i < 19; ++i) {
    steps += R"(,{"op":"copy","from":"/a","path":")" + path + "/a\"}";
    path += path;
  }
  CHECK(refusal("{}", "[" + steps + "]") == kTooDeep);

  const std::string last = repeated("/a", 199);
  const auto add = [](const std::string& at, std::string_view value) {
    return R"([{"op":"add","path":")" + at + R"(","value":)" + std::string(value) + "}]";
  };
  CHECK(result_of(nest(199), add(last + "/b", "1")).ok());
  CHECK(refusal(nest(199), add(last + "/b", "{}")) == kTooDeep);
  CHECK(refusal(nest(199), add(last + "/b", "[]")) == kTooDeep);
  CHECK(refusal(R"({"a":{}})", add("/a/b", nest(198))) == kTooDeep);
  CHECK(result_of(R"({"a":{}})", add("/a/b", nest(197))).ok());
  CHECK(refusal(nest(250), R"([{"op":"copy","from":"","path":"/b"}])") == kTooDeep);
  CHECK(refusal(nest(150), R"([{"op":"copy","from":"/a","path":")" + repeated("/a", 150) +
                               "/b\"}]") == kTooDeep);
  CHECK(refusal("{\"b\":" + nest(100) + ",\"a\":" + nest(150) + "}",
                R"([{"op":"move","from":"/b","path":")" + repeated("/a", 150) + "/b\"}]") ==
        kTooDeep);
  CHECK(refusal("{}", add(repeated("/a", 100'000), "1")) == kTooDeep);
}

TEST_CASE("An object that was too deep before a JSON patch may still be changed") {
  const std::string deep = nest(5000);
  CHECK(patched(deep, R"([{"op":"add","path":"/b","value":1}])") ==
        deep.substr(0, deep.size() - 1) + ",\"b\":1}");
  CHECK(patched(R"({"x":)" + deep + "}", R"([{"op":"remove","path":"/x/a/a"}])") ==
        R"({"x":{"a":{}}})");
  CHECK(patched(R"({"x":)" + deep + "}", R"([{"op":"test","path":"/x/a","value":1}])") == "error");
}

TEST_CASE("A JSON patch that touches large lists again and again is refused", "[large]") {
  // A tenth of what they may touch, and so of the time.
  constexpr uint64_t kTouched = views::kTouchedMax / 10 * 9;
  const std::string list = "[" + repeated("{},", 10'000) + "{}]";
  const auto many = [](const std::string& first, const std::string& step, int times) {
    return "[" + first + repeated("," + step, times) + "]";
  };
  const std::string whole = R"({"op":"add","path":"/l","value":)" + list + "}";
  for (const char* step :
       {R"({"op":"add","path":"/l/0","value":0})", R"({"op":"remove","path":"/l/0"})",
        R"({"op":"replace","path":"/l/0","value":1})", R"({"op":"move","from":"/l","path":"/l"})",
        R"({"op":"move","from":"/l/1","path":"/l/0"})"}) {
    CAPTURE(step);
    CHECK(refusal("{}", many(whole, step, 990), kTouched) == kTooMuch);
  }
  // In a list of lists, the inner ones.
  CHECK(refusal("{}",
                many(R"({"op":"add","path":"/l","value":[[)" + list + "]]}",
                     R"({"op":"add","path":"/l/0/0/0","value":0})", 990),
                kTouched) == kTooMuch);
  CHECK(result_of("{}",
                  many(R"({"op":"add","path":"/l","value":[]})",
                       R"({"op":"add","path":"/l/0","value":{}})", 990),
                  kTouched)
            .ok());
}

TEST_CASE("A JSON patch changes a dict where it is, however large it is") {
  std::string members;
  for (int i = 0; i < 20'000; ++i) {
    members += "\"k" + std::to_string(i) + "\":{},";
  }
  std::string steps = R"([{"op":"test","path":"/d/k0","value":{}})";
  for (int i = 0; i < 499; ++i) {
    const std::string path = "/d/x" + std::to_string(i);
    steps += R"(,{"op":"add","path":")" + path + R"(","value":[{}]})";
    steps += R"(,{"op":"add","path":")" + path + R"(/0/y","value":1})";
  }
  CHECK(result_of(R"({"d":{)" + members + R"("z":1}})", steps + "]").ok());
}

TEST_CASE("A copy shares nothing with what it was copied from") {
  CHECK(patched(R"({"a":{"l":[{"x":1}]}})", R"([{"op":"copy","from":"/a","path":"/b"},)"
                                            R"({"op":"add","path":"/a/l/0/x","value":2},)"
                                            R"({"op":"copy","from":"/b/l","path":"/c"},)"
                                            R"({"op":"remove","path":"/b/l/0/x"}])") ==
        R"({"a":{"l":[{"x":2}]},"b":{"l":[{}]},"c":[{"x":1}]})");
  // Neither argument changes.
  const base::SystemClock clock;
  views::Work work(clock, {}, std::chrono::seconds(2));
  const auto target = json(R"({"l":[{"x":{}}]})");
  const auto patch =
      json(R"([{"op":"add","path":"/n","value":{"m":{}}},{"op":"add","path":"/n/m/o","value":1},)"
           R"({"op":"add","path":"/l/0/x/y","value":1}])");
  for (int i = 0; i < 2; ++i) {
    CHECK(CW_MUST(value::to_json(CW_MUST(json_patched(target, patch, work)))) ==
          R"({"l":[{"x":{"y":1}}],"n":{"m":{"o":1}}})");
  }
}

TEST_CASE("A JSON patch ends with its client, and with its time") {
  base::ManualClock clock;
  std::stop_source gone;
  views::Work work(clock, {.stop = gone.get_token()}, std::chrono::seconds(2));
  const auto code = [&] {
    const auto result =
        json_patched(json("{}"), json(R"([{"op":"add","path":"/a","value":1}])"), work);
    return result.ok() ? "" : result.error().message();
  };
  CHECK(code().empty());
  clock.work(std::chrono::seconds(2) + std::chrono::milliseconds(1));
  CHECK(code() == "more than 2s of CPU time");
  gone.request_stop();
  CHECK(code() == "the client has gone");
}

TEST_CASE("A patch of more than 1000 operations is refused") {
  const std::string step = R"({"op":"test","path":"","value":{}})";
  CHECK(result_of("{}", "[" + step + repeated("," + step, 999) + "]").ok());
  CHECK(refusal("{}", "[" + step + repeated("," + step, 1000) + "]") ==
        "a patch may have at most 1000 operations");
}

}  // namespace chartwright::apiserver
