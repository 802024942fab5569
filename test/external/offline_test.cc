// SPDX-License-Identifier: Apache-2.0
#include "external/offline.h"

#include <catch2/catch.hpp>

#include "test/external/files.h"
#include "value/json.h"

namespace chartwright::external {
namespace {

std::string scope_of(const std::map<std::string, std::string>& files) {
  std::vector<helm::File> all = {{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n"}};
  for (const auto& [name, text] : files) {
    all.push_back({"operator/externals/" + name, text});
  }
  const value::Value scope = offline_scope(CW_MUST(helm::RenderableChart::from_files(all)));
  return scope.is_nil() ? "nil" : CW_MUST(value::to_json(scope, value::JsonEscape::kNone));
}

}  // namespace

TEST_CASE("Without a server, ids follow from the names of externals") {
  CHECK(scope_of({{"a.yaml", testing::file("zone")}, {"b.yaml", testing::file("Main_desk")}}) ==
        R"({"External":{"Main_desk":{"id":"main-desk-id"},"zone":{"id":"zone-id"}}})");
  CHECK(scope_of({}) == "nil");
  CHECK(scope_of({{"a.yaml", "name: zone\n"}}) == "nil");
}

}  // namespace chartwright::external
