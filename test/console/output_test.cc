// SPDX-License-Identifier: Apache-2.0
#include "console/output.h"

#include <catch2/catch.hpp>

namespace chartwright::cmd {

TEST_CASE("A form that there is not is refused with those that there are") {
  OutputFlag output{{"table", "json", "yaml"}, ""};
  CHECK(output.word == "table");
  CHECK(check_output(output).ok());
  output.word = "csv";
  CHECK(check_output(output).error().message() == "--output: \"csv\" is not table, json or yaml");
  output.word = "";
  CHECK(check_output(output).error().message() == "--output: \"\" is not table, json or yaml");
}

TEST_CASE("Items are printed as the document that is asked for") {
  std::string printed;
  Streams streams;
  streams.out = [&printed](std::string_view text) { printed += text; };
  OutputFlag output{{"table", "json", "yaml"}, ""};
  output.word = "yaml";
  CHECK(print_items({value::Value::integer(1)}, output, streams).ok());
  output.word = "json";
  CHECK(print_items({}, output, streams).ok());
  CHECK(printed == "items:\n- 1\n{\n  \"items\": []\n}\n");
}

}  // namespace chartwright::cmd
