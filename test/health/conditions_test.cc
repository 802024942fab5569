// SPDX-License-Identifier: Apache-2.0
#include "health/conditions.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::health {
namespace {

using value::Value;
using value::testing::json;

TEST_CASE("A condition is found by its type") {
  const Value list = json(R"([1,{"type":"Ready","status":"True"},{"type":"Stalled"}])");
  REQUIRE(find_condition(&list, "Ready") != nullptr);
  CHECK(find_condition(&list, "Ready")->string_at({"status"}) == "True");
  CHECK(find_condition(&list, "Absent") == nullptr);
}

TEST_CASE("Where there is no list, there is no condition") {
  const Value text = json(R"("Ready")");
  CHECK(find_condition(&text, "Ready") == nullptr);
  CHECK(find_condition(nullptr, "Ready") == nullptr);
}

}  // namespace
}  // namespace chartwright::health
