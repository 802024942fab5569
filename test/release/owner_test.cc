// SPDX-License-Identifier: Apache-2.0
#include "release/owner.h"

#include <catch2/catch.hpp>

#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using testing::json;

value::Value stamped(std::string_view text, const Owner& owner,
                     kube::Scope scope = kube::Scope::kNamespaced) {
  value::Value object = json(text);
  stamp_child(object, owner, scope, testing::kBookstore);
  return object;
}

Owner cluster_owner() {
  return {{"example.com", "v1", "ClusterBook"}, "", "all", "uid-all", "chartwright-system"};
}

TEST_CASE("A release is in its custom resource's namespace, or where the operator says") {
  CHECK(testing::book_owner().release_namespace() == "shop");
  CHECK(cluster_owner().release_namespace() == "chartwright-system");
  const value::Value o = stamped(R"({"metadata":{"name":"a","namespace":"x"}})", cluster_owner());
  CHECK(kube::annotation_of(o, kReleaseNamespaceAnnotation) == "chartwright-system");
}

TEST_CASE(
    "A child in the owner's namespace gets a controller reference and helm-operator's label") {
  const value::Value o =
      stamped(R"({"metadata":{"name":"a","namespace":"shop"}})", testing::book_owner());
  const auto references = kube::owner_references_of(o);
  REQUIRE(references.size() == 1);
  CHECK(references[0].api_version == "blog.velotio.com/v1alpha1");
  CHECK(references[0].kind == "BookStore");
  CHECK(references[0].name == "books");
  CHECK(references[0].uid == "uid-cr");
  CHECK(references[0].controller);
  CHECK(references[0].block_owner_deletion);
  CHECK(kube::label_of(o, "helm.sdk.operatorframework.io/chart") == "bookstore");
  CHECK(kube::label_of(o, "app.kubernetes.io/managed-by") == "Helm");
  CHECK(kube::annotation_of(o, "meta.helm.sh/release-name") == "books");
  CHECK(kube::annotation_of(o, "meta.helm.sh/release-namespace") == "shop");
  CHECK_FALSE(kube::annotation_of(o, kOwnerAnnotation));
}

TEST_CASE("The template's own labels and annotations stay; its owner references do not") {
  const value::Value o = stamped(R"({"metadata":{"name":"a","namespace":"shop",
    "labels":{"app":"x"},"annotations":{"note":"y"},
    "ownerReferences":[{"kind":"Other","name":"o","uid":"u","controller":true}]}})",
                                 testing::book_owner());
  CHECK(kube::label_of(o, "app") == "x");
  CHECK(kube::annotation_of(o, "note") == "y");
  REQUIRE(kube::owner_references_of(o).size() == 1);
  CHECK(kube::owner_references_of(o)[0].uid == "uid-cr");
}

TEST_CASE("Metadata of a wrong shape is replaced, not trusted") {
  const value::Value o = stamped(R"({"metadata":{"name":"a","namespace":"shop","labels":"x",
    "annotations":null}})",
                                 testing::book_owner());
  CHECK(kube::label_of(o, kChartLabel) == "bookstore");
  CHECK(kube::annotation_of(o, kReleaseNameAnnotation) == "books");
}

TEST_CASE("Where a reference cannot reach, annotations mark the owner") {
  SECTION("another namespace") {
    const value::Value o =
        stamped(R"({"metadata":{"name":"a","namespace":"far"}})", testing::book_owner());
    CHECK(kube::owner_references_of(o).empty());
    CHECK(kube::annotation_of(o, "operator-sdk/primary-resource") == "shop/books");
    CHECK(kube::annotation_of(o, "operator-sdk/primary-resource-type") ==
          "BookStore.blog.velotio.com");
    CHECK(claim_on(o, testing::book_owner()) == Claim::kOurs);
  }
  SECTION("a cluster-scoped child of a namespaced owner") {
    const value::Value o =
        stamped(R"({"metadata":{"name":"a"}})", testing::book_owner(), kube::Scope::kCluster);
    CHECK(kube::owner_references_of(o).empty());
    CHECK(claim_on(o, testing::book_owner()) == Claim::kOurs);
  }
  SECTION("a kept child, which must outlive its owner") {
    const value::Value o = stamped(R"({"metadata":{"name":"a","namespace":"shop",
      "annotations":{"helm.sh/resource-policy":"keep"}}})",
                                   testing::book_owner());
    CHECK(kube::owner_references_of(o).empty());
    CHECK(claim_on(o, testing::book_owner()) == Claim::kOurs);
  }
  SECTION("a claim, which a restore would lose by a reference to an owner that is gone") {
    const Owner owner = GENERATE(testing::book_owner(), cluster_owner());
    const value::Value o = stamped(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",
      "metadata":{"name":"a","namespace":"shop","ownerReferences":[{"uid":"uid-cr"}]}})",
                                   owner);
    CHECK(kube::owner_references_of(o).empty());
    CHECK(claim_on(o, owner) == Claim::kOurs);
  }
  SECTION("a cluster-scoped owner reaches everywhere") {
    const value::Value o =
        stamped(R"({"metadata":{"name":"a","namespace":"far"}})", cluster_owner());
    REQUIRE(kube::owner_references_of(o).size() == 1);
    CHECK_FALSE(kube::annotation_of(o, kOwnerAnnotation));
  }
}

