// SPDX-License-Identifier: Apache-2.0
#include "release/definition.h"

#include <catch2/catch.hpp>

#include "test/release/objects.h"
#include "value/compare.h"

namespace chartwright::release {
namespace {

using testing::book_owner;
using testing::json;
using value::Value;

constexpr std::string_view kFoos = R"({
  "apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
  "metadata":{"name":"foos.example.com"},
  "spec":{"group":"example.com","scope":"Cluster","names":{"kind":"Foo","plural":"foos"},
    "versions":[{"name":"v1","served":true},{"name":"v1beta1","served":false}]}})";

Definition foos() { return CW_MUST(read_definition(json(kFoos))); }

// Returns the error for the CRD after a merge patch.
std::string refusal(std::string_view change) {
  Value object = json(kFoos);
  const Value patch = json(change);
  for (const auto& [key, member] : patch.as_dict()) {
    object.mutable_dict().set(key, member);
  }
  auto read = read_definition(object);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code() == base::ErrorCode::kInvalidArgument);
  return read.error().message();
}

TEST_CASE("A CRD says what it defines and which versions are served") {
  const Definition definition = foos();
  CHECK(definition.ref.to_string() ==
        "CustomResourceDefinition.apiextensions.k8s.io foos.example.com");
  CHECK(definition.scope == kube::Scope::kCluster);
  CHECK(definition.versions == std::vector<std::string>{"v1", "v1beta1"});
  CHECK(definition.serves({"example.com", "v1", "Foo"}));
  CHECK_FALSE(definition.serves({"example.com", "v1beta1", "Foo"}));
  CHECK_FALSE(definition.serves({"example.com", "v2", "Foo"}));
  CHECK_FALSE(definition.serves({"example.org", "v1", "Foo"}));
}

TEST_CASE("An unsound CRD is refused with the correct form") {
  CHECK(refusal(R"({"kind":"ConfigMap","apiVersion":"v1"})") ==
        "this is a ConfigMap named \"foos.example.com\", and only a CustomResourceDefinition "
        "(apiextensions.k8s.io/v1) belongs here");
  CHECK(refusal(R"({"kind":null,"metadata":null})") ==
        "this is an object without a kind, and only a CustomResourceDefinition "
        "(apiextensions.k8s.io/v1) belongs here");
  CHECK(refusal(R"({"apiVersion":"apiextensions.k8s.io/v1beta1"})") ==
        "a CustomResourceDefinition named \"foos.example.com\" has apiVersion "
        "apiextensions.k8s.io/v1beta1; apiextensions.k8s.io/v1 is needed");
  CHECK(refusal(R"({"metadata":{"name":"foo.example.com"}})") ==
        "a CustomResourceDefinition named \"foo.example.com\" defines foos of example.com: its "
        "metadata.name must be \"foos.example.com\"");
  CHECK(refusal(R"({"spec":{}})") ==
        "a CustomResourceDefinition named \"foos.example.com\" has no spec.group");
  CHECK(refusal(R"({"spec":{"group":"example.com","names":{"kind":"Foo","plural":"foos"}}})") ==
        "CustomResourceDefinition foos.example.com has no spec.versions");
  CHECK(refusal(R"({"spec":"text"})") ==
        "a CustomResourceDefinition named \"foos.example.com\" has no spec.group");
}

TEST_CASE("A CRD is established, on its way there or away, or refused") {
  const auto state = [](std::string_view status, std::string_view metadata = "{}") {
    Value live = Value::dict({{"metadata", json(metadata)}, {"status", json(status)}});
    return establishment_of(live).state;
  };
  CHECK(state("{}") == Establishment::kPending);
  CHECK(state(R"({"conditions":[{"type":"Established","status":"True"}]})") ==
        Establishment::kEstablished);
  CHECK(state(R"({"conditions":[{"type":"Established","status":"False"}]})") ==
        Establishment::kPending);
  CHECK(state(R"({"conditions":[{"type":"NamesAccepted","status":"False"}]})") ==
        Establishment::kRefused);
  CHECK(state(R"({"conditions":[{"type":"Established","status":"True"}]})",
              R"({"deletionTimestamp":"2026-01-02T03:04:05Z"})") == Establishment::kLeaving);
}

TEST_CASE("A version in which objects are stored must stay, served or not") {
  const auto dropped = [](std::string_view stored) {
    return dropped_stored_versions(
        Value::dict({{"status", Value::dict({{"storedVersions", json(stored)}})}}), foos());
  };
  CHECK(dropped(R"(["v1","v1beta1"])").empty());
  CHECK(dropped(R"(["v1alpha1","v1","v0"])") == std::vector<std::string>{"v1alpha1", "v0"});
  CHECK(dropped("null").empty());
}

TEST_CASE("A release takes our marks away and leaves those of others") {
  const Value live = json(R"({"metadata":{
    "name":"foos.example.com","uid":"u","resourceVersion":"7",
    "labels":{"app.kubernetes.io/managed-by":"Helm","x":"y"},
    "ownerReferences":[{"uid":"uid-cr","kind":"BookStore"},{"uid":"other","kind":"Pod"}],
    "managedFields":[
      {"manager":"chartwright","operation":"Apply"},
      {"manager":"chartwright-c9d45b970e86","operation":"Apply"},
      {"manager":"chartwright","operation":"Update"},
      {"manager":"kubectl","operation":"Apply"}]}})");
  const Value patch = release_patch(live, book_owner());
  CHECK(value::json_equal(*patch.find("metadata"), json(R"({
    "uid":"u","resourceVersion":"7",
    "labels":{"helm.sdk.operatorframework.io/chart":null,"app.kubernetes.io/managed-by":null},
    "annotations":{"operator-sdk/primary-resource":null,"operator-sdk/primary-resource-type":null,
      "meta.helm.sh/release-name":null,"meta.helm.sh/release-namespace":null},
    "ownerReferences":[{"uid":"other","kind":"Pod"}],
    "managedFields":[{"manager":"chartwright","operation":"Update"},
                     {"manager":"kubectl","operation":"Apply"}]})")));

  SECTION("nothing of ours leaves an empty list, which the API server would ignore") {
    const Value bare = json(R"({"metadata":{"uid":"u","resourceVersion":"7",
      "ownerReferences":[{"uid":"uid-cr"}],"labels":{"app.kubernetes.io/managed-by":"Kustomize"},
      "managedFields":[{"manager":"chartwright","operation":"Apply"}]}})");
    const Value all = release_patch(bare, book_owner());
    CHECK(all.find_path({"metadata", "ownerReferences"})->is_nil());
    CHECK(value::json_equal(*all.find_path({"metadata", "managedFields"}), json("[{}]")));
    CHECK(all.find_path({"metadata", "labels", "app.kubernetes.io/managed-by"}) == nullptr);
  }
}

}  // namespace
}  // namespace chartwright::release
