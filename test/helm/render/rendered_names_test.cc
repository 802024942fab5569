// SPDX-License-Identifier: Apache-2.0
#include "helm/render/rendered_names.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::helm {
namespace {

using value::testing::json;

TEST_CASE("An object whose name is taken is told, with the template that has it") {
  RenderedNames names("shop");
  const auto add = [&names](std::string_view object, std::string_view path) {
    return names.add(json(object), path).value_or("");
  };
  const auto map = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"}})";
  CHECK(add(map, "templates/a.yaml").empty());
  CHECK(add(map, "templates/b.yaml") == "ConfigMap/web: templates/a.yaml renders it, too");
  CHECK(add(map, "templates/a.yaml") == "ConfigMap/web: this template renders it twice");
  CHECK(
      add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"shop"}})",
          "templates/c.yaml") == "ConfigMap/web: templates/a.yaml renders it, too");
  SECTION("another version of the group has the same objects") {
    CHECK(add(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}})", "a")
              .empty());
    CHECK(add(R"({"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"web"}})",
              "b") == "Deployment/web: a renders it, too");
  }
  SECTION("another namespace, name, kind or group has others") {
    CHECK(add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"b"}})",
              "t")
              .empty());
    CHECK(add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web2"}})", "t").empty());
    CHECK(add(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"web"}})", "t").empty());
    CHECK(
        add(R"({"apiVersion":"a/v1","kind":"ConfigMap","metadata":{"name":"web"}})", "t").empty());
  }
  SECTION("an object without a kind or a name is not compared") {
    for (std::string_view object :
         {"null", "[]", R"({"kind":"A"})", R"({"metadata":{"name":"n"}})",
          R"({"kind":"A","metadata":{"generateName":"n-"}})", R"({"kind":1,"metadata":[]})"}) {
      CHECK(add(object, "t").empty());
      CHECK(add(object, "t").empty());
    }
  }
}

}  // namespace
}  // namespace chartwright::helm
