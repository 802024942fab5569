// SPDX-License-Identifier: Apache-2.0
#include "health/holds.h"

#include <catch2/catch.hpp>
#include <string>

#include "test/value/json_text.h"

namespace chartwright::health {
namespace {

using value::Value;
using value::testing::json;

std::string told(const std::optional<Hold>& hold) {
  return hold ? std::string(hold->reason) + ": " + std::string(hold->message()) : "none";
}

TEST_CASE("The worst condition holds a resource back") {
  const Value list = json(R"([
      {"type":"UnknownKeys","status":"True","reason":"NotRead","message":"colour"},
      {"type":"Contested","status":"True","reason":"ChangedByOthers","message":"by foo"},
      {"type":"Irreconcilable","status":"True","reason":"ReconcileError","message":"it broke"},
      {"type":"Paused","status":"False","reason":"Paused","message":"was"}])");
  CHECK(told(grave_hold(&list)) == "Irreconcilable: it broke");
  CHECK(told(mild_hold(&list)) == "Contested: by foo");
}

TEST_CASE("The error of a stalled resource stands in the condition that it names") {
  const auto with = [](const std::string& message) {
    const Value list = json(R"([{"type":"Ready","status":"False","message":"the first line"},
        {"type":"ReleaseFailed","status":"True","message":"all lines"},
        {"type":"Stalled","status":"True","message":")" +
                            message + R"("}])");
    return told(grave_hold(&list));
  };
  CHECK(with("see the condition ReleaseFailed") == "Stalled: all lines");
  CHECK(with("see the condition Ready") == "Stalled: the first line");
  CHECK(with("see the condition Nowhere") == "Stalled: see the condition Nowhere");
  CHECK(with("the words of an earlier version") == "Stalled: the words of an earlier version");
}

TEST_CASE("The condition with the whole text of an error") {
  const auto found = [](std::string_view conditions) {
    const Value list = json(conditions);
    const Value* error = error_condition(&list);
    return error == nullptr ? "none" : std::string(error->string_at({"type"}));
  };
  const std::string ready = R"({"type":"Ready","status":"False"})";
  CHECK(found("[" + ready + R"(,{"type":"ReleaseFailed","status":"True"}])") == "ReleaseFailed");
  CHECK(found("[" + ready + R"(,{"type":"ReleaseFailed","status":"False"}])") == "Ready");
  CHECK(found(R"([{"type":"Ready","status":"True"},{"type":"Irreconcilable","status":"True"}])") ==
        "Irreconcilable");
  CHECK(found(R"([{"type":"Ready","status":"True"}])") == "none");
  CHECK(error_condition(nullptr) == nullptr);
}

TEST_CASE("A refused rollback holds by its reason") {
  const Value list = json(R"([
      {"type":"RolledBack","status":"False","reason":"RollbackRefused","message":"no revision 7"}])");
  CHECK(told(mild_hold(&list)) == "RollbackRefused: no revision 7");
  CHECK(told(grave_hold(&list)) == "none");
}

TEST_CASE("Nothing holds without a list, and by conditions of others") {
  const Value list = json(R"([1,{"type":"Odd","status":"True"},{"status":"True"}])");
  CHECK(told(grave_hold(&list)) == "none");
  CHECK(told(mild_hold(&list)) == "none");
  CHECK(told(mild_hold(nullptr)) == "none");
}

}  // namespace
}  // namespace chartwright::health
