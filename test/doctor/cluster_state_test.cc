// SPDX-License-Identifier: Apache-2.0
#include "doctor/cluster_state.h"

#include <catch2/catch.hpp>

#include "generate/crd.h"
#include "test/doctor/server.h"
#include "test/generate/projects.h"
#include "yaml/yaml.h"

namespace chartwright::doctor {
namespace {

using generate::testing::only;
using generate::testing::shop_watch;
using testing::AnsweringClient;
using testing::LeapingClock;
using value::Value;
using Lines = std::vector<std::string>;

Value read(const std::string& text) {
  return CW_MUST(yaml::parse_yaml(text, value::Numbers::kInt64));
}

const std::string kWholeSchema =
    "{type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}, "
    "status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}";
const std::string kBareSchema =
    "{type: object, properties: {spec: {type: object, "
    "x-kubernetes-preserve-unknown-fields: true}}}";

bool is_about_definitions(const std::string& right) {
  return right.find("customresourcedefinitions") != std::string::npos;
}

/// A server with a kind WebShop and its whole schema, on which the caller may not read CRDs.
class ShopServer {
 public:
  ShopServer() {
    client.served[kShop] = {
        {"apps.example.com", "v1alpha1", "WebShop"}, "webshops", kube::Scope::kNamespaced, true};
    client.schemas = {read(kWholeSchema)};
    client.allows = [](const std::string& right) { return !is_about_definitions(right); };
  }

  /// Returns "PROBLEM | FIX" of each complaint about a project.
  Lines complaints(const std::vector<bundle::Watch>& watches, const generate::Naming& naming = {}) {
    const auto access = generate::access_of(watches);
    REQUIRE(access.ok());
    const kube::Call call;
    const auto found = check_cluster(watches, *access, naming, {client, call, clock});
    INFO((found.ok() ? "" : found.error().to_string()));
    REQUIRE(found.ok());
    Lines lines;
    for (const Complaint& complaint : *found) {
      lines.push_back(complaint.text + " | " + complaint.fix({}));
    }
    return lines;
  }

