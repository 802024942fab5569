// SPDX-License-Identifier: Apache-2.0
#include "release/document_search.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::release {
namespace {

using value::testing::json;

const kube::ObjectRef kSearched{{"apps", "v1", "Deployment"}, "team", "web"};

std::string place_in(std::string_view document) {
  const auto steps = DocumentSearch(kSearched, "team").in(json(document));
  return steps ? value::Path(*steps).to_string() : "none";
}

}  // namespace

TEST_CASE("An object is found in a document, and in a list of objects") {
  const std::string web =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}})";
  CHECK(place_in(web).empty());
  CHECK(place_in(R"({"apiVersion":"v1","kind":"List","items":[{},)" + web + "]}") == "items[1]");
  CHECK(place_in(R"({"apiVersion":"apps/v1","kind":"DeploymentList",
                     "items":[{"metadata":{"name":"web"}}]})") == "items[0]");
}

TEST_CASE("An object of another name, kind or namespace is another one") {
  CHECK(place_in(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"db"}})") ==
        "none");
  CHECK(place_in(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"}})") == "none");
  CHECK(place_in(R"({"apiVersion":"apps/v1","kind":"Deployment",
                     "metadata":{"name":"web","namespace":"other"}})") == "none");
  CHECK(place_in(R"({"apiVersion":"apps/v2","kind":"Deployment",
                     "metadata":{"name":"web","namespace":"team"}})")
            .empty());
  CHECK(place_in("[]") == "none");
}

}  // namespace chartwright::release
