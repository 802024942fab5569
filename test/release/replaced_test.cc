// SPDX-License-Identifier: Apache-2.0
// Objects that are replaced although no cache has them yet.
#include <catch2/catch.hpp>

#include "test/release/apply_world.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using World = testing::ApplyWorld;

const std::string kApplyIt = "apply ConfigMap shop/a";
const std::string kDeleteIt = "delete ConfigMap shop/a";

/// A child of ours that the caches do not show, and that cannot be changed.
struct Unseen : World {
  Unseen() {
    rules.emplace_back().update = Update::kRecreateIfImmutable;
    want_map("a", "1");
    CHECK(run().ok());
    desired.clear();
    want_map("a", "2");
    blind = true;
    api.fail_once(kApplyIt, Error(ErrorCode::kConflict, "it is there"));
    api.fail_once(kApplyIt, Error(ErrorCode::kImmutable, "spec.x: field is immutable"));
  }
};

TEST_CASE("A child that was made a moment ago is replaced as any other") {
  Unseen world;
  const std::string uid(kube::uid_of(*world.api.find(testing::config_map("a"))));
  CHECK(world.run().ok());
  CHECK(world.api.last(kDeleteIt).uid == uid);
  CHECK(world.run().ok());
  CHECK(world.k_of("a") == "2");
}

TEST_CASE("An object of nobody that is adopted is not replaced") {
  Unseen world;
  world.adoption = Adoption::kAdopt;
  value::Value object = *world.api.find(testing::config_map("a"));
  value::Dict& metadata = object.find("metadata")->mutable_dict();
  for (const char* key : {"ownerReferences", "labels", "annotations"}) {
    metadata.erase(key);
  }
  world.api.put(object);
  CHECK(world.only_error().code() == ErrorCode::kImmutable);
  CHECK(world.k_of("a") == "1");
}

}  // namespace
}  // namespace chartwright::release
