// SPDX-License-Identifier: Apache-2.0
#include "bundle/override_expansion.h"

#include <catch2/catch.hpp>
#include <map>

#include "test/base/manual_clock.h"

namespace chartwright::bundle {
namespace {

std::optional<std::string> environment(const std::string& name) {
  static const std::map<std::string, std::string> kVariables = {
      {"COLOR", "blue"}, {"EMPTY", ""}, {"REF", "$COLOR-$UNSET!"}};
  const auto found = kVariables.find(name);
  return found == kVariables.end() ? std::nullopt : std::optional(found->second);
}

base::Result<std::string> expand_text(const std::string& text) {
  const Environment variables = environment;
  const base::ManualClock clock;
  return expand_override({"a.b", text}, {variables, clock});
}

TEST_CASE("Variables are expanded as Go's os.Expand does") {
  // Each pair was printed by os.Expand (Go 1.26) with the same variables.
  const auto expand = [](std::string_view text) { return expand_environment(text, environment); };
  CHECK(expand("$COLOR") == "blue");
  CHECK(expand("${COLOR}s") == "blues");
  CHECK(expand("a $COLOR-b") == "a blue-b");
  CHECK(expand("$COLORS").empty());
  CHECK(expand("[$EMPTY][$UNSET]") == "[][]");
  CHECK(expand("100%") == "100%");
  CHECK(expand("$") == "$");
  CHECK(expand("a$") == "a$");
  CHECK(expand("$ x") == "$ x");
  CHECK(expand("$$COLOR") == "COLOR");
  CHECK(expand("${COLOR") == "COLOR");
  CHECK(expand("${}x") == "x");
  CHECK(expand("$*x") == "x");
  CHECK(expand("$1x") == "x");
  CHECK(expand("${1x}").empty());
  CHECK(expand("$-a") == "a");
  CHECK(expand("${ COLOR}").empty());
}

TEST_CASE("An override is expanded, and executed with the functions of helm-operator") {
  // Each pair was printed by helm-operator 1.42.3's expandOverrideValues with the same variables.
  const auto [text, want] = GENERATE(table<std::string, std::string>({
      {R"({{ env "COLOR" }})", "blue"},
      {R"({{ env "UNSET" }}|{{ env "EMPTY" }})", "|"},
      {R"({{ env "UNSET" | default "red" }})", "red"},
      {R"({{ env "REF" }})", "$COLOR-$UNSET!"},
      {R"({{ expandenv "<${REF}>" }})", "<blue-!>"},
      {R"({{ env "REF" | expandenv }})", "blue-!"},
      {"$REF", "$COLOR-$UNSET!"},
      {R"({{ expandenv "$COLOR" }})", "blue"},
      {R"({{ "$" }}COLOR)", "$COLOR"},
      {R"({{ expandenv (printf "%sCOLOR" "$") }})", "blue"},
      {R"({{ env "COLOR" | upper | quote }})", "\"BLUE\""},
      {"{{ . }}", "<no value>"},
      {R"({{ fromJson "[1,2]" | len }})", "2"},
      {R"({{ (fromJson "{").x }})", "<no value>"},
      {R"({{ toJson (list 1 "<a>") }})", R"([1,"\u003ca\u003e"])"},
      {R"({{ env "COL$EMPTY" }})", ""},
      {R"({{ env "A=B" }})", ""},
      {R"({{ if env "EMPTY" }}x{{ else }}y{{ end }})", "y"},
  }));
  INFO(text);
  CHECK(CW_MUST(expand_text(text)) == want);
}

TEST_CASE("An override that fails has helm-operator's message") {
  const auto [text, want] = GENERATE(table<std::string, std::string>({
      {"{{ env 5 }}", "template: a.b:1:7: executing \"a.b\" at <5>: expected string; found 5"},
      {"{{ env }}",
       "template: a.b:1:3: executing \"a.b\" at <env>: wrong number of args for env: want 1 got 0"},
      {R"({{ fail "no" }})",
       "template: a.b:1:3: executing \"a.b\" at <fail \"no\">: error calling fail: no"},
      {"{{ nosuch }}", "template: a.b:1: function \"nosuch\" not defined"},
  }));
  INFO(text);
  const auto expanded = expand_text(text);
  REQUIRE_FALSE(expanded.ok());
  CHECK(expanded.error().message() == want);
}

}  // namespace
}  // namespace chartwright::bundle
