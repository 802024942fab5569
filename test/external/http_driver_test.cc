// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "external/driver.h"

namespace chartwright::external {
namespace {

std::string in_short(std::string_view body, std::string_view field = "") {
  return reply_in_short(
      body, field.empty() ? std::nullopt : std::optional(CW_MUST(value::Path::parse(field))));
}

}  // namespace

TEST_CASE("Of a reply with an error only the size is told") {
  CHECK(in_short(R"({"aws_secret":"AKIA"})") == " (21 bytes, not shown)");
  CHECK(in_short("x") == " (1 byte, not shown)");
  CHECK(in_short("").empty());
}

TEST_CASE("A text that the file names is told, in one short line") {
  CHECK(in_short(R"({"error":{"message":" name is taken\nby \u001b[31mx "}})", "error.message") ==
        ": name is taken\\nby \\u001b[31mx");
  const std::string shown = in_short(R"({"error":")" + std::string(5000, 'x') + "\"}", "error");
  CHECK(shown.size() < 300);
  for (const char* body : {R"({"error":{"message":{}}})", R"({"error":{"message":7}})",
                           R"({"error":{"message":"  "}})", "{", "[]", R"({"other":"x"})"}) {
    CAPTURE(body);
    CHECK(in_short(body, "error.message").ends_with(", not shown)"));
  }
  CHECK(in_short(R"({"error":{"message":"x"},"more":")" + std::string(100'000, 'x') + "\"}",
                 "error.message")
            .ends_with(", not shown)"));
}

}  // namespace chartwright::external
