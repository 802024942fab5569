// SPDX-License-Identifier: Apache-2.0
#include "value/path.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::value {
namespace {

using base::Error;
using base::ErrorCode;

using testing::json;

std::string json(const Value& v) { return CW_MUST(to_json(v)); }
Path path(std::string_view text) { return CW_MUST(Path::parse(text)); }

TEST_CASE("A path reads back as it was written") {
  const auto [text, steps] =
      GENERATE(table<std::string, size_t>({{"spec", 1},
                                           {"spec.template.spec.containers[0].image", 6},
                                           {"metadata.annotations[\"a.b/c\"]", 3},
                                           {"a[\"\"]", 2},
                                           {"[0][12].x", 3},
                                           {"[\"a b\"].c", 2},
                                           {"a[\"q\\\"b\\\\s\"]", 2},
                                           {"$ref/x-y_z.0", 2}}));
  CAPTURE(text);
  CHECK(path(text).steps().size() == steps);
  CHECK(path(text).to_string() == text);
}

TEST_CASE("Needless quotes are left out") {
  CHECK(path("[\"spec\"][\"a/b\"]").to_string() == "spec.a/b");
  CHECK(Path({}).to_string().empty());
}

TEST_CASE("A malformed path is refused at the column of the mistake") {
  const auto [text, column, what] = GENERATE(table<std::string, int, std::string>({
      {"", 1, "expected a member name, such as spec.replicas"},
      {".a", 1, "expected a member name"},
      {"a.", 3, "expected a member name"},
      {"a..b", 3, "expected a member name"},
      {"a b", 2, "expected \".\" or \"[\"; names with other characters are written as [\"name\"]"},
      {"a]", 2, "expected \".\" or \"[\"; names with other characters are written as [\"name\"]"},
      {"a[", 3, "expected an index or a quoted name"},
      {"a[]", 3, "expected an index or a quoted name"},
      {"a[-1]", 3, "expected an index or a quoted name"},
      {"a[b]", 3, "expected an index or a quoted name"},
      {"a[99999999999999999999]", 3, "expected an index or a quoted name"},
      {"a[1", 4, "expected \"]\""},
      {"a[1x]", 4, "expected \"]\""},
      {"a[\"b]", 3, "quoted name does not end"},
      {"a[\"b\\", 6, "only \\\" and \\\\ can follow a backslash"},
      {"a[\"b\\n\"]", 6, "only \\\" and \\\\ can follow a backslash"},
      {"a[\"b\"", 6, "expected \"]\""},
      {"a[0]b", 5,
       "expected \".\" or \"[\"; names with other characters are written as [\"name\"]"},
  }));
  const Error error = Path::parse(text).error();
  CHECK(error.code() == ErrorCode::kParse);
  CHECK(error.message() == "invalid path \"" + text + "\": " + what);
  CHECK(error.pos()->column == column);
}

TEST_CASE("Paths past the limits are refused") {
  CHECK(Path::parse(std::string(Path::kMaxBytes + 1, 'a')).error().code() == ErrorCode::kBudget);
  std::string longest = "a";
  for (size_t i = 1; i < Path::kMaxSteps; ++i) {
    longest += ".a";
  }
  CHECK(Path::parse(longest).ok());
  CHECK(Path::parse(longest + ".a").error().code() == ErrorCode::kBudget);
}

TEST_CASE("Members are found") {
  const Value v = json(R"({"a":{"b":[{"c":7},null]},"x.y/z":1})");
  CHECK(path("a.b[0].c").get(v)->as_int() == 7);
  CHECK(path("a.b[1]").get(v)->is_nil());
  CHECK(path("[\"x.y/z\"]").get(v)->as_int() == 1);
  CHECK(Path({}).get(v) == &v);
  const std::string missing = GENERATE("b", "a.c", "a.b[2]", "a[0]", "a.b.c", "a.b[0].c.d", "[0]");
  CAPTURE(missing);
  CHECK(path(missing).get(v) == nullptr);
}

TEST_CASE("Writing a member creates the missing dicts on its path") {
  const auto [before, at, after] = GENERATE(table<std::string, std::string, std::string>({
      {"{}", "a", R"({"a":7})"},
      {"{}", "a.b.c", R"({"a":{"b":{"c":7}}})"},
      {"null", "a", R"({"a":7})"},
      {R"({"a":null})", "a.b", R"({"a":{"b":7}})"},
      {R"({"a":[1,2,3]})", "a[1]", R"({"a":[1,7,3]})"},
      {R"({"a":[{"b":1},{"b":2}]})", "a[1].c.d", R"({"a":[{"b":1},{"b":2,"c":{"d":7}}]})"},
      {R"([[1],[2]])", "[1][0]", "[[1],[7]]"},
      {R"({"a":{"b":1}})", "a", R"({"a":7})"},
  }));
  CAPTURE(before, at);
  Value v = json(before);
  REQUIRE(path(at).set(v, Value::integer(7)).ok());
  CHECK(json(v) == after);
}

TEST_CASE("A write that fails says why and changes nothing") {
  const auto [at, what] = GENERATE(table<std::string, std::string>({
      {"s.b", "s is a string, not an object"},
      {"n[0]", "n is a number, not a list"},
      {"l.b", "l is a list, not an object"},
      {"l[2]", "l has 2 elements, so none at index 2"},
      {"l[0].b", "l[0] is a boolean, not an object"},
      {"d[0]", "d is an object, not a list"},
      {"new[0]", "new is null, not a list"},
      {"[0]", "the document is an object, not a list"},
      {"d.x.y[0]", "d.x.y is null, not a list"},
  }));
  CAPTURE(at);
  const std::string text = R"({"d":{},"l":[true,null],"n":1,"s":"x"})";
  Value v = json(text);
  const base::Status status = path(at).set(v, Value());
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code() == ErrorCode::kInvalidArgument);
  CHECK(status.error().message() == what);
  CHECK(json(v) == text);
}

TEST_CASE("A write is seen through other references to a dict, and not through those to a list") {
  Value v = json(R"({"d":{},"l":[1]})");
  const Value dict = *v.find("d");
  const Value list = *v.find("l");
  REQUIRE(path("d.k").set(v, Value::integer(7)).ok());
  REQUIRE(path("l[0]").set(v, Value::integer(7)).ok());
  CHECK(json(dict) == R"({"k":7})");
  CHECK(json(list) == "[1]");
}

TEST_CASE("The whole document can be replaced, but not erased") {
  Value v = json("{}");
  REQUIRE(Path({}).set(v, Value::integer(7)).ok());
  CHECK(v.as_int() == 7);
  CHECK_FALSE(Path({}).erase(v));
}

TEST_CASE("Members and elements are erased") {
  const auto [at, there, after] = GENERATE(table<std::string, bool, std::string>({
      {"a", true, R"({"l":[{"b":1},2]})"},
      {"l[0]", true, R"({"a":null,"l":[2]})"},
      {"l[0].b", true, R"({"a":null,"l":[{},2]})"},
      {"x", false, R"({"a":null,"l":[{"b":1},2]})"},
      {"l[2]", false, R"({"a":null,"l":[{"b":1},2]})"},
      {"a.b", false, R"({"a":null,"l":[{"b":1},2]})"},
      {"l.b", false, R"({"a":null,"l":[{"b":1},2]})"},
  }));
  CAPTURE(at);
  Value v = json(R"({"a":null,"l":[{"b":1},2]})");
  CHECK(path(at).erase(v) == there);
  CHECK(json(v) == after);
}

}  // namespace
}  // namespace chartwright::value
