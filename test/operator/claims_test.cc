// SPDX-License-Identifier: Apache-2.0
// Claims: children that garbage collection must not reach.
#include <catch2/catch.hpp>

#include "test/operator/hooked.h"
#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using testing::World;
using value::Value;
using value::testing::json;

const std::string kRawClaim =
    R"(apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: NAME}\n)"
    R"(spec: {resources: {requests: {storage: 1Gi}}})";
const std::string kRawSecret = R"(apiVersion: v1\nkind: Secret\nmetadata: {name: s})";

std::string raw_claim(const std::string& name) {
  std::string text = kRawClaim;
  return text.replace(text.find("NAME"), 4, name);
}

std::string raw(const std::string& manifest) { return R"({"raw":")" + manifest + R"("})"; }

kube::ObjectRef claim_of(const std::string& name) {
  return {{"", "v1", "PersistentVolumeClaim"}, "shop", name};
}

Value without_status(const World& world) {
  Value cr = world.cr();
  cr.mutable_dict().erase("status");
  return cr;
}

void set_finalizers(World& world, std::string_view list) {
  Value cr = value::deep_copy(without_status(world));
  cr.find("metadata")->mutable_dict().set("finalizers", json(list));
  world.api.put(cr);
}

/// As a restore creates it: with a finalizer, and without a status.
struct Restored : World {
  explicit Restored(std::string_view finalizer = kUninstallFinalizer) {
    set_finalizers(*this, R"([")" + std::string(finalizer) + R"("])");
  }
};

/// A release with a claim.
struct Claimed : World {
  Claimed() {
    spec(raw(raw_claim("data")));
    converge();
    REQUIRE(api.find(claim_of("data")));
  }
  std::string uid() const { return std::string(kube::uid_of(*api.find(claim_of("data")))); }
  /// Makes the claim as an earlier version had it.
  void mark_by_reference() {
    Value claim = value::deep_copy(*api.find(claim_of("data")));
    claim.find("metadata")
        ->mutable_dict()
        .set("ownerReferences",
             Value::list({release::owner_reference({watch.gvk, "shop", "w", cr_uid()})}));
    claim.find("metadata")->find("annotations")->mutable_dict().erase(release::kOwnerAnnotation);
    api.put(claim);
  }
  std::string cr_uid() const { return std::string(kube::uid_of(cr())); }
  bool is_marked() const {
    const Value claim = *api.find(claim_of("data"));
    return kube::owner_references_of(claim).empty() &&
           kube::annotation_of(claim, release::kOwnerAnnotation) == "shop/w";
  }
};

