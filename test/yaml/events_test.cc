// SPDX-License-Identifier: Apache-2.0
#include "yaml/events.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "value/json.h"
#include "yaml/decode.h"
#include "yaml/go_syntax.h"
#include "yaml/nodes.h"
#include "yaml/scanner.h"
#include "yaml/source.h"

namespace chartwright::yaml {
namespace {

// Returns one word for an event: "+MAP", "-MAP", "=text", "*alias", ...
std::string describe(const Event& event) {
  const std::string anchor = event.anchor.empty() ? "" : "&" + std::string(event.anchor);
  const std::string tag = event.tag.empty() ? "" : "<" + std::string(event.tag) + ">";
  switch (event.kind) {
    case EventKind::kStreamEnd:
      return "-STR";
    case EventKind::kDocumentStart:
      return "+DOC";
    case EventKind::kDocumentEnd:
      return "-DOC";
    case EventKind::kAlias:
      return "*" + std::string(event.anchor);
    case EventKind::kScalar:
      return anchor + tag + (event.implicit ? ":" : "=") + std::string(event.value);
    case EventKind::kSequenceStart:
      return "+SEQ" + anchor;
    case EventKind::kSequenceEnd:
      return "-SEQ";
    case EventKind::kMappingStart:
      return "+MAP" + anchor;
    case EventKind::kMappingEnd:
      break;
  }
  return "-MAP";
}

std::string events_of(std::string_view text) {
  Events events(text);
  std::string out;
  for (;;) {
    Event event;
    if (const base::Status next = events.next(event); !next.ok()) {
      return out + "! " + next.error().to_string();
    }
    out += describe(event);
    if (event.kind == EventKind::kStreamEnd) {
      return out;
    }
    out += ' ';
  }
}

std::string tokens_of(std::string_view text) {
  Scanner scanner(text);
  std::string out;
  while (const Token* token = scanner.peek()) {
    out += std::to_string(static_cast<int>(token->kind)) + "@" + std::to_string(token->start.line) +
           ":" + std::to_string(token->start.column) + " ";
    if (token->kind == TokenKind::kStreamEnd) {
      return out;
    }
    scanner.skip();
  }
  return out + "! " + scanner.problem().text;
}

}  // namespace

TEST_CASE("A stream turns into events") {
  CHECK(events_of("") == "-STR");
  CHECK(events_of("a: 1\nb:\n- 'x'\n- |\n  y\n") ==
        "+DOC +MAP :a :1 :b +SEQ =x =y\n -SEQ -MAP -DOC -STR");
  CHECK(events_of("{a: [b, c: d], ? e}") ==
        "+DOC +MAP :a +SEQ :b +MAP :c :d -MAP -SEQ :e : -MAP -DOC -STR");
  CHECK(events_of("&x !!str a: *x") == "+DOC +MAP &x<tag:yaml.org,2002:str>=a *x -MAP -DOC -STR");
  CHECK(events_of("! a") == "+DOC <!>:a -DOC -STR");
  CHECK(events_of("!<t> 'a'") == "+DOC <t>=a -DOC -STR");
  CHECK(events_of("%TAG !e! tag:e,\n--- !e!x%41 a\n...\n--- b\n") ==
        "+DOC <tag:e,xA>=a -DOC +DOC :b -DOC -STR");
}

TEST_CASE("Events keep the quirks of go-yaml") {
  // libyaml reads these differently.
  CHECK(events_of("{a:}") == "+DOC +MAP :a: : -MAP -DOC -STR");
  CHECK(events_of("[]: x").substr(0, 20) == "+DOC +SEQ -SEQ -DOC ");
  CHECK(events_of("\"\\/\"") == "! 1:2: yaml: found unknown escape character");
  CHECK(events_of("%YAML 1.2\n---\n") == "! 1:1: yaml: found incompatible YAML document");
}

TEST_CASE("Events and tokens know their places") {
  Events events("a:\n  b: é [x]\n");
  std::vector<std::pair<int, int>> places;
  for (;;) {
    Event event;
    REQUIRE(events.next(event).ok());
    if (event.kind == EventKind::kStreamEnd) {
      break;
    }
    if (event.kind == EventKind::kScalar) {
      places.emplace_back(event.line, event.column);
    }
  }
  CHECK(places == std::vector<std::pair<int, int>>{{1, 1}, {2, 3}, {2, 6}});
  using Tok = TokenKind;
  const auto number = [](Tok kind) { return std::to_string(static_cast<int>(kind)); };
  CHECK(tokens_of("- a") == number(Tok::kStreamStart) + "@0:0 " + number(Tok::kBlockSequenceStart) +
                                "@0:0 " + number(Tok::kBlockEntry) + "@0:0 " +
                                number(Tok::kScalar) + "@0:2 " + number(Tok::kBlockEnd) + "@1:0 " +
                                number(Tok::kStreamEnd) + "@1:0 ");
  CHECK(tokens_of("@") ==
        number(Tok::kStreamStart) + "@0:0 ! found character that cannot start any token");
}

TEST_CASE("The source checks its text piece by piece") {
  const std::string far = std::string(600, ' ') + "\x01";
  Source source(far);
  CHECK(source.need(500));
  CHECK_FALSE(source.need(600));
  CHECK(source.problem() == "control characters are not allowed");
  // Text far after the first document is never checked.
  CHECK(read_yaml_document("a\n---\n" + far).ok());
  CHECK_FALSE(read_yaml_document("a\n---\n\x01").ok());
}

TEST_CASE("The source names what is wrong with an encoding") {
  const auto problem = [](std::string_view text) {
    Source source(text);
    return source.need(text.size() + 1) ? "none" : source.problem();
  };
  CHECK(problem("a\xff") == "invalid leading UTF-8 octet");
  CHECK(problem("a\xc3(") == "invalid trailing UTF-8 octet");
  CHECK(problem("a\xc3") == "incomplete UTF-8 octet sequence");
  CHECK(problem("\xc0\x80") == "invalid length of a UTF-8 sequence");
  CHECK(problem("\xed\xa0\x80") == "invalid Unicode character");
  CHECK(problem("\xf4\x90\x80\x80") == "invalid Unicode character");
  CHECK(problem(std::string_view("a\0", 2)) == "control characters are not allowed");
  CHECK(problem("\xEF\xBF\xBF") == "control characters are not allowed");
  CHECK(problem(std::string_view("\xff\xfe"
                                 "a\0b",
                                 5)) == "incomplete UTF-16 character");
  CHECK(problem(std::string_view("\xfe\xff\xdc\x00", 4)) == "unexpected low surrogate area");
  CHECK(problem(std::string_view("\xff\xfe\x00\xd8", 4)) == "incomplete UTF-16 surrogate pair");
  CHECK(problem(std::string_view("\xff\xfe\x00\xd8z\x00", 6)) == "expected low surrogate area");
  CHECK(problem(std::string_view("\xff\xfe\x3d\xd8\x00\xde", 6)) == "none");
}

TEST_CASE("Nodes print in Go's syntax") {
  const auto printed = [](std::string_view text) {
    return yaml_go_syntax(CW_MUST(read_yaml_document(text)), 0);
  };
  CHECK(printed("{b: 1, a: ~, 2.5: [x, true], <<: {c: 0x10}}") ==
        "map[interface {}]interface {}{\"a\":interface {}(nil), \"b\":1, \"c\":16, "
        "2.5:[]interface {}{\"x\", true}}");
  CHECK(printed("\"\\u00e9\\n\\u200b\\x01\"") == "\"é\\n\\u200b\\x01\"");
  CHECK(printed("18446744073709551615") == "0xffffffffffffffff");
  const std::string cut = printed(std::string(9'000, '[') + std::string(9'000, ']'));
  CHECK(cut.size() < 17'000);
}

TEST_CASE("Later members win, merged ones included") {
  const auto decoded = [](std::string_view text) {
    const Document document = CW_MUST(read_yaml_document(text));
    return CW_MUST(value::to_json(CW_MUST(decode_yaml_document(document, value::Numbers::kInt64))));
  };
  CHECK(decoded("{a: 1, b: 2, a: 3}") == R"({"a":3,"b":2})");
  CHECK(decoded("x: &x {a: 1}\nw: {a: 2, <<: *x}\nz: {<<: *x, a: 2}") ==
        R"({"w":{"a":1},"x":{"a":1},"z":{"a":2}})");
  CHECK(decoded("x: [&a {k: 1}, &b {k: 2, l: 2}]\nz: {<<: [*a, *b]}") ==
        R"({"x":[{"k":1},{"k":2,"l":2}],"z":{"k":1,"l":2}})");
  // A key that JSON cannot represent is harmless if it is overridden.
  CHECK(decoded("{a: {~: 1}, a: 2}") == R"({"a":2})");
}

}  // namespace chartwright::yaml
