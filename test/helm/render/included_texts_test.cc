// SPDX-License-Identifier: Apache-2.0
#include "helm/render/included_texts.h"

#include <catch2/catch.hpp>

#include "helm/render/functions.h"
#include "tmpl/parser.h"

namespace chartwright::helm {
namespace {

using Texts = std::vector<std::string>;

std::vector<tmpl::TreeMap> trees_of(const std::string& text) {
  std::vector<tmpl::TreeMap> trees;
  trees.push_back(CW_MUST(tmpl::parse_template(
      "app/templates/_a.tpl", std::make_shared<const std::string>(text), helm_functions())));
  return trees;
}

}  // namespace

TEST_CASE("The texts of operator/ go on in the named templates that they include") {
  const auto trees = trees_of(
      "{{ define \"a\" }}A{{ include \"b\" . }}{{ end }}{{ define \"b\" }}B{{ end }}"
      "{{ define \"c\" }}C{{ include \"c\" . }}{{ end }}");
  CHECK(included_texts({{"x.yaml", "included: \"a\" b"}}, trees) ==
        Texts{"included: \"a\" b", "A{{include \"b\" .}}", "B"});
  CHECK(included_texts({{"x.yaml", "'{{ include `c` . }}'"}}, trees) ==
        Texts{"'{{ include `c` . }}'", "C{{include \"c\" .}}"});
  CHECK(included_texts({{"x.yaml", "include what is needed"}}, trees).size() == 1);
  CHECK(included_texts({{"x.yaml", "{{ include $name . }}"}}, trees).size() > 3);
  CHECK(included_texts({}, trees).empty());
}

// A name may be written with the escapes of Go, in a string of YAML that escapes them once more.
TEST_CASE("The name of a named template that operator/ includes may have escapes") {
  const auto trees = trees_of(
      R"({{ define "a\"b" }}1{{ end }}{{ define `c\d` }}2{{ end }}{{ define "it's" }}3{{ end }})"
      R"({{ define "ef" }}4{{ end }}{{ define "\u00e9\n" }}5{{ end }}{{ define `"g\"` }}6{{ end }})"
      R"({{ define "h" }}{{ include "\x65f" . }}{{ end }})");
  const std::vector<std::pair<std::string, std::string>> files = {
      {R"({{ include "a\"b" . }})", "1"},
      {R"(x: '{{ include "a\"b" . }}')", "1"},
      {R"(x: "{{ include \"a\\\"b\" . }}")", "1"},
      {R"(x: "{{ include `a\"b` . }}")", "1"},
      {R"({{ tpl "{{ include \"a\\\"b\" . }}" . }})", "1"},
      {R"({{ include `c\d` . }})", "2"},
      {R"({{ include "c\\d" . }})", "2"},
      {R"(x: "\/{{ include `c\\d` . }}")", "2"},
      {R"(x: '{{ include "it''s" . }}')", "3"},
      {R"({{ template "it\x27s" . }})", "3"},
      {R"({{ include "e\146" . }})", "4"},
      {R"({{ include "\u00e9\n" . }})", "5"},
      {R"({{ include "\xc3\xa9\n" . }})", "5"},
      {R"({{ include `"g\"` . }})", "6"},
  };
  for (const auto& [file, included] : files) {
    INFO(file);
    CHECK(included_texts({{"x.yaml", file}}, trees) == Texts{file, included});
  }
  CHECK(included_texts({{"x.yaml", "\"h\""}}, trees) ==
        Texts{"\"h\"", R"({{include "\x65f" .}})", "4"});
  CHECK(included_texts({{"x.yaml", R"("a\\" "b\" \)"}}, trees).size() == 1);
}

}  // namespace chartwright::helm
