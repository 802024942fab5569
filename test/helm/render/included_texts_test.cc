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

TEST_CASE("the texts of operator/ go on in the named templates that they include") {
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

}  // namespace chartwright::helm
