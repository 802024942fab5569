// SPDX-License-Identifier: Apache-2.0
// Digests in the status must not help to guess a secret:
// docs/design/006, case by case.
#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::check_at_rest;
using testing::check_keyed;
using testing::create;
using testing::digest;
using testing::forge;
using testing::get;
using testing::has;
using testing::inputs;
using testing::json;
using testing::kApply;
using testing::kSecret;
using testing::kStatus;
using testing::Painted;
using testing::patch;
using testing::put_record;
using testing::record;
using testing::remove_key;
using testing::some_overrides;
using testing::World;
using value::Value;

TEST_CASE("No digest in a status can be tested with guesses") {
  Painted world(some_overrides());
  check_keyed(world, {3, 2, 1});
  world.annotate(kRollbackTo, "1");
  world.converge();
  check_keyed(world, {4, 3, 2, 1});
  const Value status = world.status();
  CHECK(status.string_at({"pin", "rejectedInputs"}) == inputs(world));
  CHECK(digest(world, 4) == digest(world, 1));
}

TEST_CASE("Each custom resource has a key, which all of its records have") {
  Painted one;
  Painted other;
  CHECK(record(one, 1).key == record(one, 3).key);
  CHECK(record(one, 1).key != record(other, 1).key);
}

TEST_CASE("The key of a first install goes with its record") {
  World world;
  world.watch.override_values = some_overrides();
  world.spec("{}");
  world.converge();
  std::vector<std::string> secrets;
  for (const std::string& call : world.calls()) {
    if (call.find("Secret") != std::string::npos) {
      secrets.push_back(call);
    }
  }
  CHECK(secrets == Calls{create(1)});
  check_keyed(world, {1});
}

TEST_CASE("A process that ends between record and status leaves a record for the next one") {
  World world;
  world.watch.override_values = some_overrides();
  world.spec("{}");
  const auto end_after = [&world](int revision) {
    world.api.once(create(revision), [&world] {
      world.api.fail_always(kStatus, Error(ErrorCode::kCancelled, "stopped"));
      return std::optional<Error>();
    });
    world.fail();
    world.api.fail_always(kStatus, std::nullopt);
    world.restart();
    world.converge();
    CHECK(world.revision() == revision);
    CHECK(world.api.count("Secret") == static_cast<size_t>(revision));
  };
  end_after(1);
  CHECK_FALSE(has(world.calls(), patch(1)));  // The record is taken over with its key.
  check_keyed(world, {1});
  check_at_rest(world);

  world.spec(R"({"color":"blue"})");
  end_after(2);
  // The key was read from the record in force, so it is the same.
  CHECK_FALSE(has(world.calls(), patch(2)));
  check_keyed(world, {2, 1});
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(world.color() == "blue");
}

TEST_CASE("A new process with overrides reads the key once, and nothing else") {
  Painted world(kSecret);
  world.restart();
  // An unknown key is not a reason to render.
  world.api.fail_once(get(3), Error(ErrorCode::kUnavailable, "not now"));
  CHECK(world.fail().retry == runtime::Retry::kBackoff);
  CHECK(world.condition("Reconciling").starts_with("True ProgressingWithRetry: "));
  CHECK(world.error() == "read the key of digests: not now");
  CHECK(world.revision() == 3);
  world.converge();
  CHECK(world.calls() == Calls{get(3), kStatus});
  check_at_rest(world);
  CHECK(world.revision() == 3);
}

TEST_CASE("A render after a restart reads the key, to see whether it changed anything") {
  Painted world({}, {"red"});
  const std::string key = record(world, 1).key;
  world.restart();
  SECTION("it did not") {
    world.spec("{}");
    world.converge();
    CHECK(world.calls() == Calls{get(1), kStatus});
    CHECK(world.revision() == 1);
  }
  SECTION("it did: the next record takes the key on") {
    world.paint("blue");
    CHECK(world.calls() == Calls{get(1), get(1), kApply, get(1), create(2), patch(1), kStatus});
    CHECK(record(world, 1).key == key);
    CHECK(record(world, 2).key == key);
  }
}

TEST_CASE("The newest records suffice once older ones are gone") {
  World world;
  world.history_max = 2;
  world.watch.override_values = kSecret;
  for (const std::string color : {"a", "b", "c", "d"}) {
    world.spec(R"({"color":")" + color + R"("})");
    world.converge();
  }
  check_keyed(world, {4, 3});
  check_at_rest(world);
  world.annotate(kRollbackTo, "previous");
  world.converge();
  CHECK(world.color() == "c");
}

