// SPDX-License-Identifier: Apache-2.0
#include "history/chart_definitions.h"

#include <catch2/catch.hpp>

namespace chartwright::op {
namespace {

std::string crd(const std::string& plural) {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  "
         "name: " +
         plural +
         ".example.com\nspec:\n  group: example.com\n  names: {kind: K, plural: " + plural +
         "}\n  versions: [{name: v1, served: true}]\n";
}

std::string names(const std::vector<helm::Crd>& files) {
  const auto read = read_definitions(files);
  if (!read.ok()) {
    return read.error().to_string();
  }
  std::string text;
  for (const release::Definition& one : *read) {
    text += one.ref.name + " ";
  }
  return text;
}

TEST_CASE("CRDs are read from files of several documents, comments and lists, in order") {
  CHECK(names({}).empty());
  CHECK(names({{"w/crds/a.yaml",
                "# Nothing.\n---\n" + crd("bees") + "---\n# More.\n---\n" + crd("ants") + "---\n"},
               {"w/crds/b.json",
                R"({"apiVersion":"v1","kind":"List","items":[)"
                R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
                R"("metadata":{"name":"cows.example.com"},"spec":{"group":"example.com",)"
                R"("names":{"kind":"Cow","plural":"cows"},"versions":[{"name":"v1"}]}}]})"}}) ==
        "bees.example.com ants.example.com cows.example.com ");
}

TEST_CASE("An error in a file of crds/ is reported with file and line") {
  CHECK(names({{"w/crds/a.yaml", crd("ants") + "---\nkind: Job\napiVersion: batch/v1\n"}}) ==
        "w/crds/a.yaml:10: this is a Job, and only a CustomResourceDefinition "
        "(apiextensions.k8s.io/v1) belongs here");
  CHECK_THAT(names({{"w/crds/a.yaml", crd("ants") + "---\na: b\n  c: d\n"}}),
             Catch::Matchers::StartsWith("w/crds/a.yaml:1") &&
                 Catch::Matchers::Contains("mapping values are not allowed"));
  CHECK_THAT(names({{"w/crds/a.yaml", "just text"}}),
             Catch::Matchers::StartsWith("w/crds/a.yaml:1: this is an object without a kind"));
  CHECK_THAT(names({{"w/crds/a.yaml", "a: b\n--- c\n"}}),
             Catch::Matchers::StartsWith("w/crds/a.yaml:2: invalid Yaml document separator: c"));
}

TEST_CASE("A chart brings the CRDs that it defines, not those that it mentions") {
  const std::vector<helm::Crd> files = {
      {"w/crds/a.yaml", "# Not cows.example.com.\n" + crd("ants")},
      {"w/crds/b.yaml", "cows.example.com: {unbalanced\n"}};
  CHECK(bring_definition(files, "ants.example.com"));
  CHECK_FALSE(bring_definition(files, "cows.example.com"));
  CHECK_FALSE(bring_definition({}, "ants.example.com"));
}

}  // namespace
}  // namespace chartwright::op
