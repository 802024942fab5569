// SPDX-License-Identifier: Apache-2.0
#include "yaml/document.h"

#include <catch2/catch.hpp>
#include <string>

#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::yaml {
namespace {

DocumentNode parse(std::string_view text) { return CW_MUST(parse_document(text, "f.yaml")); }

template <typename T>
std::string error_of(const base::Result<T>& result) {
  return result.ok() ? "no error" : result.error().to_string();
}

std::string parse_error(std::string_view text) { return error_of(parse_document(text, "f.yaml")); }

}  // namespace

TEST_CASE("A document keeps order, places and paths") {
  const DocumentNode root = parse("- kind: A\n  sub:\n    x: [1, \"2\"]\n# c\n- kind: 'B'\n");
  REQUIRE(root.kind == DocumentNode::Kind::kList);
  REQUIRE(root.items.size() == 2);
  const DocumentNode& first = root.items[0];
  REQUIRE(first.entries.size() == 2);
  CHECK(first.pos.to_string() == "f.yaml:1:3");
  CHECK(first.entries[0].key.text == "kind");
  CHECK(first.entries[1].key.pos.to_string() == "f.yaml:2:3");
  const DocumentNode* sub = first.find("sub");
  REQUIRE(sub != nullptr);
  const DocumentNode* x = sub->find("x");
  REQUIRE(x != nullptr);
  CHECK(x->path == "[0].sub.x");
  CHECK(x->items[1].path == "[0].sub.x[1]");
  CHECK(x->items[1].pos.to_string() == "f.yaml:3:12");
  CHECK(x->items[0].plain);
  CHECK_FALSE(x->items[1].plain);
  CHECK(first.find("none") == nullptr);
}

TEST_CASE("An empty file is null") {
  CHECK(parse("").kind == DocumentNode::Kind::kNull);
  CHECK(parse("# nothing\n").kind == DocumentNode::Kind::kNull);
  CHECK(parse("---\n").kind == DocumentNode::Kind::kNull);
}

TEST_CASE("A malformed document is refused with its place") {
  CHECK(parse_error("a: [1\nb: 2\n") == "f.yaml:2:2: did not find expected ',' or ']'");
  CHECK(parse_error("a: 1\n b: 2\n") ==
        "f.yaml:2:3: mapping values are not allowed in this context");
  CHECK(parse_error("a: \x01\n") == "f.yaml: control characters are not allowed");
  CHECK(parse_error("a: 1\nb: 2\na: 3\n") == "f.yaml:3:1: duplicate key \"a\", first on line 1");
  CHECK(parse_error("s:\n  a: 1\n  a: 3\n") ==
        "f.yaml:3:3: s: duplicate key \"a\", first on line 2");
  CHECK(parse_error("a: 1\n---\nb: 2\n") ==
        "f.yaml:2:1: expected a single YAML document, got a second one");
  CHECK(parse_error("? [a]\n: 1\n") == "f.yaml:1:3: a key must be a string");
  CHECK(parse_error("~: 1\n") == "f.yaml:1:1: a key must be a string");
  CHECK(parse_error("a: &x {k: 1}\nb:\n  <<: *x\n") ==
        "f.yaml:3:3: b: merge keys (<<) do not work here: write the members out");
  const auto merging = parse_document("a: &x {k: 1}\nb:\n  <<: *x\n", "f.yaml", MergeKeys::kKeep);
  REQUIRE(merging.ok());
  CHECK(merging->find("b")->find("<<")->find("k")->text == "1");
  CHECK(parse_error("a: *x\n") == "f.yaml:1:4: unknown anchor \"x\"");
}