TEST_CASE("A record in force that is deleted or changed is replaced") {
  Painted world(some_overrides());
  const std::string key = record(world, 3).key;
  release::Revision changed = record(world, 3);
  SECTION("deleted") { world.api.erase(world.secret(3)); }
  SECTION("its manifest rewritten") { forge(world, 3); }
  SECTION("its key removed") { remove_key(world, 3); }
  SECTION("its key replaced by one that is known") {
    changed.key = std::string(release::kKeyBytes, 'x');
    put_record(world, changed);
  }
  SECTION("no record any more") {
    Value secret = *world.api.find(world.secret(3));
    secret.find("data")->mutable_dict().set("release", Value::string("?"));
    world.api.put(secret);
  }
  world.restart();
  world.converge();
  if (world.watch.override_values.empty()) {
    // There was no request.
    CHECK(world.calls().empty());
    world.spec(R"({"color":"blue","other":1})");
    world.converge();
  }
  // Rendered as before, and recorded.
  CHECK(world.revision() == 4);
  CHECK(world.color() == "blue");
  CHECK_FALSE(world.exists("forged"));
  CHECK(record(world, 4).key != key);
  CHECK(record(world, 4).key != changed.key);
  check_keyed(world, {4, 2, 1});
  check_at_rest(world);
  // Repairs have a record again, and older records have their own key.
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(world.color() == "blue");
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.color() == "red");
}

TEST_CASE("A changed record is not rolled back to") {
  Painted world(some_overrides());
  release::Revision changed = record(world, 1);
  SECTION("its manifest rewritten") { forge(world, 1); }
  SECTION("its manifest and its key") {
    forge(world, 1);
    changed = record(world, 1);
    changed.key = std::string(release::kKeyBytes, 'x');
    put_record(world, changed);
  }
  SECTION("its key removed") { remove_key(world, 1); }
  SECTION("its key of another length") {
    changed.key = "x";
    put_record(world, changed);
  }
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK_THAT(world.condition("RolledBack"),
             Catch::Matchers::Contains("RollbackRefused: the record of revision 1 has no valid "));
  CHECK(world.color() == "blue");
  CHECK_FALSE(world.exists("forged"));
}

TEST_CASE("A rollback to a record that is gone holds up nothing else") {
  Painted world;
  world.api.erase(world.secret(1));
  world.annotate(kRollbackTo, "1");
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK_THAT(world.condition("RolledBack"), Catch::Matchers::StartsWith("False RollbackRefused: "));
  CHECK(world.color() == "blue");
  world.restart();
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(world.color() == "blue");
  world.paint("white");
  CHECK(world.color() == "white");
  world.annotate(kRollbackTo, "2");
  world.converge();
  CHECK(world.color() == "green");
}

TEST_CASE("A rollback stays in force over a restart, for one request where there are overrides") {
  Painted world(some_overrides());
  world.annotate(kRollbackTo, "1");
  world.converge();
  check_at_rest(world);
  CHECK(world.color() == "red");
  CHECK(world.revision() == 4);
  if (!world.watch.override_values.empty()) {
    world.watch.override_values = {{"extra", "changed"}};
    world.restart();
    world.converge();
    CHECK(world.color() == "blue");  // The user changed the spec.
    CHECK(world.condition("RolledBack") == "absent");
  }
}

TEST_CASE("Overrides that come and go change what the status says of inputs") {
  Painted world({}, {"red"});
  world.watch.override_values = {{"color", "red"}};
  world.restart();
  world.converge();
  CHECK(world.revision() == 1);
  check_keyed(world, {1});
  check_at_rest(world);
  world.watch.override_values.clear();
  world.restart();
  world.converge();
  CHECK(world.revision() == 1);
  check_keyed(world, {1});
  check_at_rest(world);
}

TEST_CASE("A release of helm-operator is treated as a first install") {
  World world;
  world.watch.override_values = some_overrides();
  Value object = world.cr();
  object.mutable_dict().set("status", json(R"({"deployedRelease":{"name":"w","manifest":"m"},
    "conditions":[{"type":"Deployed","status":"True","reason":"InstallSuccessful"}]})"));
  object.mutable_dict().set("spec", Value::dict());
  world.api.put(object);
  release::Revision theirs;
  theirs.number = 1;
  theirs.manifest = "m";
  put_record(world, theirs);
  Value secret = *world.api.find(world.secret(1));
  secret.find("metadata")->mutable_dict().erase("ownerReferences");
  const std::string before = CW_MUST(value::to_json(world.api.put(secret)));
  world.converge();
  CHECK(world.revision() == 2);
  check_keyed(world, {2});
  CHECK(CW_MUST(value::to_json(*world.api.find(world.secret(1)))) == before);
}

}  // namespace
}  // namespace chartwright::op
