// SPDX-License-Identifier: Apache-2.0
#include "generate/yaml_text.h"

#include <catch2/catch.hpp>

#include "yaml/yaml.h"

namespace chartwright::generate {

TEST_CASE("every text is read back as it was") {
  for (const char* text :
       {"plain", "",    " ",     "true", "null",  "1.10",       "0x1",     "a: b",
        "a #b",  "# a", "it's",  "- a",  "\ttab", "two\nlines", "{a}",     "*a",
        "&a",    "'q'", "\"d\"", "a:",   "yes",   "2001-01-01", "^[a-z]$", "%"}) {
    INFO(text);
    const auto read = yaml::parse_yaml(Yaml().set("k", text).to_string(), value::Numbers::kInt64);
    REQUIRE(read.ok());
    CHECK(read->string_at({"k"}) == text);
  }
}

TEST_CASE("long prose is folded and read back as it was") {
  std::string prose = "A sentence";
  for (int i = 0; i < 60; ++i) {
    prose += " with word " + std::to_string(i);
  }
  for (const std::string& text : {prose + ".", prose + ": with a colon", "'" + prose + "'"}) {
    const std::string written = Yaml().set("k", text).to_string();
    CHECK(written.find('\n') < 130);
    const auto read = yaml::parse_yaml(written, value::Numbers::kInt64);
    REQUIRE(read.ok());
    CHECK(read->string_at({"k"}) == text);
  }
}

TEST_CASE("members keep their order") {
  Yaml map;
  map.set("b", "1").set("a", Yaml::list({Yaml().set("x", "y").set("c", Yaml())}));
  CHECK(map.to_string() == "b: '1'\na:\n  - x: 'y'\n    c: {}\n");
}

}  // namespace chartwright::generate
