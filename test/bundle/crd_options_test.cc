// SPDX-License-Identifier: Apache-2.0
#include "bundle/crd_options.h"

#include <catch2/catch.hpp>

#include "bundle/bundle.h"

namespace chartwright::bundle {
namespace {

std::string fault(const std::string& text) {
  const auto rules = parse_operator_rules("crd:\n  " + text + "\n", "o.yaml");
  return rules.ok() ? "" : rules.error().to_string();
}

}  // namespace

TEST_CASE("The options of a CRD are read") {
  const auto rules = parse_operator_rules(
      "crd:\n  plural: mice\n  shortNames: [m]\n  categories: [all]\n  scope: Cluster\n"
      "  required: [size]\n  columns:\n  - {name: A, type: date, jsonPath: .status.a, priority: "
      "1}\n",
      "o.yaml");
  REQUIRE(rules.ok());
  CHECK(rules->crd.plural == "mice");
  CHECK(rules->crd.scope == kube::Scope::kCluster);
  REQUIRE(rules->crd.columns.size() == 1);
  CHECK(rules->crd.columns[0].priority == 1);
}

TEST_CASE("Wrong options of a CRD are errors with their place") {
  CHECK(fault("shortName: [a]") ==
        "o.yaml:2:3: crd: unknown key \"shortName\", did you mean \"shortNames\"?");
  CHECK(fault("plural: Mice") ==
        "o.yaml:2:11: crd.plural: expected lower-case letters, digits and hyphens");
  CHECK(fault("shortNames: [\"a b\"]") ==
        "o.yaml:2:16: crd.shortNames[0]: expected lower-case letters, digits and hyphens");
  CHECK(fault("scope: cluster") ==
        "o.yaml:2:10: crd.scope: expected Namespaced or Cluster, got \"cluster\"");
  CHECK(fault("columns: [{name: A, type: integr, jsonPath: .a}]") ==
        "o.yaml:2:29: crd.columns[0].type: unknown type \"integr\", did you mean \"integer\"?");
  CHECK(fault("columns: [{name: A, type: date, jsonPath: a}]") ==
        "o.yaml:2:45: crd.columns[0].jsonPath: expected a path from the custom resource, such as "
        ".spec.size");
  CHECK(fault("columns: [{name: A, type: date}]").starts_with("o.yaml:2:"));
}

}  // namespace chartwright::bundle
