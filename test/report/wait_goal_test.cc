// SPDX-License-Identifier: Apache-2.0
#include "report/wait_goal.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::cmd {
namespace {

using value::Value;
using State = WaitVerdict::State;

struct Shop {
  std::string ready = "True";
  int seen = 3;
  int revision = 4;
  std::string more;  ///< More metadata.
};

Value cr_of(const Shop& shop) {
  return *value::parse_json(
      R"({"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"one","namespace":"team",
          "uid":"u-1","generation":3)" +
          shop.more + R"(},"status":{"observedGeneration":)" + std::to_string(shop.seen) +
          R"(,"revision":)" + std::to_string(shop.revision) +
          R"(,"conditions":[{"type":"Ready","status":")" + shop.ready +
          R"(","reason":"ChildFailed","message":"web:\nfailed"}]}})",
      value::Numbers::kInt64);
}

/// Returns "Reached is ready", "NotYet ...", "Never ...".
std::string verdict(const Shop& shop, const std::string& goal, const std::string& uid = "u-1") {
  const WaitVerdict found = judge(cr_of(shop), *parse_goal(goal), uid);
  constexpr std::array<std::string_view, 3> kStates = {"Reached", "NotYet", "Never"};
  return std::string(kStates[static_cast<size_t>(found.state)]) + " " + found.says;
}

}  // namespace

TEST_CASE("A goal is ready, a revision, or the end") {
  CHECK(parse_goal("ready")->kind == WaitGoal::Kind::kReady);
  CHECK(parse_goal("deleted")->kind == WaitGoal::Kind::kDeleted);
  CHECK(parse_goal("revision=12")->revision == 12);
  for (const char* text : {"", "Ready", "revision", "revision=", "revision=0", "revision=-1",
                           "revision=x", "revision=99999999999999999999"}) {
    CHECK_FALSE(parse_goal(text).ok());
  }
  CHECK(parse_goal("done").error().message() ==
        "--for: \"done\" is not ready, revision=NUMBER or deleted");
}

TEST_CASE("A custom resource is ready once its operator says so of the last change") {
  CHECK(verdict({}, "ready") == "Reached is ready, in revision 4");
  CHECK(verdict({.ready = "False"}, "ready") == "NotYet is not ready: ChildFailed: web:\\nfailed");
  CHECK(verdict({.seen = 2}, "ready") ==
        "NotYet is not ready: NotReconciled: no operator has looked at the new spec");
  CHECK(verdict({.more = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"}, "ready") ==
        "NotYet is not ready: Terminating");
}

TEST_CASE("A revision is waited for until a later one is in force") {
  CHECK(verdict({}, "revision=4") == "Reached has revision 4 in force");
  CHECK(verdict({.ready = "False"}, "revision=5") ==
        "NotYet has revision 4 in force: ChildFailed: web:\\nfailed");
  CHECK(verdict({.revision = 0}, "revision=1") == "NotYet has no revision in force");
  CHECK(verdict({}, "revision=3") == "Never has revision 4 in force, which comes after revision 3");
}

TEST_CASE("One that is created anew is another custom resource") {
  CHECK(verdict({}, "deleted") == "NotYet is not being deleted");
  CHECK(verdict({.more = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"}, "deleted") ==
        "NotYet is being deleted");
  CHECK(verdict({}, "deleted", "u-0") == "Reached is deleted, and another one is in its place");
  CHECK(verdict({}, "ready", "u-0") == "Never was deleted, and another one is in its place");
}

TEST_CASE("A custom resource of any shape is not ready") {
  for (const char* json : {"{}", "7", R"({"status":{"conditions":7}})"}) {
    const Value cr = *value::parse_json(json, value::Numbers::kInt64);
    CHECK(judge(cr, {}, "").state == State::kNotYet);
    CHECK(judge(cr, {WaitGoal::Kind::kRevision, 1}, "").state == State::kNotYet);
  }
}

}  // namespace chartwright::cmd
