// SPDX-License-Identifier: Apache-2.0
#include "generate/kind_names.h"

#include <catch2/catch.hpp>

#include "test/generate/projects.h"

namespace chartwright::generate {
namespace {

using testing::shop_watch;

std::vector<std::string> clashes(const std::string& kind, const std::string& group) {
  std::vector<bundle::Watch> watches = testing::only(shop_watch({}));
  watches.push_back(
      shop_watch({{"operator/operator.yaml", "crd: {plural: wares, shortNames: [webshop]}\n"}}));
  watches.back().gvk.kind = kind;
  watches.back().gvk.group = group;
  std::vector<std::string> texts;
  for (const AccessNote& note : name_clashes(watches)) {
    CHECK(note.is_gap);
    texts.push_back(note.place + ": " + note.text);
  }
  return texts;
}

}  // namespace

TEST_CASE("A short name that is another kind's name is warned of, with what would be right") {
  CHECK(clashes("Ware", "apps.example.com") ==
        std::vector<std::string>{
            "shop: the name \"webshop\" of Ware is also one of WebShop, so the API server will not "
            "serve both: choose another kind, group, or name under crd in "
            "shop/operator/operator.yaml"});
}

TEST_CASE("Kinds of different groups may share names") {
  CHECK(clashes("WebShop", "other.example.com").empty());
}

}  // namespace chartwright::generate
