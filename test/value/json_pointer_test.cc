// SPDX-License-Identifier: Apache-2.0
#include "value/json_pointer.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::value {
namespace {

using testing::json;

// The examples of RFC 6901, section 5.
const Value& rfc_document() {
  static const Value document =
      json(R"({"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5,)"
           R"( "k\"l": 6, " ": 7, "m~n": 8})");
  return document;
}

TEST_CASE("A pointer leads to the member that RFC 6901 says") {
  const auto [pointer, want] =
      GENERATE(table<std::string, std::string>({{"/foo", R"(["bar","baz"])"},
                                                {"/foo/0", R"("bar")"},
                                                {"/", "0"},
                                                {"/a~1b", "1"},
                                                {"/c%d", "2"},
                                                {"/e^f", "3"},
                                                {"/g|h", "4"},
                                                {"/i\\j", "5"},
                                                {"/k\"l", "6"},
                                                {"/ ", "7"},
                                                {"/m~0n", "8"}}));
  CAPTURE(pointer);
  CHECK(CW_MUST(to_json(*CW_MUST(at_pointer(rfc_document(), pointer)))) == want);
}

TEST_CASE("The empty pointer is the whole value") {
  CHECK(CW_MUST(at_pointer(rfc_document(), "")) == &rfc_document());
  CHECK(pointer_steps(rfc_document(), "").empty());
}

TEST_CASE("A pointer past what is there is not found") {
  const std::string pointer =
      GENERATE("/nothing", "/foo/2", "/foo/-1", "/foo/x", "/foo/", "/foo/0/x", "/foo/-");
  CAPTURE(pointer);
  CHECK(at_pointer(rfc_document(), pointer).error().code() == base::ErrorCode::kNotFound);
}

TEST_CASE("A tilde that is not an escape is malformed, once the way comes to it") {
  const std::string pointer = GENERATE("/m~2n", "/m~", "/foo/~", "/~~0");
  CAPTURE(pointer);
  CHECK(at_pointer(rfc_document(), pointer).error().code() == base::ErrorCode::kParse);
  CHECK(at_pointer(rfc_document(), "/nothing" + pointer).error().code() ==
        base::ErrorCode::kNotFound);
}

TEST_CASE("A name reads back from its token") {
  const std::string name = GENERATE("", "a", "/", "~", "~1", "~01", "a/b~c", "~~//");
  CAPTURE(name);
  const std::string token = escape_pointer_token(name);
  CHECK(token.find('/') == std::string::npos);
  CHECK(unescape_pointer_token(token) == name);
}

TEST_CASE("The value tells indices from names") {
  const Value v = json(R"({"a": [{"0": 1}]})");
  CHECK(Path(pointer_steps(v, "/a/0/0")).to_string() == "a[0].0");
  CHECK(Path(pointer_steps(v, "/a/7/x")).to_string() == "a.7.x");
}

}  // namespace
}  // namespace chartwright::value
