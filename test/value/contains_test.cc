// SPDX-License-Identifier: Apache-2.0
#include "value/contains.h"

#include <catch2/catch.hpp>

#include "base/check.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::value {
namespace {

using testing::json;

TEST_CASE("An object contains the fields that are wanted of it") {
  const Value observed = json(R"({"id":"1","n":7,"d":{"y":2021,"z":null},"l":[{"a":1,"b":2}]})");
  for (const auto* wanted :
       {"{}", R"({"n":7.0})", R"({"d":{"y":2021}})", R"({"l":[{"a":1}]})", R"({"missing":null})"}) {
    INFO(wanted);
    CHECK(contains(observed, json(wanted)));
  }
  for (const auto* wanted : {R"({"n":8})", R"({"n":"7"})", R"({"d":{"y":2022}})", R"({"l":[]})",
                             R"({"l":{"a":1}})", R"({"missing":1})", R"({"id":{"x":1}})"}) {
    INFO(wanted);
    CHECK_FALSE(contains(observed, json(wanted)));
  }
}

}  // namespace
}  // namespace chartwright::value
