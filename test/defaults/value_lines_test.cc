// SPDX-License-Identifier: Apache-2.0
#include "defaults/value_lines.h"

#include <catch2/catch.hpp>

namespace chartwright::defaults {

using value::Value;
using Lines = std::vector<std::string>;

TEST_CASE("A value is written as YAML, without credentials") {
  Value table = Value::dict();
  table.mutable_dict().set("password", Value::string("changeme"));
  table.mutable_dict().set("user", Value::string("a\n\nb"));
  CHECK(value_lines("auth", table, "explain") ==
        Lines{"auth:", "  password: \"\"", "  user: |-", "    a", "", "    b"});
  CHECK(value_lines("x", Value::list({Value::list({Value::integer(1)})}), "explain") ==
        Lines{"x:", "- - 1"});
  CHECK(value_lines("none", {}, "explain") == Lines{"none: null"});
}

TEST_CASE("A long value is left out, with where to read on") {
  Value table = Value::dict();
  for (int i = 0; i < 20; ++i) {
    table.mutable_dict().set("k" + std::to_string(i), Value::integer(1));
  }
  CHECK(value_lines("a", table, "explain") == Lines{"a: {}  # 21 lines; explain.a"});
  CHECK(value_lines("a", Value::string(std::string(2'000, 'x')), "explain") ==
        Lines{"a: …  # 1 line; explain.a"});
}

TEST_CASE("No value begins a line of its own in the comment") {
  for (const char* hostile : {"a\rb", "a\u0085b", "a\u2028b", "a\x1b[2Jb", "a\u202eb"}) {
    for (const std::string& line : value_lines(hostile, Value::string(hostile), "explain")) {
      INFO(line);
      CHECK(line.find_first_of("\r\n\x1b") == std::string::npos);
      CHECK(line.find("\u0085") == std::string::npos);
      CHECK(line.find("\u2028") == std::string::npos);
      CHECK(line.find("\u202e") == std::string::npos);
    }
  }
}

}  // namespace chartwright::defaults
