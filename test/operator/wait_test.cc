// SPDX-License-Identifier: Apache-2.0
// The wait for CRDs and their kinds.
#include <catch2/catch.hpp>
#include <chrono>

#include "operator/definition_stage.h"
#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Parts;
using testing::World;

/// A World with a custom resource.
struct Waiting : World {
  Waiting() { spec("{}"); }
};

TEST_CASE("A wait becomes an error after a minute, over all reconciles") {
  Waiting world;
  Parts parts(world);
  CHECK(parts.wait.wait_for("Foo").code() == ErrorCode::kUnavailable);
  CHECK(parts.wait.waiting() == "Foo");
  world.clock.advance(milliseconds(59'999));
  Wait later(parts.subject, parts.state.waiting_since);
  CHECK_FALSE(later.waiting());
  CHECK(later.wait_for("Foo").code() == ErrorCode::kUnavailable);
  world.clock.advance(milliseconds(1));
  Wait last(parts.subject, parts.state.waiting_since);
  const Error error = last.wait_for("Foo");
  CHECK(error.code() == ErrorCode::kTimeout);
  CHECK(error.message() == "waited for 1m0s and more, without success: Foo");
  CHECK_FALSE(last.waiting());
  last.end();
  CHECK(last.wait_for("Foo").code() == ErrorCode::kUnavailable);
}

TEST_CASE("A wait is soon looked at again, and then less often") {
  Waiting world;
  Parts parts(world);
  static_cast<void>(parts.wait.wait_for("Foo"));
  CHECK(parts.wait.pace() == milliseconds(250));
  world.clock.advance(seconds(2));
  CHECK(parts.wait.pace() == seconds(2));
  world.clock.advance(seconds(20));
  CHECK(parts.wait.pace() == seconds(5));
}

TEST_CASE("An error is waited out where a new kind explains it") {
  Waiting world;
  Parts parts(world);
  const Error busy(ErrorCode::kTooManyRequests, "storage is (re)initializing");
  const Error missing(ErrorCode::kNotFound, "the server could not find it");
  CHECK(parts.wait.wait_out(base::Status()).ok());
  CHECK(parts.wait.wait_out(busy).error().code() == ErrorCode::kTooManyRequests);
  CHECK(parts.wait.wait_out(missing).error().code() == ErrorCode::kNotFound);
  CHECK_FALSE(parts.wait.waiting());
  SECTION("too many requests, of a release with CRDs") {
    parts.wait.expect_new_kinds();
    CHECK(parts.wait.wait_out(missing).error().code() == ErrorCode::kNotFound);
    CHECK(parts.wait.wait_out(busy).error().code() == ErrorCode::kUnavailable);
    CHECK(parts.wait.waiting() == "storage is (re)initializing");
  }
  SECTION("not found, after an earlier wait") {
    parts.state.waiting_since = world.clock.monotonic();
    CHECK(parts.wait.wait_out(busy).error().code() == ErrorCode::kTooManyRequests);
    CHECK(parts.wait.wait_out(missing).error().code() == ErrorCode::kUnavailable);
  }
  SECTION("no other error") {
    parts.wait.expect_new_kinds();
    parts.state.waiting_since = world.clock.monotonic();
    const Error forbidden(ErrorCode::kForbidden, "may not");
    CHECK(parts.wait.wait_out(forbidden).error().code() == ErrorCode::kForbidden);
  }
}

TEST_CASE("A plan with kinds to come keeps only the CRDs") {
  const auto desired = [](const std::string& group, const std::string& kind) {
    release::Desired one;
    one.ref = {{group, "v1", kind}, "", "w"};
    return one;
  };
  const release::Desired map = desired("", "ConfigMap");
  const release::Desired crd = desired("apiextensions.k8s.io", "CustomResourceDefinition");
  release::Desired foo = desired("example.com", "Foo");
  const auto plan_of = [&] {
    release::Plan plan;
    for (const release::Desired* one :
         std::initializer_list<const release::Desired*>{&crd, &map, &foo}) {
      release::Step step;
      step.ref = one->ref;
      step.desired = one;
      plan.push_back(step);
    }
    return plan;
  };
  release::Plan whole = plan_of();
  CHECK(hold_back(whole).empty());
  CHECK(whole.size() == 3);
  foo.serving = release::Serving::kNotYet;
  release::Plan held = plan_of();
  CHECK(hold_back(held) == "Foo.example.com");
  REQUIRE(held.size() == 1);
  CHECK(held[0].ref == crd.ref);
}

}  // namespace
}  // namespace chartwright::op
