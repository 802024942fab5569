// SPDX-License-Identifier: Apache-2.0
#include "value/json_syntax.h"

#include <catch2/catch.hpp>

#include "test/base/answer_file.h"

namespace chartwright::value {
namespace {

TEST_CASE("The syntax check refuses exactly what Go refuses") {
  for (const base::Answer& answer : base::read_answers("value/json_decode.txt")) {
    CAPTURE(answer.input);
    const std::optional<JsonSyntaxError> error = find_json_syntax_error(answer.input);
    // Numbers out of range are well-formed: Go rejects them later.
    const bool malformed = !answer.ok && !answer.text.starts_with("json: cannot unmarshal");
    REQUIRE(error.has_value() == malformed);
    if (malformed) {
      CHECK(error->message == answer.text);
    }
  }
}

TEST_CASE("The offset is that of the offending byte") {
  CHECK(find_json_syntax_error("[1 2]")->offset == 3);
  CHECK(find_json_syntax_error("[1")->offset == 2);
  CHECK(find_json_syntax_error("tRue")->offset == 1);
}

TEST_CASE("Columns count code points") {
  CHECK(position_of("ab\nc\xc3\xa9x", 6).to_string() == "2:3");
  CHECK(position_of("", 0).to_string() == "1:1");
  CHECK(position_of("a", 5).to_string() == "1:2");
}

}  // namespace
}  // namespace chartwright::value