TEST_CASE("A claim has no owner reference, and its custom resource a finalizer") {
  Claimed world;
  CHECK(world.is_marked());
  CHECK(kube::finalizers_of(world.cr()) ==
        std::vector<std::string>{std::string(kUninstallFinalizer)});
  world.converge();
  world.converge();
  CHECK(world.calls().empty());
  world.api.begin_deletion(world.ref());
  world.reconcile();
  CHECK_FALSE(world.api.find(claim_of("data")));
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("A claim of an earlier version is marked anew once, after the finalizer") {
  Claimed world;
  const std::string uid = world.uid();
  world.mark_by_reference();
  Value cr = value::deep_copy(world.cr());
  cr.find("metadata")->mutable_dict().erase("finalizers");
  world.api.put(cr);
  if (GENERATE(false, true)) {
    world.restart();
  }
  world.converge();
  CHECK(world.is_marked());
  CHECK(world.uid() == uid);
  CHECK(kube::finalizers_of(world.cr()).size() == 1);
  testing::check_at_rest(world);
}

TEST_CASE("A deletion that leaves the dependents leaves the claims") {
  Claimed world;
  SECTION("garbage collection has not begun") {
    Value cr = value::deep_copy(world.cr());
    cr.find("metadata")
        ->mutable_dict()
        .set("finalizers", json(R"(["orphan","helm.sdk.operatorframework.io/uninstall-release"])"));
    world.api.put(cr);
  }
  SECTION("garbage collection has removed the owner references") {
    Value record = value::deep_copy(*world.api.find(world.secret(1)));
    record.find("metadata")->mutable_dict().erase("ownerReferences");
    world.api.put(record);
    world.restart();
  }
  world.api.begin_deletion(world.ref());
  world.reconcile();
  CHECK(world.api.find(claim_of("data")));
  const auto left = world.api.find(world.ref());
  CHECK((!left || kube::finalizers_of(*left) == std::vector<std::string>{"orphan"}));
}

TEST_CASE("A claim that was restored is taken over by the new custom resource") {
  Claimed world;
  Value claim = value::deep_copy(*world.api.find(claim_of("data")));
  Value cr = value::deep_copy(without_status(world));
  world.api.begin_deletion(world.ref());
  world.reconcile();
  for (Value* object : {&claim, &cr}) {
    object->find("metadata")->mutable_dict().erase("uid");
    object->find("metadata")->mutable_dict().erase("managedFields");
  }
  world.api.put(claim);
  const std::string restored = world.uid();
  world.api.put(cr);
  world.converge();
  CHECK(world.uid() == restored);
  CHECK(world.is_marked());
  CHECK(world.warnings.take().empty());
  testing::check_at_rest(world);
}

TEST_CASE("A claim that was restored leads to the records that were, too") {
  Claimed world;
  Value claim = value::deep_copy(*world.api.find(claim_of("data")));
  Value record = value::deep_copy(*world.api.find(world.secret(1)));
  Value cr = value::deep_copy(without_status(world));
  world.api.begin_deletion(world.ref());
  world.reconcile();
  for (Value* object : {&claim, &record, &cr}) {
    for (const char* key : {"uid", "managedFields", "ownerReferences", "finalizers"}) {
      object->find("metadata")->mutable_dict().erase(key);
    }
    world.api.put(*object);
  }
  world.restart();
  world.converge();
  CHECK(world.revision() > 0);
  CHECK(world.history().back().starts_with("1 "));
  CHECK(world.is_marked());
}

TEST_CASE("A claim that is made for a restored custom resource is told once") {
  Restored world(GENERATE(kUninstallFinalizer, kLegacyUninstallFinalizer));
  world.spec(raw(raw_claim("a") + R"(\n---\n)" + raw_claim("b") + R"(\n---\n)" + kRawSecret));
  world.converge();
  const auto told = world.warnings.take();
  REQUIRE(told.size() == 1);
  CHECK(told[0].starts_with("CreatedEmpty: "));
  CHECK(told[0].find("PersistentVolumeClaim a, b,") != std::string::npos);
  CHECK(told[0].find("Secret s,") != std::string::npos);
  CHECK(world.lines.mention("seems to come from a backup"));
  world.restart();
  world.api.erase(claim_of("a"));
  world.converge();
  CHECK(world.api.find(claim_of("a")));
  CHECK(world.warnings.take().empty());
}

TEST_CASE("Of many claims that are made for a restored custom resource a few are named") {
  Restored world;
  std::string manifest = raw_claim("a");
  for (const char* name : {"b", "c", "d", "e"}) {
    manifest += R"(\n---\n)" + raw_claim(name);
  }
  world.spec(raw(manifest));
  world.converge();
  const auto told = world.warnings.take();
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("a, b, c and 2 more,") != std::string::npos);
}

TEST_CASE("A Secret that is made anew beside a claim that was restored is told") {
  Restored world;
  world.spec(raw(raw_claim("data") + R"(\n---\n)" + kRawSecret));
  world.api.put(json(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{
    "name":"data","namespace":"shop","labels":{"helm.sdk.operatorframework.io/chart":"widget"},
    "annotations":{"operator-sdk/primary-resource":"shop/w",
                   "operator-sdk/primary-resource-type":"Widget.example.com"}}})"));
  world.converge();
  const auto told = world.warnings.take();
  REQUIRE(told.size() == 1);
  CHECK(told[0].starts_with("CreatedAnew: "));
  CHECK(told[0].find("Secret s,") != std::string::npos);
  CHECK(told[0].find("PersistentVolumeClaim") == std::string::npos);
}

TEST_CASE("Nothing is told where nothing is lost") {
  const std::string filled = R"(apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\n)"
                             R"(spec: {dataSource: {kind: VolumeSnapshot, name: s}})";
  SECTION("a new custom resource") {
    World world;
    world.spec(raw(raw_claim("a") + R"(\n---\n)" + kRawSecret));
    world.converge();
    world.converge();
    CHECK(world.warnings.take().empty());
  }
  SECTION("a claim that is filled from elsewhere, or none") {
    Restored world;
    world.spec(raw(GENERATE_COPY(filled, kRawSecret)));
    world.converge();
    CHECK(world.warnings.take().empty());
  }
}

}  // namespace
}  // namespace chartwright::op
