// SPDX-License-Identifier: Apache-2.0
#include "release/definitions.h"

#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"
#include "test/release/fake_client.h"
#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using testing::book_owner;
using testing::json;
using value::Value;
using Calls = std::vector<std::string>;

const std::string kPrefix = "CustomResourceDefinition.apiextensions.k8s.io ";

Definition defining(const std::string& plural) {
  return CW_MUST(read_definition(json(R"({
    "apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":")" + plural + R"(.example.com"},
    "spec":{"group":"example.com","names":{"kind":"K","plural":")" +
                                      plural + R"("},
      "versions":[{"name":"v1","served":true}]}})")));
}

struct Cluster {
  testing::FakeClient api;
  base::ManualClock clock;
  base::Logger log{{}, clock, [](std::string_view /*line*/) {}};
  kube::Call call;

  base::Result<DefinitionReport> install(const std::vector<Definition>& wanted,
                                         DefinitionPolicy policy = DefinitionPolicy::kCreate) {
    return Definitions(api, call, policy, log, [] { return base::Status(); }).install(wanted);
  }
  base::Status release(const kube::ObjectRef& ref) {
    return Definitions(api, call, DefinitionPolicy::kCreate, log, nullptr)
        .release(ref, book_owner());
  }
  /// Creates a CRD that book_owner() owns by annotation.
  kube::ObjectRef owned() {
    Value object = defining("ants").object;
    stamp_child(object, book_owner(), kube::Scope::kCluster, "books");
    api.put(object);
    return kube::ref_of(object);
  }
};

TEST_CASE("All CRDs are on their way before any is waited for") {
  Cluster cluster;
  const auto report = CW_MUST(cluster.install({defining("ants"), defining("bees")}));
  CHECK(report.awaited == std::vector<std::string>{"ants.example.com", "bees.example.com"});
  CHECK(cluster.api.count("CustomResourceDefinition") == 2);
}

TEST_CASE("A CRD that may not be created ends the installation with the missing rule") {
  Cluster cluster;
  cluster.api.fail_always("create " + kPrefix + "ants.example.com",
                          Error(ErrorCode::kForbidden, "cannot create"));
  const auto report = cluster.install({defining("ants"), defining("bees")});
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().message() == "cannot create");
  CHECK_THAT(report.error().help(),
             Catch::Matchers::Contains("resources: [customresourcedefinitions]"));
  CHECK(cluster.api.count("CustomResourceDefinition") == 0);
}

TEST_CASE("An update that somebody comes before is an error to try again") {
  Cluster cluster;
  cluster.api.put(defining("ants").object);
  cluster.api.fail_once("apply " + kPrefix + "ants.example.com",
                        Error(ErrorCode::kConflict, "late"));
  const auto report = cluster.install({defining("ants")}, DefinitionPolicy::kCreateOrUpdate);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code() == ErrorCode::kConflict);
}

TEST_CASE("A CRD is let go of over the version that was read, and only if it is ours") {
  Cluster cluster;
  const kube::ObjectRef ref = cluster.owned();
  const std::string text = kPrefix + "ants.example.com";
  SECTION("ours") {
    CHECK(cluster.release(ref).ok());
    const Value live = *cluster.api.find(ref);
    CHECK(claim_on(live, book_owner()) == Claim::kNobody);
    CHECK_FALSE(kube::label_of(live, kManagedByLabel));
    CHECK(live.find("spec") != nullptr);
    cluster.api.forget_calls();
    CHECK(cluster.release(ref).ok());
    CHECK(cluster.api.whats() == Calls{"get " + text});
  }
  SECTION("changed meanwhile") {
    cluster.api.once("patch " + text, [&cluster, &ref] {
      Value live = *cluster.api.find(ref);
      live.mutable_dict().set("status", json("{}"));
      cluster.api.put(live);
      return std::optional<Error>();
    });
    CHECK(cluster.release(ref).error().code() == ErrorCode::kConflict);
  }
  SECTION("gone before, or meanwhile") {
    cluster.api.once("patch " + text, [&cluster, &ref] {
      cluster.api.erase(ref);
      return std::optional<Error>();
    });
    CHECK(cluster.release(ref).ok());
    CHECK(cluster.release(ref).ok());
  }
}

}  // namespace
}  // namespace chartwright::release
