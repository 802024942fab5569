// SPDX-License-Identifier: Apache-2.0
#include "resource/cr_state.h"

#include <catch2/catch.hpp>

#include "resource/cr_status.h"
#include "resource/status_signature.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using value::Value;

CrState read(std::string_view status) {
  return state_from_status(
      CW_MUST(value::parse_json(R"({"metadata":{"uid":"u1"},"status":)" + std::string(status) + "}",
                                value::Numbers::kInt64)));
}

TEST_CASE("A revision number that leaves no room for the next ones was not written by us") {
  CHECK(read(R"({"revision": 999999999})").progress.revision() == 999'999'999);
  CHECK(read(R"({"revision": 1000000000})").progress.revision() == 0);
  CHECK(read(R"({"revision": 2147483646})").progress.revision() == 0);
  CHECK(read(R"({"history": [{"revision": 2147483646}]})").history.empty());
}

TEST_CASE("A failed attempt is remembered until it is undone, and after") {
  const bool undone = GENERATE(false, true);
  const DryRun dry_run = GENERATE(DryRun::kPending, DryRun::kRefused, DryRun::kAccepted);
  const FailedAttempt failed{2, "no", dry_run};
  CrState state;
  state.progress = Progress(
      {.revision = 3,
       .pin = undone ? Pin(Undone{"rejected", failed}) : Pin(Undoing{"rejected", failed})});
  const Value status = build_status(state, StatusInput());
  CHECK((status.find_path({"pin", "revision"}) != nullptr) == undone);
  const Progress back = read(CW_MUST(value::to_json(status))).progress;
  CHECK(back.is_undoing() == !undone);
  CHECK(back.pinned_revision() == (undone ? 3 : 0));
  REQUIRE(back.rejected_inputs() != nullptr);
  CHECK(*back.rejected_inputs() == "rejected");
  REQUIRE(back.failed_attempt() != nullptr);
  CHECK(back.failed_attempt()->revision == 2);
  CHECK(back.failed_attempt()->why == "no");
  CHECK(back.failed_attempt()->dry_run == dry_run);
}

TEST_CASE("A failed attempt without a number is not known") {
  CHECK_FALSE(read(R"({"pin": {"revision": 3, "rejectedInputs": "x", "failed": {"undone": 1}}})")
                  .progress.is_pinned());
}

