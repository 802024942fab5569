// SPDX-License-Identifier: Apache-2.0
#include "observe/followed_children.h"

#include <catch2/catch.hpp>
#include <string>

namespace chartwright::observe {
namespace {

kube::ObjectRef config_map_named(const std::string& name) {
  return {{"", "v1", "ConfigMap"}, "shop", name};
}

kube::ObjectRef widget_named(const std::string& name) {
  return {{"example.com", "v1", "Widget"}, "shop", name};
}

TEST_CASE("Each custom resource says which of its children are followed") {
  FollowedChildren followed;
  CHECK_FALSE(followed.contains(config_map_named("a")));
  followed.set(widget_named("w"), {config_map_named("a"), config_map_named("b")});
  followed.set(widget_named("v"), {config_map_named("c")});
  CHECK(followed.contains(config_map_named("a")));
  CHECK(followed.contains(config_map_named("c")));
  followed.set(widget_named("w"), {config_map_named("b")});
  CHECK_FALSE(followed.contains(config_map_named("a")));
  CHECK(followed.contains(config_map_named("b")));
  followed.forget(widget_named("w"));
  CHECK_FALSE(followed.contains(config_map_named("b")));
  CHECK(followed.contains(config_map_named("c")));
}

}  // namespace
}  // namespace chartwright::observe
