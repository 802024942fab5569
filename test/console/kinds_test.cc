// SPDX-License-Identifier: Apache-2.0
#include "console/kinds.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::cmd {
namespace {

// As kube-apiserver 1.36 answers, without what is not read.
const char* const kGroups = R"({"items":[
  {"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[
    {"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced",
     "singularResource":"deployment","shortNames":["deploy"],"categories":["all"],
     "subresources":[{"subresource":"status"}]}]}]},
  {"metadata":{"name":"example.com"},"versions":[
    {"version":"v1","resources":[
      {"resource":"shops","responseKind":{"kind":"Shop"},"scope":"Namespaced",
       "singularResource":"shop","shortNames":["sh"],"categories":["chartwright"]}]},
    {"version":"v1alpha1","resources":[
      {"resource":"shops","responseKind":{"kind":"Shop"},"scope":"Namespaced",
       "singularResource":"shop","categories":["chartwright"]},
      {"resource":"tenants","responseKind":{"kind":"Tenant"},"scope":"Cluster",
       "singularResource":"tenant","categories":["chartwright"]}]}]},
  {"metadata":{"name":"other.org"},"versions":[{"version":"v1","resources":[
    {"resource":"shops","responseKind":{"kind":"Shop"},"scope":"Namespaced",
     "singularResource":"shop"},
    {"resource":"../x","responseKind":{"kind":"Bad"},"scope":"Namespaced"},
    {"resource":"nameless","subresources":[{"subresource":"scale"}]},
    7]}]}]})";

std::vector<ServedKind> served() {
  return kinds_in(value::parse_json(kGroups, value::Numbers::kInt64).value_or({}));
}

std::vector<std::string> selected(const std::string& word) {
  const auto kinds = select_kinds(served(), word);
  if (!kinds.ok()) {
    return {kinds.error().message()};
  }
  std::vector<std::string> names;
  for (const ServedKind& kind : *kinds) {
    names.push_back(kind.mapping.gvk.to_string());
  }
  return names;
}

}  // namespace

TEST_CASE("Each kind is there once, in the preferred version") {
  const auto kinds = served();
  REQUIRE(kinds.size() == 4);
  CHECK(kinds[1].mapping.gvk == kube::Gvk{"example.com", "v1", "Shop"});
  CHECK(kinds[0].mapping.has_status);
  CHECK(kinds[2].mapping.scope == kube::Scope::kCluster);
}

TEST_CASE("All kinds of the category are meant by its name and by all") {
  const std::vector<std::string> both = {"example.com/v1, Kind=Shop",
                                         "example.com/v1alpha1, Kind=Tenant"};
  CHECK(selected("all") == both);
  CHECK(selected("chartwright") == both);
}

TEST_CASE("A kind has the names that kubectl takes") {
  const std::vector<std::string> shop = {"example.com/v1, Kind=Shop"};
  CHECK(selected("shops.example.com") == shop);
  CHECK(selected("Shop.example.com") == shop);
  CHECK(selected("shop.v1.example.com") == shop);
  CHECK(selected("sh") == shop);
  CHECK(selected("DEPLOY") == std::vector<std::string>{"apps/v1, Kind=Deployment"});
}

TEST_CASE("A name of several kinds is refused with their full names") {
  CHECK(selected("shop") ==
        std::vector<std::string>{
            R"("shop" names several kinds: shops.example.com, shops.other.org)"});
}

TEST_CASE("A name of no kind is refused with the nearest") {
  CHECK(selected("tenant.other.org") ==
        std::vector<std::string>{R"(the server serves no kind that is called "tenant.other.org")"});
  CHECK(selected("tenats") ==
        std::vector<std::string>{
            R"(the server serves no kind that is called "tenats"; did you mean "tenants"?)"});
}

TEST_CASE("An answer of any shape has no kinds") {
  CHECK(kinds_in(value::Value()).empty());
  CHECK(kinds_in(value::Value::list()).empty());
  CHECK(kinds_in(value::parse_json(R"({"items":[null,{"versions":7},{"versions":[[]]}]})",
                                   value::Numbers::kInt64)
                     .value_or({}))
            .empty());
}

}  // namespace chartwright::cmd
