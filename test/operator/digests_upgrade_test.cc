// SPDX-License-Identifier: Apache-2.0
// Statuses from before their digests had keys: docs/design/006.
#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::check_at_rest;
using testing::check_keyed;
using testing::digest;
using testing::forge;
using testing::get;
using testing::has;
using testing::inputs;
using testing::kStatus;
using testing::make_old;
using testing::Painted;
using testing::patch;
using testing::some_overrides;
using testing::unkeyed_inputs;
using value::Value;

TEST_CASE("A status from before there were keys gets them, and nothing else happens") {
  Painted world(some_overrides());
  make_old(world, {1, 2, 3});
  world.restart();
  world.converge();
  CHECK(world.calls() == Calls{get(3), patch(3), get(2), patch(2), get(1), patch(1), kStatus});
  CHECK(world.revision() == 3);
  CHECK(world.color() == "blue");
  check_keyed(world, {3, 2, 1});
  SECTION("then or later") { check_at_rest(world); }
  SECTION("also if an annotation is wrong at the time") {
    make_old(world, {1, 2, 3});
    world.annotate(kReconcilePeriod, "soon");
    world.restart();
    world.fail();
    check_keyed(world, {3, 2, 1});
  }
  SECTION("and what was recorded before is what drift is repaired to") {
    world.restart();
    world.api.erase(world.config_map("w"));
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(world.revision() == 3);
  }
  SECTION("and what was recorded before can be rolled back to") {
    world.annotate(kRollbackTo, "1");
    world.converge();
    CHECK(world.color() == "red");
    check_keyed(world, {4, 3, 2, 1});
  }
}

TEST_CASE("A rollback from before there were keys stays in force") {
  Painted world(some_overrides());
  world.annotate(kRollbackTo, "1");
  world.converge();
  make_old(world, {1, 2, 3, 4});
  world.restart();
  world.converge();
  CHECK(world.revision() == 4);
  CHECK(world.color() == "red");
  CHECK_THAT(world.condition("RolledBack"), Catch::Matchers::StartsWith("True "));
  const Value status = world.status();
  CHECK(status.string_at({"pin", "rejectedInputs"}) == inputs(world));
  check_keyed(world, {4, 3, 2, 1});
  check_at_rest(world);
}

TEST_CASE("A changed record from before there were keys gets none") {
  Painted world(some_overrides());
  make_old(world, {1, 2, 3});
  SECTION("because it is gone") { world.api.erase(world.secret(1)); }
  SECTION("because it was changed") { forge(world, 1); }
  SECTION("because it has another owner now") {
    Value secret = *world.api.find(world.secret(1));
    secret.find("metadata")->mutable_dict().erase("ownerReferences");
    world.api.put(secret);
  }
  world.restart();
  world.converge();
  CHECK_FALSE(has(world.calls(), patch(1)));
  CHECK(digest(world, 1).empty());
  CHECK(world.revision() == 3);
  check_keyed(world, {3, 2});
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.condition("RolledBack") ==
        "False RollbackRefused: status.history has no digest of revision 1 to tell whether its "
        "record was changed");
  CHECK(world.color() == "blue");
  CHECK_FALSE(world.exists("forged"));
}

TEST_CASE("A record in force from before there were keys that was changed is not believed") {
  Painted world(some_overrides());
  make_old(world, {1, 2, 3});
  forge(world, 3);
  world.restart();
  world.converge();
  CHECK(world.revision() == 3);
  CHECK(digest(world, 3).empty());
  world.spec(R"({"color":"blue","other":1})");
  world.restart();
  world.converge();
  CHECK(world.revision() == 4);
  CHECK_FALSE(world.exists("forged"));
  check_keyed(world, {4, 2, 1});
  check_at_rest(world);
}

TEST_CASE("The way to keys may be interrupted anywhere") {
  Painted world(some_overrides());
  make_old(world, {1, 2, 3});
  world.restart();
  SECTION("by a record that cannot be read") {
    world.api.fail_once(get(2), Error(ErrorCode::kUnavailable, "not now"));
    CHECK(world.fail().retry == runtime::Retry::kBackoff);
  }
  SECTION("by a record that changes meanwhile") {
    world.api.fail_once(patch(2), Error(ErrorCode::kConflict, "changed"));
    CHECK(world.fail().retry == runtime::Retry::kBackoff);
  }
  SECTION("by the end of the process among the records") {
    world.api.once(patch(2), [&world] {
      world.api.fail_always(kStatus, Error(ErrorCode::kCancelled, "stopped"));
      return std::optional(Error(ErrorCode::kCancelled, "stopped"));
    });
    world.fail();
    world.restart();
  }
  SECTION("by the end of the process before the status") {
    world.api.fail_always(kStatus, Error(ErrorCode::kCancelled, "stopped"));
    world.fail();
    world.restart();
  }
  world.api.fail_always(kStatus, std::nullopt);
  world.converge();
  CHECK(world.revision() == 3);
  check_keyed(world, {3, 2, 1});
  check_at_rest(world);
}

TEST_CASE("Inputs from before there were keys do not stay where they were others") {
  Painted world(some_overrides());
  world.annotate(kRollbackTo, "1");
  world.converge();
  make_old(world, {1, 2, 3, 4});
  world.spec(R"({"broken":true})");
  world.restart();
  world.fail();
  CHECK(world.status().find("inputs") == nullptr);
  CHECK(world.status().string_at({"pin", "rejectedInputs"}).empty());
  world.paint("green");
  CHECK(world.revision() == 5);
  CHECK(world.color() == "green");
  check_keyed(world, {5, 4, 3, 2, 1});
}

TEST_CASE("Only as many records are read as are kept, whatever a status claims") {
  Painted world(some_overrides());
  make_old(world, {1, 2, 3});
  world.history_max = 2;
  world.restart();
  world.converge();
  CHECK_FALSE(has(world.calls(), get(1)));
  CHECK(digest(world, 1).empty());
  check_keyed(world, {3, 2});
}

TEST_CASE("After a step back to a version without keys all is keyed again") {
  Painted world(some_overrides(), {"red", "green"});
  // An older version does not recognise these inputs: it renders, and records the result.
  CHECK(inputs(world) != unkeyed_inputs(world));
  world.paint("blue");
  make_old(world, {3});
  world.restart();
  world.converge();
  CHECK(world.calls() == Calls{get(3), patch(3), kStatus});
  CHECK(world.revision() == 3);
  check_keyed(world, {3, 2, 1});
  check_at_rest(world);
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.color() == "red");
}

}  // namespace
}  // namespace chartwright::op
