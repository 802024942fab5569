// SPDX-License-Identifier: Apache-2.0
#include "resource/cr_state.h"

#include <catch2/catch.hpp>

#include "resource/status.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using value::Value;

CrState read(std::string_view status) {
  return state_from_status(
      CW_MUST(value::parse_json(R"({"metadata":{"uid":"u1"},"status":)" + std::string(status) + "}",
                                value::Numbers::kInt64)));
}

TEST_CASE("A failed attempt is remembered until it is undone, and after") {
  const bool undone = GENERATE(false, true);
  const DryRun dry_run = GENERATE(DryRun::kPending, DryRun::kRefused, DryRun::kAccepted);
  CrState state;
  state.pin = Pin{undone ? 3 : 0, "rejected", FailedAttempt{2, "no", dry_run, undone}};
  const std::optional<Pin> back =
      read(CW_MUST(value::to_json(build_status(state, StatusInput())))).pin;
  REQUIRE(back);
  CHECK(back->revision == state.pin->revision);
  CHECK(back->rejected_inputs == "rejected");
  REQUIRE(back->failed);
  CHECK(back->failed->revision == 2);
  CHECK(back->failed->why == "no");
  CHECK(back->failed->dry_run == dry_run);
  CHECK(back->failed->undone == undone);
}

TEST_CASE("A failed attempt without a number is not known") {
  CHECK_FALSE(
      read(R"({"pin": {"revision": 3, "rejectedInputs": "x", "failed": {"undone": 1}}})").pin);
}

TEST_CASE("A custom resource without a status has done nothing yet") {
  for (std::string_view text : {"null", "[]", "5", "{}"}) {
    INFO(text);
    const CrState state = read(text);
    CHECK(state.uid == "u1");
    CHECK(state.revision == 0);
    CHECK(state.inventory.empty());
    CHECK(state.history.empty());
    CHECK_FALSE(state.pin);
    CHECK_FALSE(state.failure);
    CHECK(state.inputs.empty());
  }
}

TEST_CASE("A status that names more revisions than are ever kept is not believed") {
  std::string history;
  for (int i = 2000; i > 0; --i) {
    history += R"({"revision":)" + std::to_string(i) + "}" + (i > 1 ? "," : "");
  }
  const CrState state = read(R"({"revision":2000,"history":[)" + history + "]}");
  REQUIRE(state.history.size() == kHistoryMax);
  CHECK(state.history.front().revision == 2000);
}

TEST_CASE("A state survives the way through the status") {
  CrState state;
  state.uid = "u1";
  state.inputs = "key";
  state.revision = 4;
  state.notes = "Hello.";
  state.history = {{4, "deployed", "Rollback to 2", "w-0.1.0", "sha256:a", "2026-01-02T03:04:05Z"},
                   {3, "superseded", "Upgrade complete", "w-0.1.0", "sha256:b", "x"}};
  state.pin = Pin{4, "rejected"};
  state.handled_rollback = "2";
  release::InventoryEntry entry;
  entry.desired = "d";
  entry.observed = "o";
  entry.held = "h";
  entry.frozen = "f";
  state.inventory[{{"", "v1", "ConfigMap"}, "shop", "a"}] = entry;

  StatusInput input;
  const Value status = build_status(state, input);
  const CrState back = read(CW_MUST(value::to_json(status)));
  CHECK(back.inputs == "key");
  CHECK(back.revision == 4);
  CHECK(back.notes == "Hello.");
  REQUIRE(back.history.size() == 2);
  CHECK(back.history[0].revision == 4);
  CHECK(back.history[0].status == "deployed");
  CHECK(back.history[0].description == "Rollback to 2");
  CHECK(back.history[0].chart == "w-0.1.0");
  CHECK(back.history[0].digest == "sha256:a");
  CHECK(back.history[0].deployed_at == "2026-01-02T03:04:05Z");
  REQUIRE(back.pin);
  CHECK(back.pin->revision == 4);
  CHECK(back.pin->rejected_inputs == "rejected");
  CHECK(back.handled_rollback == "2");
  CHECK(back.inventory.size() == 1);
  CHECK(back.inventory.begin()->second.held == "h");
  CHECK(back.inventory.begin()->second.frozen == "f");
  // A status built from it is the same again.
  CHECK_FALSE(status_differs(status, build_status(back, input)));
}

TEST_CASE("A refusal survives too, with a rollback in force and without") {
  CrState state;
  state.revision = 1;
  state.handled_rollback = "9";
  state.rollback_refusal = "cannot roll back: revision 9 is not in status.history";
  SECTION("without") {}
  SECTION("with") { state.pin = Pin{1, "rejected"}; }
  const Value status = build_status(state, {});
  const CrState back = read(CW_MUST(value::to_json(status)));
  CHECK(back.rollback_refusal == state.rollback_refusal);
  CHECK_FALSE(status_differs(status, build_status(back, {})));
}

TEST_CASE("A status that was edited by hand is read as far as it is valid") {
  const CrState state = read(R"({
    "revision": "4", "inputs": 5, "lastHandledRollback": [], "history": [null, {"revision": -3},
    {"revision": 99999999999, "status": 1}], "pin": {"revision": 0, "rejectedInputs": "x"},
    "resources": {"a": 1}, "conditions": {"Deployed": "True"}})");
  CHECK(state.revision == 0);
  CHECK(state.inputs.empty());
  CHECK(state.handled_rollback.empty());
  CHECK_FALSE(state.pin);
  CHECK(state.inventory.empty());
  for (const HistoryItem& item : state.history) {
    CHECK(item.revision > 0);
  }
  CHECK(read(R"({"history": {}, "conditions": [null, 5, {"type": "Deployed"}]})").history.empty());
  CHECK(read(R"({"revision": -1})").revision == 0);
  CHECK(read(R"({"pin": []})").pin == std::nullopt);
}

}  // namespace
}  // namespace chartwright::op
