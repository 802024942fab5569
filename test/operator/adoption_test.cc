// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "resource/annotations.h"
#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using testing::World;
using value::Value;
using value::testing::json;

TEST_CASE("An object in the way") {
  World world;
  Value stranger = json(R"({"apiVersion":"v1","kind":"ConfigMap",
                            "metadata":{"name":"w","namespace":"shop"},"data":{"color":"theirs"}})");
  SECTION("without an owner is left alone, then adopted on request and with its consent") {
    world.api.put(stranger);
    world.spec("{}");
    const runtime::Failed failed = world.fail();
    CHECK(failed.error.code() == ErrorCode::kOwnership);
    CHECK(failed.retry == runtime::Retry::kBackoff);
    CHECK(world.color() == "theirs");
    CHECK_THAT(world.error(),
               Catch::Matchers::Contains("ConfigMap shop/w exists and belongs to nobody"));
    world.annotate(kAdopt, "true");
    CHECK(world.fail().error.code() == ErrorCode::kOwnership);
    const auto consent = [&](std::string_view custom_resource) {
      stranger.find("metadata")
          ->mutable_dict()
          .set("annotations",
               Value::dict({{std::string(release::kAdoptableBy), Value::string(custom_resource)}}));
      world.api.put(stranger);
    };
    consent("shop/other");
    CHECK(world.fail().error.code() == ErrorCode::kOwnership);
    consent("shop/w");
    world.converge();
    CHECK(world.color() == "red");
    CHECK(world.revision() == 1);
  }
  SECTION("is adopted at the will of the author where watches.yaml says so") {
    world.watch.adoption = bundle::AdoptionPolicy::kAuthor;
    world.api.put(stranger);
    world.spec("{}");
    world.annotate(kAdopt, "true");
    world.converge();
    CHECK(world.color() == "red");
  }
  SECTION("is never adopted where watches.yaml says so") {
    world.watch.adoption = bundle::AdoptionPolicy::kNever;
    stranger.find("metadata")
        ->mutable_dict()
        .set("annotations", json(R"({"chartwright.io/adoptable-by":"shop/w"})"));
    world.api.put(stranger);
    world.spec("{}");
    world.annotate(kAdopt, "true");
    CHECK(world.fail().error.code() == ErrorCode::kOwnership);
    CHECK(world.color() == "theirs");
  }
  SECTION("of another custom resource is never taken") {
    stranger.find("metadata")
        ->mutable_dict()
        .set(
            "ownerReferences",
            json(
                R"([{"apiVersion":"x/v1","kind":"Other","name":"o","uid":"u","controller":true}])"));
    world.api.put(stranger);
    world.spec("{}");
    world.annotate(kAdopt, "true");
    CHECK_THAT(world.fail().error.message(),
               Catch::Matchers::Contains("is controlled by Other o (uid u)"));
    CHECK(world.color() == "theirs");
  }
}

}  // namespace
}  // namespace chartwright::op
