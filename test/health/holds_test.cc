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

TEST_CASE("The error of what is stalled stands in another condition") {
  const auto with = [](std::string_view error) {
    const Value list = json(R"([{"type":"Ready","status":"False","message":"the first line"},
                                {"type":"Stalled","status":"True","message":"see another"})" +
                            std::string(error) + "]");
    return told(grave_hold(&list));
  };
  CHECK(with(R"(,{"type":"ReleaseFailed","status":"True","message":"all lines"})") ==
        "Stalled: all lines");
  CHECK(with(R"(,{"type":"ReleaseFailed","status":"False","message":"of before"})") ==
        "Stalled: the first line");
  const Value alone = json(R"([{"type":"Stalled","status":"True","message":"by a stranger"}])");
  CHECK(told(grave_hold(&alone)) == "Stalled: by a stranger");
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