  static inline const kube::GroupKind kShop{"apps.example.com", "WebShop"};
  AnsweringClient client;
  LeapingClock clock;
};

const bundle::testing::Files kMouse = {
    {"templates/a.yaml", "apiVersion: pets.example.com/v1\nkind: Mouse\nmetadata: {name: a}\n"}};

}  // namespace

TEST_CASE("A server that has and grants everything leaves no complaint") {
  ShopServer server;
  CHECK(server.complaints(only(shop_watch({}))) == Lines{});
}

TEST_CASE("Rights are asked for by the names that the server has") {
  ShopServer server;
  server.client.served[{"pets.example.com", "Mouse"}] = {
      {"pets.example.com", "v1", "Mouse"}, "mouses", kube::Scope::kCluster};
  const auto only_served = [](const std::string& right) {
    return !is_about_definitions(right) && right.find(" mice.") == std::string::npos;
  };
  server.client.allows = only_served;
  CHECK(server.complaints(only(shop_watch(kMouse))) == Lines{});
  // Not in the namespace: the kind is cluster-scoped.
  server.client.allows = [&](const std::string& right) {
    return only_served(right) && !right.starts_with("create mouses.pets.example.com");
  };
  CHECK(server.complaints(only(shop_watch(kMouse)), {"op", "ops", {"a"}}) ==
        Lines{"no right to create mouses.pets.example.com (for shop/templates/a.yaml) | add a rule "
              "to the ClusterRole by hand, as \"chartwright generate rbac\" cannot know this "
              "resource: {apiGroups: [pets.example.com], resources: [mouses], verbs: [create]}"});
}

TEST_CASE("A kind that is not served keeps the name that it is thought to have") {
  ShopServer server;
  server.client.allows = [](const std::string& right) {
    return !is_about_definitions(right) && right.find(" mice.") == std::string::npos;
  };
  CHECK(server.complaints(only(shop_watch(kMouse))) ==
        Lines{"no right to create, delete, get, list, patch, watch mice.pets.example.com (for "
              "shop/templates/a.yaml) | chartwright generate rbac | kubectl apply -f -"});
}

TEST_CASE("An own kind of another plural is not to be granted under the wrong one") {
  ShopServer server;
  server.client.served[ShopServer::kShop].plural = "eshops";
  server.client.allows = [](const std::string& right) {
    return !is_about_definitions(right) && right.find(" eshops.") == std::string::npos;
  };
  const std::string fix =
      " | write \"crd: {plural: eshops, scope: Namespaced}\" into shop/operator/operator.yaml, "
      "and apply what \"chartwright generate rbac\" prints then";
  CHECK(server.complaints(only(shop_watch({})), {"op", "ops", {"a"}}) ==
        Lines{"no right to get, list, patch, watch eshops.apps.example.com in namespace a" + fix,
              "no right to patch eshops/status.apps.example.com in namespace a" + fix,
              "no right to update eshops/finalizers.apps.example.com in namespace a" + fix});
}

TEST_CASE("A schema that is published later than its CRD is waited for") {
  ShopServer server;
  const base::MonotonicTime before = server.clock.monotonic();
  server.client.schemas = {Value(), Value(), Value(), read(kBareSchema)};
  CHECK(server.complaints(only(shop_watch({}))) ==
        Lines{"CRD webshops.apps.example.com drops the operator's status: its schema does not have "
              "it | chartwright generate crd | kubectl apply -f -"});
  CHECK(server.clock.monotonic() > before);
  CHECK(server.clock.monotonic() < before + std::chrono::seconds(2));
}

TEST_CASE("A schema that never comes is not taken for a good one") {
  ShopServer server;
  const base::MonotonicTime before = server.clock.monotonic();
  server.client.schemas = {Value()};
  CHECK(server.complaints(only(shop_watch({}))) ==
        Lines{"the API server does not publish the schema of CRD webshops.apps.example.com: what "
              "it drops is not known | check again a minute later"});
  CHECK(server.clock.monotonic() < before + std::chrono::minutes(1));
}

TEST_CASE("A CRD that may be read counts, whatever is published of an earlier one") {
  ShopServer server;
  server.client.allows = [](const std::string&) { return true; };
  server.client.schemas = {read(kBareSchema)};
  server.client.served[ShopServer::kShop].has_status = false;
  const auto crd = generate::crd_of(shop_watch({}));
  REQUIRE(crd.ok());
  server.client.definitions["webshops.apps.example.com"] = read(crd->text);
  CHECK(server.complaints(only(shop_watch({}))) == Lines{});
  server.client.definitions.clear();
  CHECK(server.complaints(only(shop_watch({}))).size() == 2);
}

TEST_CASE("A kind whose CRD has only just come is waited for") {
  ShopServer server;
  server.client.allows = [](const std::string&) { return true; };
  const auto crd = generate::crd_of(shop_watch({}));
  REQUIRE(crd.ok());
  server.client.definitions["webshops.apps.example.com"] = read(crd->text);
  server.client.refreshes_before_served = 3;
  CHECK(server.complaints(only(shop_watch({}))) == Lines{});
  SECTION("without its CRD, it is not") {
    server.client.definitions.clear();
    server.client.refreshes_before_served = 3;
    const base::MonotonicTime before = server.clock.monotonic();
    CHECK(server.complaints(only(shop_watch({}))) ==
          Lines{"the API server does not serve apps.example.com/v1alpha1, Kind=WebShop | "
                "chartwright generate crd | kubectl apply -f -"});
    CHECK(server.clock.monotonic() == before);
  }
}

TEST_CASE("An account with rights in its own namespace is offered no role for all") {
  ShopServer server;
  server.client.allows = [](const std::string& right) {
    return !is_about_definitions(right) && right.ends_with(" in team-a");
  };
  CHECK(server.complaints(only(shop_watch({})), {"op", "team-a"}) ==
        Lines{"this account has its rights in namespace team-a, but not in all namespaces | if the "
              "operator is to watch this namespace alone, set WATCH_NAMESPACE=team-a, and give "
              "\"--watch-namespaces team-a\" to doctor and generate"});
  CHECK(server.complaints(only(shop_watch({})), {"op", "team-a", {"team-a"}}) == Lines{});
  // An account without any rights may be that of an operator of all namespaces.
  CHECK(server.complaints(only(shop_watch({})), {"op", "ops"}).size() > 1);
}

}  // namespace chartwright::doctor
