// SPDX-License-Identifier: Apache-2.0
#include "fields/exclusions.h"

#include <catch2/catch.hpp>

#include "test/release/apply_world.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using testing::json;
using value::Value;
using World = testing::ApplyWorld;

const kube::ObjectRef kBudget = {{"policy", "v1", "PodDisruptionBudget"}, "shop", "a"};
const std::string kTry = "dry-patch PodDisruptionBudget.policy shop/a";
const std::string kApplyBudget = "apply PodDisruptionBudget.policy shop/a";
const std::string kGetBudget = "get PodDisruptionBudget.policy shop/a";
const std::string kTakeOver = "patch PodDisruptionBudget.policy shop/a";

const Error kRefusal =
    Error(ErrorCode::kInvalid, "minAvailable and maxUnavailable cannot be both set")
        .with_http(422, "Invalid")
        .with_causes({{"FieldValueInvalid", "cannot be both set", "spec"}});

/// A chart's budget of which somebody has set other members, and whose repair is refused.
struct Refused : World {
  Refused() {
    want(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"a"},
             "spec":{"minAvailable":1}})");
    CHECK(run().ok());
    Value live = value::deep_copy(*api.find(kBudget));
    const Value& spec = *live.find("spec");
    spec.mutable_dict().set("minAvailable", Value::integer(9));
    spec.mutable_dict().set("maxUnavailable", Value::integer(2));
    spec.mutable_dict().set("unhealthyPodEvictionPolicy", Value::string("AlwaysAllow"));
    std::vector<Value> entries = live.find_path({"metadata", "managedFields"})->as_list().items;
    entries.push_back(
        json(R"({"manager":"kubectl-edit","operation":"Update","apiVersion":"policy/v1",
      "fieldsV1":{"f:spec":{"f:maxUnavailable":{},"f:unhealthyPodEvictionPolicy":{}}}})"));
    live.find("metadata")->mutable_dict().set("managedFields", Value::list(std::move(entries)));
    api.put(live);
    api.fail_once(kApplyBudget, kRefusal);
  }
  Value spec() { return *api.find(kBudget)->find("spec"); }
};

TEST_CASE("A member that excludes ours is taken over and removed, and no other") {
  Refused world;
  // Without both it is valid; with maxUnavailable alone it is not.
  world.api.once(kTry, [] { return std::nullopt; });
  world.api.fail_once(kTry, kRefusal);
  CHECK(world.run().ok());
  CHECK(world.api.whats() == std::vector<std::string>{kApplyBudget, kGetBudget, kTry, kTry, kTry,
                                                      kTakeOver, kApplyBudget});
  CHECK(CW_MUST(value::to_json(world.spec())) ==
        R"({"minAvailable":1,"unhealthyPodEvictionPolicy":"AlwaysAllow"})");
  CHECK(world.lines.back().find("spec.maxUnavailable (set by kubectl-edit)") == std::string::npos);
  const bool named = std::ranges::any_of(world.lines, [](const std::string& line) {
    return line.find("spec.maxUnavailable (set by kubectl-edit)") != std::string::npos;
  });
  CHECK(named);
}

// As where an upgrade follows the install at once.
TEST_CASE("A member that excludes ours is removed from an object that the caches lack") {
  Refused world;
  world.blind = true;
  world.api.disarm();
  world.api.once(kApplyBudget, [] { return std::nullopt; });
  world.api.fail_once(kApplyBudget, kRefusal);
  world.api.once(kTry, [] { return std::nullopt; });
  world.api.fail_once(kTry, kRefusal);
  CHECK(world.run().ok());
  CHECK(world.api.whats() == std::vector<std::string>{kApplyBudget, kGetBudget, kApplyBudget,
                                                      kGetBudget, kTry, kTry, kTry, kTakeOver,
                                                      kApplyBudget});
  CHECK(CW_MUST(value::to_json(world.spec())) ==
        R"({"minAvailable":1,"unhealthyPodEvictionPolicy":"AlwaysAllow"})");
}

// As where the refusal is about a struct in it, which takes its desired form in each trial.
TEST_CASE("A member that stands beside what excludes ours stays") {
  Refused world;
  CHECK(world.only_error().code() == ErrorCode::kInvalid);
  CHECK(world.api.whats() == std::vector<std::string>{kApplyBudget, kGetBudget, kTry, kTry, kTry});
  CHECK(world.spec().find("maxUnavailable") != nullptr);
  CHECK(world.spec().find("unhealthyPodEvictionPolicy") != nullptr);
}

