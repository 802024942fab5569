// SPDX-License-Identifier: Apache-2.0
#include "helm/render/renderable_chart.h"

#include <catch2/catch.hpp>

namespace chartwright::helm {

TEST_CASE("A loaded chart knows its operator files and a digest of all files") {
  const std::vector<File> files = {{"Chart.yaml", "apiVersion: v2\nname: one\nversion: 0.1.0\n"},
                                   {"operator/status.yaml", "a: 1\n"},
                                   {"operator/patches/p.yaml", "b: 2\n"}};
  const auto loaded = RenderableChart::from_files(files);
  REQUIRE(loaded.ok());
  CHECK(
      (*loaded)->operator_files() ==
      std::map<std::string, std::string>{{"patches/p.yaml", "b: 2\n"}, {"status.yaml", "a: 1\n"}});
  const auto reordered = RenderableChart::from_files({files[2], files[1], files[0]});
  const auto changed = RenderableChart::from_files({files[0], files[1]});
  REQUIRE(reordered.ok());
  REQUIRE(changed.ok());
  CHECK((*loaded)->digest() == (*reordered)->digest());
  CHECK((*loaded)->digest() != (*changed)->digest());
}

TEST_CASE("The functions of a chart's templates cache for that chart alone") {
  const std::vector<File> files = {{"Chart.yaml", "apiVersion: v2\nname: one\nversion: 0.1.0\n"}};
  const auto one = RenderableChart::from_files(files);
  const auto other = RenderableChart::from_files(files);
  REQUIRE(one.ok());
  REQUIRE(other.ok());
  CHECK(&(*one)->caches() == &(*one)->caches());
  CHECK(&(*one)->caches() != &(*other)->caches());
}

}  // namespace chartwright::helm
