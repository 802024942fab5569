// SPDX-License-Identifier: Apache-2.0
// Children that are Secrets: their digests are in the status, under a key.
#include <catch2/catch.hpp>

#include "fields/manager.h"
#include "fields/projection.h"
#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::get;
using testing::has;
using testing::kApply;
using testing::kStatus;
using testing::World;
using value::Value;

/// A custom resource whose only child, beside the ConfigMap, is a Secret.
struct SecretWorld : World {
  SecretWorld() {
    paint("red");
    converge();
    converge();
    CHECK(calls().empty());
  }
  void paint(const std::string& color) {
    spec(R"({"color":")" + color +
         R"(","raw":"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: v}"})");
    converge();
  }
  const kube::ObjectRef child{{"", "v1", "Secret"}, "shop", "s"};
  std::string k() const { return std::string(api.find(child)->string_at({"data", "k"})); }
  /// The item of the Secret in the status.
  Value item() const {
    const Value now = status();
    for (const Value& one : now.find("resources")->as_list().items) {
      if (one.string_at({"kind"}) == "Secret") {
        return one;
      }
    }
    return {};
  }
};

TEST_CASE("A new process sends no request for a Secret that is as it was applied") {
  SecretWorld world;
  world.restart();
  world.converge();
  CHECK(world.calls().empty());
  SECTION("and none for one that a new revision does not change") {
    world.paint("blue");
    CHECK(world.revision() == 2);
    CHECK(has(world.calls(), kApply));
    CHECK_FALSE(has(world.calls(), "apply Secret shop/s"));
  }
  SECTION("but repairs one that was changed") {
    Value changed = *world.api.find(world.child);
    changed.find("data")->mutable_dict().set("k", Value::string("eA=="));
    world.stop();
    world.api.put(changed);
    world.start();
    world.converge();
    CHECK(world.calls() == Calls{get(1), "get Secret shop/s", "apply Secret shop/s", get(2)});
    CHECK(world.k() == "dg==");
  }
}

TEST_CASE("The digests of a Secret in a status help nobody to guess its content") {
  SecretWorld world;
  const Value item = world.item();
  CHECK(item.string_at({"desired"}).starts_with("hmac-sha256:"));
  CHECK(item.string_at({"observed"}).starts_with("hmac-sha256:"));
  const Value live = *world.api.find(world.child);
  const auto plain =
      fields::projection_digest(live, fields::manager_of_owner(kube::uid_of(world.cr())));
  REQUIRE(plain);
  CHECK(CW_MUST(value::to_json(world.status())).find(*plain) == std::string::npos);
}

// As earlier versions left it.
TEST_CASE("A Secret without digests in the status is applied once, from the stored manifest") {
  SecretWorld world;
  Value cr = world.cr();
  for (const Value& one : cr.find("status")->find("resources")->as_list().items) {
    if (one.string_at({"kind"}) == "Secret") {
      one.mutable_dict().erase("desired");
      one.mutable_dict().erase("observed");
    }
  }
  world.stop();
  world.api.put(cr);
  world.start();
  world.converge();
  CHECK(world.calls() == Calls{get(1), "apply Secret shop/s", kStatus});
  CHECK(world.revision() == 1);
  CHECK(world.item().string_at({"desired"}).starts_with("hmac-sha256:"));
  world.restart();
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("Under another master key Secrets are applied once, as they are") {
  SecretWorld world;
  world.master_key = std::string(64, 'b');
  world.restart();
  world.converge();
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.k() == "dg==");
  world.restart();
  world.converge();
  CHECK(world.calls().empty());
  CHECK(world.warnings.take().empty());
}

}  // namespace
}  // namespace chartwright::op
