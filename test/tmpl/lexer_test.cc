// SPDX-License-Identifier: Apache-2.0
#include "tmpl/lexer.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace chartwright::tmpl {
namespace {

std::string_view name_of(TokenType type) {
  static constexpr std::string_view kNames[] = {
      "error",  "bool", "char",     "char'",  "complex",  "=",        ":=",  "eof",    "field",
      "name",   "{{",   "(",        "number", "|",        "raw",      "}}",  ")",      "space",
      "string", "text", "variable", "block",  "break",    "continue", "dot", "define", "else",
      "end",    "if",   "nil",      "range",  "template", "with"};
  return kNames[static_cast<size_t>(type)];
}

// Returns the tokens of `input`, including its end or error, as "kind", or as "kind<text>" if the
// kind does not determine the text.
std::string tokens(Lexer lexer) {
  std::string out;
  while (true) {
    const Token token = lexer.next();
    out += out.empty() ? "" : " ";
    out += name_of(token.type);
    if (token.type == TokenType::kEof) {
      return out;
    }
    const bool implied =
        token.text == name_of(token.type) || token.text == " " || token.type == TokenType::kDot;
    if (!implied) {
      out += "<" + std::string(token.text) + ">";
    }
    if (token.type == TokenType::kError) {
      return out;
    }
  }
}

std::string tokens(std::string_view input) { return tokens(Lexer(input)); }

}  // namespace

TEST_CASE("Text and actions alternate") {
  CHECK(tokens("") == "eof");
  CHECK(tokens("abc") == "text<abc> eof");
  CHECK(tokens("a{{1}}b{{2}}") == "text<a> {{ number<1> }} text<b> {{ number<2> }} eof");
}

TEST_CASE("Comments and trimmed space never come out") {
  CHECK(tokens("a{{/* c */}}b") == "text<a> text<b> eof");
  CHECK(tokens("a \n{{- /* c */ -}}\n b") == "text<a> text<b> eof");
  CHECK(tokens("a \n{{- 1 -}}\n b") == "text<a> {{ number<1> }} text<b> eof");
  CHECK(tokens("  {{- 1}}") == "{{ number<1> }} eof");
}

TEST_CASE("Every kind of token is distinguished") {
  CHECK(tokens("{{. .a $ $x f true 1 1+2i 'c' \"s\" `r` nil}}") ==
        "{{ dot space field<.a> space variable<$> space variable<$x> space name<f> space "
        "bool<true> space number<1> space complex<1+2i> space char'<'c'> space string<\"s\"> "
        "space raw<`r`> space nil }} eof");
  CHECK(tokens("{{$x:=(1)|f,=}}") == "{{ variable<$x> := ( number<1> ) | name<f> char<,> = }} eof");
  CHECK(tokens("{{block break continue define else end if range template with}}") ==
        "{{ block space break space continue space define space else space end space if space "
        "range space template space with }} eof");
}

TEST_CASE("Fields run into each other without space") {
  CHECK(tokens("{{.a.b $x.y (f).z}}") ==
        "{{ field<.a> field<.b> space variable<$x> field<.y> space ( name<f> ) field<.z> }} eof");
}

TEST_CASE("A trimming delimiter takes the last of several spaces") {
  CHECK(tokens("{{1   -}}") == "{{ number<1> space<  > }} eof");
}

TEST_CASE("Break and continue are names where functions of those names exist") {
  Lexer lexer("{{break continue}}");
  lexer.set_break_keyword(LoopKeywords::kDisabled);
  const auto found = tokens(std::move(lexer));
  CHECK(found == "{{ name<break> space continue }} eof");
}

TEST_CASE("An error ends the input") {
  CHECK(tokens("a{{1a}}b") == "text<a> {{ error<bad number syntax: \"1a\">");
  CHECK(tokens("{{\"a\n\"}}") == "{{ error<unterminated quoted string>");
  CHECK(tokens("{{(}}") == "{{ ( error<unclosed left paren>");
  CHECK(tokens("{{)}}") == "{{ error<unexpected right paren>");
  CHECK(tokens("{{\x01}}") == "{{ error<unrecognized character in action: U+0001>");
  CHECK(tokens("{{.a-b}}") == "{{ error<bad character U+002D '-'>");
  Lexer lexer("{{1a}} x {{2}}");
  lexer.next();
  CHECK(lexer.next().type == TokenType::kError);
  CHECK(lexer.next().text == "unclosed action");
}

TEST_CASE("Tokens know their offset and line") {
  Lexer lexer("ab\n{{\n x -}}\n\ny");
  std::vector<std::pair<size_t, int>> places;
  for (Token token = lexer.next(); token.type != TokenType::kEof; token = lexer.next()) {
    places.emplace_back(token.pos, token.line);
  }
  const std::vector<std::pair<size_t, int>> want = {{0, 1}, {3, 2},  {5, 2},
                                                    {7, 3}, {10, 3}, {14, 5}};
  CHECK(places == want);
}

TEST_CASE("Tokens in error messages are quoted and cut") {
  CHECK(to_string(Token{TokenType::kIf, 0, 1, "if"}) == "<if>");
  CHECK(to_string(Token{TokenType::kEof, 0, 1, "EOF"}) == "EOF");
  CHECK(to_string(Token{TokenType::kString, 0, 1, "\"a\""}) == "\"\\\"a\\\"\"");
  CHECK(to_string(Token{TokenType::kText, 0, 1, "abcdefghijk"}) == "\"abcdefghij\"...");
  CHECK(to_string(Token{TokenType::kText, 0, 1, "éééééé"}) == "\"éééééé\"...");
}

}  // namespace chartwright::tmpl
