// SPDX-License-Identifier: Apache-2.0
#include "apiserver/discovery.h"

#include <catch2/catch.hpp>

#include "apiserver/openapi.h"
#include "test/views/parts.h"

namespace chartwright::apiserver {
namespace {

using views::paint_view;
using views::View;

}  // namespace

TEST_CASE("Versions of a group are in the order of Kubernetes") {
  std::vector<View> views;
  for (const char* version : {"v1alpha1", "v2", "foo", "v11alpha2", "v1beta1", "v1", "v10"}) {
    views.push_back(paint_view());
    views.back().resource.version = version;
  }
  CHECK(groups_of(views).front().second ==
        std::vector<std::string>{"v10", "v2", "v1", "v1beta1", "v11alpha2", "v1alpha1", "foo"});
}

TEST_CASE("Documents of what is not there are nil") {
  const std::vector<View> views = {paint_view()};
  CHECK(group_document(views, "x").is_nil());
  CHECK(resource_list(views, "paint.example.com", "v2").is_nil());
  CHECK(openapi_v3(views, "paint.example.com", "v2").is_nil());
}

TEST_CASE("OpenAPI has the schema, the kinds and the paths of each verb") {
  const std::vector<View> views = {paint_view()};
  const value::Value v3 = openapi_v3(views, "paint.example.com", "v1");
  const value::Value* schema =
      v3.find_path({"components", "schemas", "com.example.paint.v1.Paint"});
  REQUIRE(schema != nullptr);
  CHECK(schema->find_path({"properties", "spec", "properties", "colour"}) != nullptr);
  const std::string path = "/apis/paint.example.com/v1/namespaces/{namespace}/paints";
  CHECK(v3.find_path({"paths", path, "get"}) != nullptr);
  CHECK(v3.find_path({"paths", path, "post"}) == nullptr);
  CHECK(openapi_v2(views).find_path({"definitions", "com.example.paint.v1.PaintList"}) != nullptr);
}

}  // namespace chartwright::apiserver
