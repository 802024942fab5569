// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <catch2/catch.hpp>

namespace chartwright::base {
namespace {

std::string quoted(std::string_view text, JsonEscape escape = JsonEscape::kNone) {
  std::string out;
  append_json_string(out, text, escape);
  return out;
}

TEST_CASE("Text is quoted for JSON as Go does") {
  CHECK(quoted("") == R"("")");
  CHECK(quoted("plain text") == R"("plain text")");
  CHECK(quoted("\"\\/") == R"("\"\\/")");
  CHECK(quoted("\b\f\n\r\t") == R"("\b\f\n\r\t")");
  CHECK(quoted(std::string_view("\0\x1f\x7f", 3)) == "\"\\u0000\\u001f\x7f\"");
  CHECK(quoted("caf\xc3\xa9 \xf0\x9f\x98\x80") == "\"caf\xc3\xa9 \xf0\x9f\x98\x80\"");
  CHECK(quoted("\xe2\x80\xa8\xe2\x80\xa9") == R"("\u2028\u2029")");
}

TEST_CASE("HTML characters are escaped where asked for") {
  CHECK(quoted("<a>&") == R"("<a>&")");
  CHECK(quoted("<a>&", JsonEscape::kHtml) == R"("\u003ca\u003e\u0026")");
}

TEST_CASE("Each byte that is not UTF-8 becomes the replacement character") {
  CHECK(quoted("a\xff\xfe") == "\"a\\ufffd\\ufffd\"");
  CHECK(quoted("\xc3") == "\"\\ufffd\"");
  CHECK(quoted("\xed\xa0\x80") == "\"\\ufffd\\ufffd\\ufffd\"");
  CHECK(quoted("\xef\xbf\xbd") == "\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace chartwright::base