/// Adds members of others to what is refused: more than can be tried one by one.
void crowd(Refused& world) {
  Value live = value::deep_copy(*world.api.find(kBudget));
  for (int i = 0; i < 200; ++i) {
    live.find("spec")->mutable_dict().set("other" + std::to_string(i), Value::integer(i));
  }
  world.api.put(live);
}

TEST_CASE("Of many members of others, only the one that excludes ours is removed") {
  Refused world;
  crowd(world);
  for (int i = 0; i < 48; ++i) {
    world.api.once(kTry, [&world] {
      const Value body = world.api.last(kTry).body;
      const Value* patched = body.as_list().items[0].find("value");
      return patched->find("maxUnavailable") == nullptr ? std::nullopt : std::optional(kRefusal);
    });
  }
  CHECK(world.run().ok());
  const Value spec = world.spec();
  CHECK(spec.find("maxUnavailable") == nullptr);
  CHECK(spec.as_dict().size() == 202);
}

TEST_CASE("Members of others that could not all be tried stay") {
  Refused world;
  crowd(world);
  world.api.once(kTry, [&world] {
    world.api.fail_always(kTry, kRefusal);  // Each of them seems to exclude ours.
    return std::nullopt;
  });
  CHECK(world.only_error().code() == ErrorCode::kInvalid);
  CHECK(world.spec().as_dict().size() == 203);
}

TEST_CASE("A refusal that has another reason changes nothing") {
  Refused world;
  world.api.fail_once(kTry, kRefusal);
  CHECK(world.only_error().code() == ErrorCode::kInvalid);
  CHECK(world.api.whats() == std::vector<std::string>{kApplyBudget, kGetBudget, kTry});
  CHECK(world.spec().find("maxUnavailable") != nullptr);
}

// A refusal is looked at again only after minutes, an answer that did not come at once.
TEST_CASE("A trial without an answer is not a refusal") {
  Refused world;
  const auto code = GENERATE(ErrorCode::kUnavailable, ErrorCode::kTimeout, ErrorCode::kConflict,
                             ErrorCode::kTooManyRequests, ErrorCode::kUnauthorized);
  const bool is_first = GENERATE(true, false);
  if (!is_first) {
    world.api.once(kTry, [] { return std::nullopt; });
  }
  world.api.fail_once(kTry, Error(code, "no answer"));
  CHECK(world.only_error().code() == code);
  CHECK(world.api.whats().back() == kTry);
  CHECK(world.spec().find("maxUnavailable") != nullptr);
}

TEST_CASE("An object that is deleted during the trials is made again soon") {
  Refused world;
  world.api.once(kTry, [&world] {
    world.api.erase(kBudget);
    return std::nullopt;
  });
  CHECK(world.only_error().code() == ErrorCode::kConflict);
}

TEST_CASE("An object that was replaced meanwhile is left alone") {
  Refused world;
  world.api.once(kGetBudget, [&world] {
    world.api.erase(kBudget);
    world.api.put(json(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget",
                           "metadata":{"name":"a","namespace":"shop"},"spec":{}})"));
    return std::nullopt;
  });
  CHECK(world.only_error().code() == ErrorCode::kConflict);
  CHECK(world.api.whats() == std::vector<std::string>{kApplyBudget, kGetBudget});
}

TEST_CASE("A rehearsal finds what excludes ours, and changes nothing") {
  Refused world;
  world.api.fail_once("dry-" + kApplyBudget, kRefusal);
  world.api.once(kTry, [] { return std::nullopt; });
  world.api.fail_once(kTry, kRefusal);
  const Plan steps = world.plan();
  world.api.forget_calls();
  CHECK(Executor(world.api, world.call, world.owner, {}, world.log)
            .rehearse(steps, world.inventory, Foresight::kAll)
            .ok());
  for (const std::string& what : world.api.whats()) {
    CHECK((what.starts_with("dry-") || what.starts_with("get ")));
  }
  CHECK(world.spec().find("maxUnavailable") != nullptr);
}

}  // namespace
}  // namespace chartwright::release
