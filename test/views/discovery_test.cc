// SPDX-License-Identifier: Apache-2.0
#include "views/discovery.h"

#include <catch2/catch.hpp>

#include "test/views/parts.h"
#include "views/failure.h"
#include "views/openapi.h"
#include "views/served_view.h"

namespace chartwright::views {

TEST_CASE("versions of a group are in the order of Kubernetes") {
  std::vector<View> views;
  for (const char* version : {"v1alpha1", "v2", "foo", "v11alpha2", "v1beta1", "v1", "v10"}) {
    views.push_back(paint_view());
    views.back().resource.version = version;
  }
  CHECK(groups_of(views).front().second ==
        std::vector<std::string>{"v10", "v2", "v1", "v1beta1", "v11alpha2", "v1alpha1", "foo"});
}

TEST_CASE("documents of what is not there are nil") {
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

TEST_CASE("a fault of the source is not the caller's") {
  const View view = paint_view();
  const auto code = [&](base::ErrorCode cause, int http) {
    return code_of(source_failure(view, base::Error(cause, "x").with_http(http, "X")));
  };
  CHECK(code(base::ErrorCode::kForbidden, 403) == 500);
  CHECK(code(base::ErrorCode::kUnauthorized, 401) == 503);
  CHECK(code(base::ErrorCode::kUnavailable, 0) == 503);
  CHECK(code(base::ErrorCode::kNotFound, 404) == 503);
  CHECK(code(base::ErrorCode::kExpired, 410) == 410);
  CHECK(code(base::ErrorCode::kTooManyRequests, 429) == 429);
  CHECK(code(base::ErrorCode::kTimeout, 504) == 504);
}

}  // namespace chartwright::views
