// SPDX-License-Identifier: Apache-2.0
#include "report/summary.h"

#include <catch2/catch.hpp>

#include "report/table.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using value::Value;

/// Returns a custom resource with these conditions: "Ready=True/Ready: all children are ready".
Value shop(const std::vector<std::string>& conditions, int64_t seen = 3) {
  std::vector<Value> items;
  for (const std::string& text : conditions) {
    const size_t equals = text.find('=');
    const size_t slash = text.find('/');
    const size_t colon = text.find(": ");
    items.push_back(
        Value::dict({{"type", Value::string(text.substr(0, equals))},
                     {"status", Value::string(text.substr(equals + 1, slash - equals - 1))},
                     {"reason", Value::string(text.substr(slash + 1, colon - slash - 1))},
                     {"message", Value::string(text.substr(colon + 2))},
                     {"lastTransitionTime", Value::string("2026-11-29T12:00:00Z")}}));
  }
  Value cr = *value::parse_json(
      R"({"apiVersion":"example.com/v1","kind":"Shop",
          "metadata":{"name":"one","namespace":"team","generation":3,
                      "creationTimestamp":"2026-11-28T12:00:00Z"},
          "status":{"revision":7,
                    "history":[{"revision":7,"chart":"shop-1.2.0"},{"revision":6,"chart":"old"}]}})",
      value::Numbers::kInt64);
  Value& status = cr.mutable_dict().at_or_insert("status");
  status.mutable_dict().set("observedGeneration", Value::integer(seen));
  status.mutable_dict().set("conditions", Value::list(std::move(items)));
  return cr;
}

std::string problem(const Value& cr) {
  const auto found = summary_of(cr).problem;
  return found ? found->reason + ": " + found->message : "";
}

const std::string kReady = "Ready=True/Ready: all children are ready";

}  // namespace

TEST_CASE("A summary has the revision in force and its chart") {
  const Summary summary = summary_of(shop({kReady}));
  CHECK(summary.ref.to_string() == "Shop.example.com team/one");
  CHECK(summary.ready == "True");
  CHECK(summary.revision == 7);
  CHECK(summary.chart == "shop-1.2.0");
  CHECK(summary.created == "2026-11-28T12:00:00Z");
  CHECK_FALSE(summary.problem);
}

TEST_CASE("The worst problem is told") {
  const std::string failed = "Ready=False/ChildFailed: Deployment.apps team/web: stalled";
  const std::string stalled = "Stalled=True/UpgradeError: the API server refuses it";
  const std::string paused = "Paused=True/PauseRequested: maintenance";
  const std::string unknown = "UnknownKeys=True/UnreadKeys: spec.colour";
  const std::string rolled_back = "RolledBack=True/RollbackRequested: revision 6 stays in force";
  CHECK(problem(shop({paused, stalled, failed})) == "Paused: maintenance");
  CHECK(problem(shop({unknown, stalled, failed})) == "Stalled: the API server refuses it");
  CHECK(problem(shop({unknown, rolled_back, failed})) ==
        "ChildFailed: Deployment.apps team/web: stalled");
  CHECK(problem(shop({kReady, unknown, rolled_back})) == "RolledBack: revision 6 stays in force");
  CHECK(problem(shop({kReady, unknown})) == "UnknownKeys: spec.colour");
}

TEST_CASE("A rollback that is refused is a problem, and no rollback in force") {
  const Summary summary =
      summary_of(shop({kReady, "RolledBack=False/RollbackRefused: there is no revision 99"}));
  REQUIRE(summary.problem);
  CHECK(summary.problem->reason == "RollbackRefused");
  CHECK_FALSE(summary.pinned);
}

TEST_CASE("A condition that is there and False is not a problem") {
  CHECK(problem(shop({kReady, "Stalled=False/Fine: nothing"})).empty());
}

TEST_CASE("A spec that no operator has seen is a problem, unless a worse one explains it") {
  CHECK(problem(shop({kReady}, 2)) == "NotReconciled: no operator has looked at the new spec");
  CHECK(problem(shop({kReady, "Paused=True/PauseRequested: maintenance"}, 2)) ==
        "Paused: maintenance");
  Value fresh = shop({});
  fresh.mutable_dict().erase("status");
  CHECK(problem(fresh) == "NotReconciled: no operator has looked at it");
  CHECK(summary_of(fresh).ready.empty());
}

TEST_CASE("A text of a status cannot control the terminal") {
  const Summary summary = summary_of(shop({"Ready=False/\x1b[2J: a\nb\x07\xE2\x80\x8B"}));
  REQUIRE(summary.problem);
  CHECK(summary.problem->reason.find('\x1b') == std::string::npos);
  CHECK(summary.problem->message == "a\nb\\u0007\\u200b");
}

TEST_CASE("A message beyond the limit of a condition is cut") {
  const Summary summary = summary_of(shop({"Ready=False/Odd: " + std::string(1 << 20, 'x')}));
  REQUIRE(summary.problem);
  CHECK(summary.problem->message.size() <= kMessageBytesMax);
  CHECK(summary.problem->message.starts_with("xxxx"));
}

TEST_CASE("A custom resource of any shape has a summary") {
  for (const char* text : {"null", "[]", "7", R"({"status":[]})", R"({"status":{"conditions":{}}})",
                           R"({"metadata":7,"status":{"revision":"x","history":[7,null]}})",
                           R"({"status":{"conditions":[null,7,{"type":"Ready","status":3}]}})"}) {
    CAPTURE(text);
    const Summary summary =
        summary_of(value::parse_json(text, value::Numbers::kInt64).value_or(Value()));
    CHECK(summary.revision == 0);
    CHECK(summary.problem);
  }
}

TEST_CASE("As JSON, a summary has its problem only if there is one") {
  CHECK(to_value(summary_of(shop({kReady}))).find("problem") == nullptr);
  const Value value = to_value(summary_of(shop({"Ready=False/ChildFailed: web"})));
  CHECK(value.string_at({"problem", "reason"}) == "ChildFailed");
  CHECK(value.string_at({"problem", "since"}) == "2026-11-29T12:00:00Z");
}

TEST_CASE("An object is named as by kubectl") {
  CHECK(name_text({{"example.com", "v1", "Shop"}, "team", "one"}) == "shop.example.com/one");
  CHECK(name_text({{"", "v1", "Pod"}, "team", "one"}) == "pod/one");
}

}  // namespace chartwright::cmd