TEST_CASE("Garbage collection follows references within a namespace or from the cluster") {
  CHECK(can_reference(testing::book_owner(), kube::Scope::kNamespaced, "shop"));
  CHECK_FALSE(can_reference(testing::book_owner(), kube::Scope::kNamespaced, "far"));
  CHECK_FALSE(can_reference(testing::book_owner(), kube::Scope::kCluster, ""));
  CHECK(can_reference(cluster_owner(), kube::Scope::kNamespaced, "far"));
  CHECK(can_reference(cluster_owner(), kube::Scope::kCluster, ""));
}

TEST_CASE("The keep policy is read as Helm reads it") {
  const auto keeps = [](std::string_view policy) {
    return has_keep_policy(json(R"({"metadata":{"annotations":{"helm.sh/resource-policy":")" +
                                std::string(policy) + R"("}}})"));
  };
  CHECK(keeps("keep"));
  CHECK(keeps(" Keep "));  // Helm trims it and converts it to lower case.
  CHECK_FALSE(keeps("delete"));
  CHECK_FALSE(keeps(""));
  CHECK_FALSE(has_keep_policy(json("{}")));
  CHECK_FALSE(has_keep_policy(json(R"({"metadata":{"annotations":[]}})")));
}

TEST_CASE("A live object is ours, somebody else's or nobody's") {
  const Owner us = testing::book_owner();
  const auto claim = [&us](std::string_view metadata) {
    return claim_on(json(R"({"metadata":)" + std::string(metadata) + "}"), us);
  };
  CHECK(claim("{}") == Claim::kNobody);
  CHECK(claim(R"({"ownerReferences":[{"uid":"uid-cr","controller":true}]})") == Claim::kOurs);
  // An owner recreated with the same name is another object.
  CHECK(claim(R"({"ownerReferences":[{"uid":"old","name":"books","kind":"BookStore",
                                     "controller":true}]})") == Claim::kOther);
  // An owner reference without `controller` is not ownership.
  CHECK(claim(R"({"ownerReferences":[{"uid":"uid-cr"}]})") == Claim::kNobody);
  CHECK(claim(R"({"ownerReferences":[{"uid":"x"},{"uid":"uid-cr","controller":true}]})") ==
        Claim::kOurs);
  // The controller reference takes precedence over annotations.
  CHECK(claim(R"({"ownerReferences":[{"uid":"other","controller":true}],
    "annotations":{"operator-sdk/primary-resource":"shop/books",
                   "operator-sdk/primary-resource-type":"BookStore.blog.velotio.com"}})") ==
        Claim::kOther);
  CHECK(claim(R"({"annotations":{"operator-sdk/primary-resource":"shop/books"}})") ==
        Claim::kNobody);
  CHECK(claim(R"({"annotations":{"operator-sdk/primary-resource":"shop/other",
                 "operator-sdk/primary-resource-type":"BookStore.blog.velotio.com"}})") ==
        Claim::kOther);
  CHECK(claim(R"({"annotations":{"operator-sdk/primary-resource":"shop/books",
                 "operator-sdk/primary-resource-type":"BookStore.other.com"}})") == Claim::kOther);
}

TEST_CASE("A claim that refers to its owner loses that reference alone") {
  const Owner us = testing::book_owner();
  const std::string claim = R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":)";
  const std::string ours = R"({"uid":"uid-cr","controller":true})";
  const value::Value marked =
      stamped(claim + R"({"name":"a","namespace":"shop"}})", us, kube::Scope::kNamespaced);
  const auto marks = [&](const std::string& references) {
    const value::Value live = json(claim + R"({"ownerReferences":[)" + references + "]}}");
    return std::pair(has_stray_reference(live, us), owner_marks(marked, live, us));
  };
  const auto [alone, removal] = marks(ours);
  CHECK(alone);
  REQUIRE(removal.find("ownerReferences") != nullptr);
  CHECK(removal.find("ownerReferences")->is_nil());
  CHECK(removal.string_at({"annotations", kOwnerAnnotation}) == "shop/books");
  const auto [beside, rest] = marks(ours + R"(,{"uid":"other"})");
  CHECK(beside);
  CHECK(rest.items_at({"ownerReferences"}).size() == 1);
  const auto [others, nothing] = marks(R"({"uid":"other"})");
  CHECK_FALSE(others);
  CHECK(nothing.find("ownerReferences") == nullptr);
  CHECK_FALSE(has_stray_reference(
      json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"ownerReferences":[)" + ours + "]}}"),
      us));
}

TEST_CASE("An owner is named for people") {
  CHECK(describe_owner(json("{}")).empty());
  CHECK(describe_owner(json(R"({"metadata":{"ownerReferences":[
    {"kind":"ReplicaSet","name":"web-1","uid":"u1","controller":true}]}})")) ==
        "ReplicaSet web-1 (uid u1)");
  CHECK(describe_owner(json(R"({"metadata":{"annotations":{
    "operator-sdk/primary-resource":"shop/other",
    "operator-sdk/primary-resource-type":"BookStore.blog.velotio.com"}}})")) ==
        "BookStore.blog.velotio.com shop/other (annotation operator-sdk/primary-resource)");
}

TEST_CASE(
    "A core owner has a type without a group, a cluster-scoped one a name without a namespace") {
  const Owner owner{{"", "v1", "Namespace"}, "", "n", "uid-n"};
  const value::Value o = stamped(
      R"({"metadata":{"name":"a","annotations":{"helm.sh/resource-policy":"keep"}}})", owner);
  CHECK(kube::annotation_of(o, kOwnerAnnotation) == "/n");
  CHECK(kube::annotation_of(o, kOwnerTypeAnnotation) == "Namespace");
  CHECK(owner.ref() == kube::ObjectRef{{"", "v1", "Namespace"}, "", "n"});
}

}  // namespace
}  // namespace chartwright::release
