// SPDX-License-Identifier: Apache-2.0
#include "kube/object.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::kube {
namespace {

TEST_CASE("A group, version and kind print as Kubernetes prints them") {
  const Gvk deployment = Gvk::from_api_version("apps/v1", "Deployment");
  CHECK(deployment.group == "apps");
  CHECK(deployment.version == "v1");
  CHECK(deployment.api_version() == "apps/v1");
  CHECK(deployment.to_string() == "apps/v1, Kind=Deployment");
  CHECK(Gvk{"", "v1", "Pod"}.to_string() == "/v1, Kind=Pod");
  CHECK(deployment.group_kind().to_string() == "Deployment.apps");

  const Gvk pod = Gvk::from_api_version("v1", "Pod");
  CHECK(pod.group.empty());
  CHECK(pod.api_version() == "v1");
  CHECK(pod.group_kind().to_string() == "Pod");
}

TEST_CASE("An object keeps its identity when only its API version changes") {
  const ObjectRef beta{{"apps", "v1beta1", "Deployment"}, "ns", "web"};
  const ObjectRef stable{{"apps", "v1", "Deployment"}, "ns", "web"};
  const ObjectRef other_group{{"extensions", "v1", "Deployment"}, "ns", "web"};
  CHECK(beta == stable);
  CHECK((beta <=> stable) == std::strong_ordering::equal);
  CHECK(std::hash<ObjectRef>()(beta) == std::hash<ObjectRef>()(stable));
  CHECK(stable != other_group);
  CHECK(std::hash<ObjectRef>()(stable) != std::hash<ObjectRef>()(other_group));
}

TEST_CASE("The parts of a reference cannot be mistaken for each other") {
  const ObjectRef a{{"", "v1", "Pod"}, "x", "y"};
  const ObjectRef b{{"", "v1", "Pod"}, "y", "x"};
  CHECK(a != b);
  CHECK(std::hash<ObjectRef>()(a) != std::hash<ObjectRef>()(b));
  CHECK(a < b);
  CHECK(a.to_string() == "Pod x/y");
  CHECK(ObjectRef{{"", "v1", "Namespace"}, "", "y"}.to_string() == "Namespace y");
  CHECK(ObjectRef{{"", "v1", "Namespace"}, "", ""}.to_string() == "Namespace");
  CHECK(ObjectRef{{"", "v1", "Pod"}, "x", ""}.to_string() == "Pod in x");
}

TEST_CASE("Metadata is read from an object") {
  const value::Value pod = value::testing::json(R"({
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {
      "name": "p", "namespace": "n", "uid": "u", "resourceVersion": "12", "generation": 3,
      "deletionTimestamp": "2026-01-02T03:04:05Z",
      "labels": {"a": "1"}, "annotations": {"b": "2"}, "finalizers": ["f1", "f2"],
      "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "o",
                           "controller": true, "blockOwnerDeletion": false}]
    }})");
  CHECK(ref_of(pod).to_string() == "Pod n/p");
  CHECK(uid_of(pod) == "u");
  CHECK(resource_version_of(pod) == "12");
  CHECK(generation_of(pod) == 3);
  CHECK(is_deleting(pod));
  CHECK(label_of(pod, "a") == "1");
  CHECK_FALSE(label_of(pod, "b").has_value());
  CHECK(annotation_of(pod, "b") == "2");
  CHECK(finalizers_of(pod) == std::vector<std::string>{"f1", "f2"});
  const auto owners = owner_references_of(pod);
  REQUIRE(owners.size() == 1);
  CHECK(owners[0].api_version == "apps/v1");
  CHECK(owners[0].kind == "ReplicaSet");
  CHECK(owners[0].uid == "o");
  CHECK(owners[0].controller);
  CHECK_FALSE(owners[0].block_owner_deletion);
  CHECK(is_owned_by(pod, "o"));
  CHECK_FALSE(is_owned_by(pod, "u"));
  CHECK_FALSE(is_owned_by(pod, ""));
}

TEST_CASE("Metadata of any shape reads as empty, never as an error") {
  for (const std::string_view json :
       {"{}", "[]", "null", R"({"metadata": 1})",
        R"({"metadata": {"name": 1, "labels": [], "ownerReferences": {}, "finalizers": "x",
            "generation": "3"}})",
        R"({"metadata": {"ownerReferences": [1, null, []], "finalizers": [1]}})"}) {
    const value::Value odd = value::testing::json(json);
    CHECK(name_of(odd).empty());
    CHECK(generation_of(odd) == 0);
    CHECK_FALSE(is_deleting(odd));
    CHECK_FALSE(label_of(odd, "a").has_value());
    CHECK(finalizers_of(odd).empty());
    CHECK_FALSE(is_owned_by(odd, "o"));
  }
}

TEST_CASE("resourceVersions compare as integers of any length, and only if they are") {
  using Order = std::strong_ordering;
  CHECK(compare_resource_versions("9", "10") == Order::less);
  CHECK(compare_resource_versions("10", "10") == Order::equal);
  CHECK(compare_resource_versions("010", "10") == Order::equal);
  CHECK(compare_resource_versions("0", "000") == Order::equal);
  CHECK(compare_resource_versions("340282366920938463463374607431768211456",
                                  "340282366920938463463374607431768211455") == Order::greater);
  for (const std::string_view odd : {"", "a", "-1", "1a", " 1", "1.0"}) {
    CHECK_FALSE(compare_resource_versions(odd, "1").has_value());
    CHECK_FALSE(compare_resource_versions("1", odd).has_value());
  }
}

TEST_CASE("Names that would change a URL's path are refused") {
  CHECK(is_path_segment("a.b-c:d"));
  for (const std::string_view odd : {"", ".", "..", "a/b", "a%2fb"}) {
    CHECK_FALSE(is_path_segment(odd));
  }
}

TEST_CASE("Only core Secrets are Secrets") {
  CHECK(is_secret({"", "v1", "Secret"}));
  CHECK_FALSE(is_secret({"example.com", "v1", "Secret"}));
  CHECK_FALSE(is_secret({"", "v1", "ConfigMap"}));
}

}  // namespace
}  // namespace chartwright::kube
