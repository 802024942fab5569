// SPDX-License-Identifier: Apache-2.0
#include "observe/patch_conflicts.h"

#include <catch2/catch.hpp>
#include <utility>

namespace chartwright::observe {
namespace {

using Texts = std::vector<std::string>;

kube::ObjectRef neighbour(const std::string& name) {
  return {{"example.com", "v1", "Widget"}, "shop", name};
}

TEST_CASE("The holder of a field learns who wants it otherwise, and when that ends") {
  Texts triggered;
  PatchConflicts conflicts([&triggered](const kube::ObjectRef& cr, Urgency /*urgency*/) {
    triggered.push_back(cr.name);
  });
  const auto take = [&triggered] { return std::exchange(triggered, {}); };
  conflicts.set(neighbour("b"), {{neighbour("a"), "data.x of ConfigMap shop/t"}});
  CHECK(take() == Texts{"a"});
  conflicts.set(neighbour("b"), {{neighbour("a"), "data.x of ConfigMap shop/t"}});
  CHECK(take().empty());
  conflicts.set(neighbour("c"), {{neighbour("a"), "data.y of ConfigMap shop/t"},
                                 {neighbour("b"), "data.z of ConfigMap shop/t"}});
  CHECK(take() == Texts{"a", "b"});
  CHECK(conflicts.about(neighbour("a")) ==
        Texts{"Widget.example.com shop/b wants another value of data.x of ConfigMap shop/t",
              "Widget.example.com shop/c wants another value of data.y of ConfigMap shop/t"});
  CHECK(conflicts.about(neighbour("c")).empty());
  conflicts.set(neighbour("c"), {{neighbour("b"), "data.z of ConfigMap shop/t"}});
  CHECK(take() == Texts{"a"});
  conflicts.set(neighbour("b"), {});
  CHECK(take() == Texts{"a"});
  CHECK(conflicts.about(neighbour("a")).empty());
  conflicts.set(neighbour("b"), {});
  CHECK(take().empty());
}

}  // namespace
}  // namespace chartwright::observe
