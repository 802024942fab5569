// SPDX-License-Identifier: Apache-2.0
#include "generate/yaml_text.h"

#include <catch2/catch.hpp>

#include "yaml/yaml.h"

namespace chartwright::generate {

TEST_CASE("Every text is read back as it was") {
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

TEST_CASE("Long prose is folded and read back as it was") {
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

TEST_CASE("Control characters are written as escapes") {
  const std::string text = "a\x1b[31m\x07\x7f\xC2\x9B\\u\"b";
  const std::string written = Yaml().set("k", text).to_string();
  for (const char control : {'\x1b', '\x07', '\x7f', '\x9B'}) {
    CHECK(written.find(control) == std::string::npos);
  }
  const auto read = yaml::parse_yaml(written, value::Numbers::kInt64);
  REQUIRE(read.ok());
  CHECK(read->string_at({"k"}) == text);
}

TEST_CASE("A map of many members is that of few") {
  Yaml map;
  for (int i = 0; i < 100; ++i) {
    map.set("k" + std::to_string(i), "first");
  }
  map.set("k50", "second").set("k3", "third");
  map.erase("k0");
  map.erase("k7");
  map.erase("none");
  CHECK(map.to_string().starts_with("k1: first\nk2: first\nk3: third\n"));
  CHECK(map.find("k50")->scalar() == "second");
  CHECK(map.find("k99")->scalar() == "first");
  CHECK_FALSE(map.has("k7"));
  for (int i = 1; i < 97; ++i) {
    map.erase("k" + std::to_string(i));
  }
  map.set("k99", "last").set("k7", "new");
  CHECK(map.to_string() == "k97: first\nk98: first\nk99: last\nk7: new\n");
}

TEST_CASE("Members keep their order") {
  Yaml map;
  map.set("b", "1").set("a", Yaml::list({Yaml().set("x", "y").set("c", Yaml())}));
  CHECK(map.to_string() == "b: '1'\na:\n  - x: 'y'\n    c: {}\n");
}

}  // namespace chartwright::generate
