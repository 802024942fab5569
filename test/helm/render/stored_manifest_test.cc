// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "helm/render/stored_manifest.h"

namespace chartwright::helm {
namespace {

TEST_CASE("Documents of crds/ are taken out of a stored manifest, and no others") {
  const std::string map = source_block("web/templates/a.yaml", "kind: ConfigMap");
  // Folders and subcharts may also have the name crds.
  const std::string templated = source_block("web/templates/crds/b.yaml", "kind: X");
  const std::string sub = source_block("web/charts/crds/templates/c.yaml", "kind: Y");
  const std::string own_crd = source_block("web/crds/d.yaml", "kind: CustomResourceDefinition");
  const std::string sub_crd = source_block("web/charts/a/charts/b/crds/deep/e.yaml", "kind: Z");

  CHECK(without_crds(own_crd + map + sub_crd + templated + sub) == map + templated + sub);
  CHECK(crds_in(own_crd + map + sub_crd) ==
        std::vector<std::string>{"# Source: web/crds/d.yaml\nkind: CustomResourceDefinition",
                                 "# Source: web/charts/a/charts/b/crds/deep/e.yaml\nkind: Z"});
  CHECK(without_crds(own_crd).empty());
}

TEST_CASE("A stored manifest without documents of crds/ is not touched") {
  for (const std::string text :
       {"", "---\n\n# Source: web/templates/a.yaml\nkind: A\n\n\n", "kind: A",
        "# Source: crds\nx: y", "---\n# source: web/crds/a.yaml\nkind: A\n"}) {
    CHECK(without_crds(text) == text);
    CHECK(crds_in(text).empty());
  }
}

}  // namespace
TEST_CASE("A stored document names its template") {
  CHECK(source_of("# Source: c/templates/a.yaml\na: 1\n") == "c/templates/a.yaml");
  CHECK(source_of("# Source: c/templates/a.yaml") == "c/templates/a.yaml");
  CHECK(source_of("a: 1\n").empty());
}

}  // namespace chartwright::helm