TEST_CASE("A document is bounded") {
  CHECK(parse_error(std::string(101, '[') + std::string(101, ']')) ==
        "f.yaml:1:101: nested more than 100 levels deep");
  CHECK(parse_error(std::string(100'000, '[')) == "f.yaml:1:101: nested more than 100 levels deep");
  CHECK(parse_error(std::string(size_t{5} << 20, ' ')) == "f.yaml: longer than 4194304 bytes");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below;
    for (int k = 0; k < 9; ++k) {
      bomb += ", " + below;
    }
    bomb += "]\n";
  }
  constexpr auto kRepeated = "more than 200000 values, those included that anchors repeat";
  CHECK_THAT(parse_error(bomb), Catch::Contains(kRepeated));
  CHECK_THAT(parse_error("a: &x [*x]\n"), Catch::Contains("anchors nest this file in itself"));
  std::string large = "a: [";
  for (int i = 0; i < 200'000; ++i) {
    large += "1,";
  }
  CHECK_THAT(parse_error(large + "]\n"), Catch::Contains(kRepeated));
}

TEST_CASE("Scalars decode strictly") {
  const DocumentNode root = parse(
      "s: text\nq: \"1\"\nn: 010\nf: 1.10\nb: yes\nd: 2001-01-01\nl: [a]\nm: {a: b}\nz: ~\n"
      "e: ''\nt: !!str 5\nw: !!int x\nbig: 18446744073709551615\n");
  const auto at = [&](std::string_view key) -> const DocumentNode& { return *root.find(key); };
  CHECK(CW_MUST(document_string(at("s"))) == "text");
  CHECK(CW_MUST(document_string(at("q"))) == "1");
  CHECK(CW_MUST(document_string(at("e"))).empty());
  CHECK(CW_MUST(document_string(at("d"))) == "2001-01-01");
  CHECK(CW_MUST(document_string(at("t"))) == "5");
  CHECK(CW_MUST(document_int(at("n"))) == 8);
  CHECK(CW_MUST(document_bool(at("b"))));
  CHECK(CW_MUST(document_list(at("l")))->size() == 1);
  CHECK(CW_MUST(document_list(at("z")))->empty());
  CHECK(error_of(document_string(at("n"))) ==
        "f.yaml:3:4: n: expected a string, got the number 010; write it in quotes if it is meant "
        "as text");
  CHECK(error_of(document_string(at("l"))) == "f.yaml:7:4: l: expected a string, got a list");
  CHECK(error_of(document_string(at("z"))) == "f.yaml:9:4: z: expected a string, got nothing");
  CHECK(error_of(document_bool(at("s"))) ==
        "f.yaml:1:4: s: expected true or false, got the string \"text\"");
  CHECK(error_of(document_int(at("f"))) ==
        "f.yaml:4:4: f: expected a whole number, got the number 1.10");
  CHECK(error_of(document_list(at("m"))) == "f.yaml:8:4: m: expected a list, got a map");
  CHECK(error_of(document_int(at("b"))) ==
        "f.yaml:5:4: b: expected a whole number, got the boolean yes");
  CHECK(error_of(document_int(at("w"))) ==
        "f.yaml:12:4: w: yaml: cannot decode !!str `x` as a !!int");
}

TEST_CASE("document_text accepts what a Go string field accepts") {
  const DocumentNode root =
      parse("s: text\nn: 010\nf: 1.10\nb: yes\nz: ~\ni: .inf\nbig: 18446744073709551615\nl: []\n");
  const auto text = [&](std::string_view key) { return CW_MUST(document_text(*root.find(key))); };
  CHECK(text("s") == "text");
  CHECK(text("n") == "8");
  CHECK(text("f") == "1.1");
  CHECK(text("b") == "true");
  CHECK(text("z").empty());
  CHECK(text("i") == "+Inf");
  CHECK(text("big") == "18446744073709551615");
  CHECK(error_of(document_text(*root.find("l"))) == "f.yaml:8:4: l: expected a string, got a list");
}

TEST_CASE("document_value equals parse_yaml") {
  const std::string text =
      "a: {y: yes, 1: 0x10, 1.50: .5, k: [~, null, '', \"\\u00e9\", 2001-01-01, 1e3, 1_000]}\n"
      "b: |\n  x\n   y\nc: >-\n  x\n  y\nd: !!binary aGk=\ne: &x [1, {}]\nf: *x\n";
  for (const value::Numbers numbers : {value::Numbers::kFloat64, value::Numbers::kInt64}) {
    const value::Value want = CW_MUST(parse_yaml(text, numbers));
    CHECK(CW_MUST(value::to_json(CW_MUST(document_value(parse(text), numbers)))) ==
          CW_MUST(value::to_json(want)));
  }
  CHECK(error_of(document_value(parse("a: .nan\n"), value::Numbers::kInt64)) ==
        "f.yaml:1:4: a: json: unsupported value: NaN");
  CHECK(error_of(document_value(parse("a: !!int x\n"), value::Numbers::kInt64)) ==
        "f.yaml:1:4: a: yaml: cannot decode !!str `x` as a !!int");
  CHECK(error_of(document_value(parse("18446744073709551615: x\n"), value::Numbers::kInt64)) ==
        "f.yaml:1:1: a key must be a string");
}

TEST_CASE("A map reader refuses keys that were not read") {
  const DocumentNode root = parse("chart: x\nkind: ~\nreconcilePeriods: 1s\nold: 1\n");
  MapReader map = CW_MUST(MapReader::open(root));
  CHECK(CW_MUST(map.require("chart"))->text == "x");
  CHECK(map.find("kind") == nullptr);
  CHECK(map.find("reconcilePeriod") == nullptr);
  CHECK(error_of(map.require("group")) == "f.yaml:1:1: missing key \"group\"");
  CHECK(error_of(map.finish()) ==
        "f.yaml:3:1: unknown key \"reconcilePeriods\", did you mean \"reconcilePeriod\"?");
  map.ignore("reconcilePeriods");
  CHECK(error_of(map.finish()) == "f.yaml:4:1: unknown key \"old\"");
  map.ignore("old");
  CHECK(map.finish().ok());
  CHECK(error_of(MapReader::open(parse("- a\n"))) == "f.yaml:1:1: expected a map, got a list");
}

TEST_CASE("A missing key is found under a misspelt name") {
  const DocumentNode root = parse("url: a\ncaptuer: {id: x}\n");
  MapReader map = CW_MUST(MapReader::open(root));
  CHECK(error_of(map.require("capture")) ==
        "f.yaml:2:1: missing key \"capture\", is \"captuer\" a misspelling of it?");
  const DocumentNode near = parse("kinds: [B]\nkind:\n");
  MapReader reader = CW_MUST(MapReader::open(near));
  reader.ignore("kinds");
  CHECK(error_of(reader.require("kind")) == "f.yaml:1:1: missing key \"kind\"");
}

}  // namespace chartwright::yaml
