// SPDX-License-Identifier: Apache-2.0
#include "tmpl/parser.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/thread.h"

namespace chartwright::tmpl {
namespace {

base::Result<TreeMap> parse(std::string text, FunctionMap functions = {}) {
  return parse_template("t", std::make_shared<const std::string>(std::move(text)),
                        std::make_shared<const FunctionMap>(std::move(functions)));
}

// Returns the canonical source of the main template, or the error.
std::string canonical(std::string text) {
  const auto trees = parse(std::move(text));
  return trees.ok() ? to_string(trees->at("t")->body) : "error: " + trees.error().message();
}

Function no_op(std::string name) {
  return {std::move(name), {}, true, [](CallContext&, std::span<const value::Value>) {
            return base::Result<value::Value>(value::Value());
          }};
}

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += text;
  }
  return out;
}

}  // namespace

TEST_CASE("A tree prints itself in canonical form") {
  CHECK(canonical("hello") == "hello");
  CHECK(canonical("{{/* c */}}") == "");
  CHECK(canonical("{{  print   1 \"a\" `b` 'c' nil true .  .a.b $ $.x  }}") ==
        "{{print 1 \"a\" `b` 'c' nil true . .a.b $ $.x}}");
  CHECK(canonical("{{.a|print|len}}") == "{{.a | print | len}}");
  CHECK(canonical("{{print(print 1|len).x .y}}") ==
        "error: template: t:1: unexpected \"(\" in operand");
  CHECK(canonical("{{print (print 1|len).x .y}}") == "{{print (print 1 | len).x .y}}");
  CHECK(canonical("{{$x:=1}}{{$x =2}}") == "{{$x := 1}}{{$x = 2}}");
  CHECK(canonical("{{range $i,$e:=.l}}a{{break}}{{else}}b{{end}}") ==
        "{{range $i, $e := .l}}a{{break}}{{else}}b{{end}}");
  CHECK(canonical("{{with .a}}{{else with .b}}c{{end}}") ==
        "{{with .a}}{{else}}{{with .b}}c{{end}}{{end}}");
  CHECK(canonical("{{if .a}}1{{else if .b}}2{{else}}3{{end}}") ==
        "{{if .a}}1{{else}}{{if .b}}2{{else}}3{{end}}{{end}}");
  CHECK(canonical("{{template  \"a\"}}{{template `b\"` .x}}") ==
        "{{template \"a\"}}{{template \"b\\\"\" .x}}");
  CHECK(canonical("{{block \"a\" .x}}y{{end}}") == "{{template \"a\" .x}}");
  CHECK(canonical("{{- 1 -}} x") == "{{1}}x");
}

TEST_CASE("Canonical form is a fixed point") {
  for (const char* text :
       {"{{if and (eq .a 1) (not .b)}}x{{else if $.c}}{{range $k, $v := "
        ".m}}{{continue}}{{end}}{{end}}",
        "{{(index .a 0).b.c | printf \"%d\" | len}}", "{{with $x := print 1}}{{$x.y.z}}{{end}}"}) {
    CHECK(canonical(canonical(text)) == canonical(text));
  }
}

TEST_CASE("Definitions are trees of their own") {
  const auto trees = parse("a{{define \"x\"}}b{{end}}{{block \"y\" .}}c{{end}}");
  REQUIRE(trees.ok());
  REQUIRE(trees->size() == 3);
  CHECK(to_string(trees->at("x")->body) == "b");
  CHECK(to_string(trees->at("y")->body) == "c");
  CHECK(trees->at("x")->parse_name == "t");
}

TEST_CASE("Functions named break and continue can be called outside of a range") {
  FunctionMap functions;
  functions.add(no_op("break"));
  functions.add(no_op("continue"));
  const auto trees = parse("{{break 1}}{{continue}}", std::move(functions));
  REQUIRE(trees.ok());
  CHECK(to_string(trees->at("t")->body) == "{{break 1}}{{continue}}");
}

TEST_CASE("A parse error has a code and a place") {
  const auto trees = parse("a\nb {{nofunc}}");
  REQUIRE(!trees.ok());
  CHECK(trees.error().code() == base::ErrorCode::kParse);
  REQUIRE(trees.error().pos().has_value());
  CHECK(trees.error().pos()->to_string() == "t:2:5");
}

// Of each allocation, ThreadSanitizer keeps the stack: the memory of deep tests is the square of
// their depth, and they are left out there.
TEST_CASE("A deep tree is freed on a small stack", "[large]") {
  base::Result<TreeMap> trees = TreeMap();
  base::Thread parser("deep", base::kRenderStackBytes, [&trees] {
    trees =
        parse(repeated("{{if 1}}", kControlDepthMax) + "{{" + repeated("(", kParenDepthMax) + "." +
              repeated(").x", kParenDepthMax) + "}}" + repeated("{{end}}", kControlDepthMax));
  });
  parser.join();
  REQUIRE(trees.ok());
  constexpr size_t kSmallStackBytes = size_t{128} << 10;
  base::Thread last_owner("small", kSmallStackBytes, [&trees] { trees = TreeMap(); });
  last_owner.join();
  CHECK(trees->empty());
}

TEST_CASE("Many variables are looked up as fast as few") {
  std::string text;
  for (int i = 0; i < 50'000; ++i) {
    text += "{{$v" + std::to_string(i) + " := $}}";
  }
  for (int i = 0; i < 50'000; ++i) {
    text += "{{$v49999}}{{$v0}}";
  }
  CHECK(parse(text).ok());
}

TEST_CASE("Nesting is bounded on a render thread's stack", "[large]") {
  base::Thread thread("deep", base::kRenderStackBytes, [] {
    const auto parens = [](int n) {
      return "{{" + repeated("(", n) + "1" + repeated(")", n) + "}}";
    };
    CHECK(parse(parens(kParenDepthMax)).ok());
    CHECK(canonical(parens(kParenDepthMax + 1)) ==
          "error: template: t:1: max expression depth exceeded");
    const auto branches = [](int n) { return repeated("{{if 1}}", n) + repeated("{{end}}", n); };
    CHECK(parse(branches(kControlDepthMax)).ok());
    CHECK(canonical(branches(kControlDepthMax + 1)) ==
          "error: template: t:1: max nesting depth of control actions exceeded (2000)");
    CHECK(canonical("{{if 1}}" + repeated("{{else if 1}}", kControlDepthMax) + "{{end}}") ==
          "error: template: t:1: max nesting depth of control actions exceeded (2000)");
    CHECK(canonical(repeated("{{block \"a\" .}}", kControlDepthMax + 1)) ==
          "error: template: t:1: max nesting depth of control actions exceeded (2000)");
    const std::string both = repeated("{{if 1}}", kControlDepthMax) + parens(kParenDepthMax) +
                             repeated("{{end}}", kControlDepthMax);
    CHECK(parse(both).ok());
  });
}

}  // namespace chartwright::tmpl