TEST_CASE("A custom resource without a status has done nothing yet") {
  for (std::string_view text : {"null", "[]", "5", "{}"}) {
    INFO(text);
    const CrState state = read(text);
    CHECK(state.uid == "u1");
    CHECK(state.progress.revision() == 0);
    CHECK(state.inventory.empty());
    CHECK(state.history.empty());
    CHECK_FALSE(state.progress.is_pinned());
    CHECK_FALSE(state.progress.failure());
    CHECK(state.progress.inputs().empty());
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

TEST_CASE("The previous revision is the newest before the one in force that has not failed") {
  const auto previous = [](const std::string& history) {
    return previous_revision(read(R"({"revision":4,"history":[)" + history + "]}"));
  };
  CHECK(previous(R"({"revision":5,"status":"failed"},{"revision":4,"status":"deployed"},
                    {"revision":3,"status":"failed"},{"revision":2,"status":"superseded"},
                    {"revision":1,"status":"superseded"})") == 2);
  CHECK(previous(R"({"revision":4,"status":"deployed"})") == std::nullopt);
  CHECK(previous(R"({"revision":4,"status":"deployed"},{"revision":3,"status":"failed"})") ==
        std::nullopt);
  CHECK(previous("") == std::nullopt);
}

TEST_CASE("A state survives the way through the status") {
  CrState state;
  state.uid = "u1";
  state.progress = Progress(
      {.revision = 4, .inputs = "key", .pin = RolledBack{"rejected"}, .handled_rollback = "2"});
  state.notes = "Hello.";
  state.history = {{4, "deployed", "Rollback to 2", "w-0.1.0", "sha256:a", "2026-01-02T03:04:05Z"},
                   {3, "superseded", "Upgrade complete", "w-0.1.0", "sha256:b", "x"}};
  release::InventoryEntry entry;
  entry.desired = "d";
  entry.observed = "o";
  entry.held = "h";
  entry.frozen = "f";
  state.inventory[{{"", "v1", "ConfigMap"}, "shop", "a"}] = entry;

  StatusInput input;
  const Value status = build_status(state, input);
  const CrState back = read(CW_MUST(value::to_json(status)));
  CHECK(back.progress.inputs() == "key");
  CHECK(back.progress.revision() == 4);
  CHECK(back.notes == "Hello.");
  REQUIRE(back.history.size() == 2);
  CHECK(back.history[0].revision == 4);
  CHECK(back.history[0].status == "deployed");
  CHECK(back.history[0].description == "Rollback to 2");
  CHECK(back.history[0].chart == "w-0.1.0");
  CHECK(back.history[0].digest == "sha256:a");
  CHECK(back.history[0].deployed_at == "2026-01-02T03:04:05Z");
  CHECK(back.progress.pinned_revision() == 4);
  REQUIRE(std::holds_alternative<RolledBack>(back.progress.pin()));
  CHECK(*back.progress.rejected_inputs() == "rejected");
  CHECK(back.progress.handled_rollback() == "2");
  CHECK(back.inventory.size() == 1);
  CHECK(back.inventory.begin()->second.held == "h");
  CHECK(back.inventory.begin()->second.frozen == "f");
  // A status built from it is the same again.
  CHECK_FALSE(status_differs(status, build_status(back, input)));
}

// A digest that cannot be verified must not have a Secret taken for changed: its rule may be to
// replace it.
TEST_CASE("Digests of Secrets count in a status that was signed with the same key alone") {
  const auto signer = CW_MUST(base::Signer::make(std::string(64, 'm'), "u1"));
  const auto other = CW_MUST(base::Signer::make(std::string(64, 'n'), "u1"));
  const Value status = CW_MUST(
      signed_status(CW_MUST(value::parse_json(R"({"resources":[{"version":"v1","kind":"Secret",
          "namespace":"shop","name":"s","desired":"hmac-sha256:d","observed":"hmac-sha256:o"}]})",
                                              value::Numbers::kInt64)),
                    signer));
  const auto desired = [&status](const base::Signer* by) {
    const CrState state = state_from_status(
        Value::dict({{"metadata", Value::dict({{"uid", Value::string("u1")},
                                               {"namespace", Value::string("shop")}})},
                     {"status", status}}),
        by);
    REQUIRE(state.inventory.size() == 1);
    return state.inventory.begin()->second.desired;
  };
  CHECK(desired(&signer) == "hmac-sha256:d");
  CHECK(desired(&other).empty());
  CHECK(desired(nullptr).empty());
}

TEST_CASE("A refusal survives too, with a rollback in force and without") {
  Progress::Stored stored{
      .revision = 1,
      .handled_rollback = "9",
      .rollback_refusal = "cannot roll back: revision 9 is not in status.history"};
  SECTION("without") {}
  SECTION("with") { stored.pin = RolledBack{"rejected"}; }
  CrState state;
  state.progress = Progress(stored);
  const Value status = build_status(state, {});
  const CrState back = read(CW_MUST(value::to_json(status)));
  CHECK(back.progress.rollback_refusal() == stored.rollback_refusal);
  CHECK_FALSE(status_differs(status, build_status(back, {})));
}

TEST_CASE("A status that was edited by hand is read as far as it is valid") {
  const CrState state = read(R"({
    "revision": "4", "inputs": 5, "lastHandledRollback": [], "history": [null, {"revision": -3},
    {"revision": 99999999999, "status": 1}], "pin": {"revision": 0, "rejectedInputs": "x"},
    "resources": {"a": 1}, "conditions": {"Deployed": "True"}})");
  CHECK(state.progress.revision() == 0);
  CHECK(state.progress.inputs().empty());
  CHECK(state.progress.handled_rollback().empty());
  CHECK_FALSE(state.progress.is_pinned());
  CHECK(state.inventory.empty());
  for (const HistoryItem& item : state.history) {
    CHECK(item.revision > 0);
  }
  CHECK(read(R"({"history": {}, "conditions": [null, 5, {"type": "Deployed"}]})").history.empty());
  CHECK(read(R"({"revision": -1})").progress.revision() == 0);
  CHECK_FALSE(read(R"({"pin": []})").progress.is_pinned());
}

}  // namespace
}  // namespace chartwright::op
