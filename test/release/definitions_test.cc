// SPDX-License-Identifier: Apache-2.0
#include "release/definitions.h"

#include <catch2/catch.hpp>

#include "model/memory_server.h"
#include "test/base/manual_clock.h"
#include "test/release/objects.h"
#include "value/compare.h"

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
  model::MemoryServer api;
  base::ManualClock clock;
  base::Logger log{{}, clock, [](std::string_view /*line*/) {}};
  kube::Call call;
  kube::LabelValue chart = testing::kBookstore;
  Owner owner;

  base::Result<DefinitionReport> install(const std::vector<Definition>& wanted,
                                         DefinitionPolicy policy = DefinitionPolicy::kCreate) {
    return Definitions(api, call, {policy, chart, owner}, log, [] { return base::Status(); })
        .install(wanted);
  }
  base::Status release(const kube::ObjectRef& ref) {
    return Definitions(api, call, {DefinitionPolicy::kCreate, testing::kBookstore, book_owner()},
                       log, nullptr)
        .release(ref);
  }
  /// Creates a CRD that book_owner() owns by annotation.
  kube::ObjectRef owned() {
    Value object = defining("ants").object;
    stamp_child(object, book_owner(), kube::Scope::kCluster,
                CW_MUST(kube::LabelValue::parse("books")));
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

Definition labelled(const std::string& label) {
  Value object = defining("ants").object;
  object.find("metadata")->mutable_dict().set("labels", json("{}"));
  object.find("metadata")->find("labels")->mutable_dict().set(label, Value::string("yes"));
  return CW_MUST(read_definition(object));
}

std::string labels_of(const Cluster& cluster) {
  const Value live = *cluster.api.find(defining("ants").ref);
  return CW_MUST(value::to_json(*live.find_path({"metadata", "labels"})));
}

TEST_CASE("The fields that a chart, another chart and a patch set in one CRD stay theirs") {
  Cluster cluster;
  const auto update = [&cluster](const std::string& chart, const std::string& label) {
    cluster.chart = CW_MUST(kube::LabelValue::parse(chart));
    CHECK(cluster.install({labelled(label)}, DefinitionPolicy::kCreateOrUpdate).ok());
  };
  cluster.api.put(defining("ants").object);
  update("a", "by-a");
  update("b", "by-b");
  const Value patch = json(R"({"apiVersion":"apiextensions.k8s.io/v1",
      "kind":"CustomResourceDefinition",
      "metadata":{"name":"ants.example.com","labels":{"patched":"yes"}}})");
  CHECK(cluster.api
            .apply(patch,
                   {.field_manager = field_manager_of(book_owner()), .force = kube::Force::kNo},
                   cluster.call)
            .ok());
  CHECK(labels_of(cluster) == R"({"by-a":"yes","by-b":"yes","patched":"yes"})");
  update("a", "also-a");  // A field that its chart drops goes, and nothing else.
  CHECK(labels_of(cluster) == R"({"also-a":"yes","by-b":"yes","patched":"yes"})");
}

TEST_CASE("A CRD that an earlier version updated has its fields moved to its chart first") {
  Cluster cluster;
  cluster.api.put(defining("ants").object);
  const Value body = labelled("a").object;
  CHECK(cluster.api
            .apply(body, {.field_manager = "chartwright", .force = kube::Force::kYes}, cluster.call)
            .ok());
  const auto install = [&cluster](const Definition& wanted) {
    cluster.api.forget_calls();
    CHECK(cluster.install({wanted}, DefinitionPolicy::kCreateOrUpdate).ok());
  };
  install(labelled("a"));
  const std::string text = kPrefix + "ants.example.com";
  CHECK(cluster.api.whats() == Calls{"get " + text, "patch " + text, "apply " + text});
  install(labelled("b"));
  CHECK(cluster.api.whats() == Calls{"get " + text, "apply " + text});
  CHECK(labels_of(cluster) == R"({"b":"yes"})");
}

TEST_CASE("The field manager of a chart's CRDs is not that of a custom resource") {
  CHECK(manager_of_definitions(testing::kBookstore) == "chartwright-crds-bookstore");
  const auto like_uid = CW_MUST(kube::LabelValue::parse("0123456789ab"));
  CHECK_FALSE(fields::is_manager_of_owner(manager_of_definitions(like_uid)));
}

TEST_CASE("A CRD that is a child of another custom resource is left to that") {
  Cluster cluster;
  const kube::ObjectRef ref = cluster.owned();
  const Value before = *cluster.api.find(ref);
  cluster.owner = book_owner();
  SECTION("of another") {
    cluster.owner.uid = "other";
    cluster.owner.name = "other";
    const auto report =
        CW_MUST(cluster.install({defining("ants")}, DefinitionPolicy::kCreateOrUpdate));
    REQUIRE(report.held.size() == 1);
    CHECK_THAT(report.held.front(), Catch::Matchers::Contains(describe_owner(before)));
    CHECK(value::json_equal(*cluster.api.find(ref), before));
  }
  SECTION("of this one, until it is released") {
    CHECK(CW_MUST(cluster.install({defining("ants")}, DefinitionPolicy::kCreateOrUpdate))
              .held.empty());
  }
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
