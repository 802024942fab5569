// SPDX-License-Identifier: Apache-2.0
#include "model/fields.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::model {
namespace {

using value::testing::json;

TEST_CASE("A label selector that cannot be read is refused, and selects nothing") {
  const kube::Selection bad{"", "a in (", ""};
  const auto checked = check_selection(bad);
  REQUIRE_FALSE(checked.ok());
  CHECK(checked.error().http_status() == 400);
  CHECK_FALSE(selects(bad, json(R"({"metadata":{"labels":{"a":"1"}}})")));
  CHECK(check_selection({"", "a in (1,2),b", ""}).ok());
}

TEST_CASE("A JSON patch replaces values, and other operations are refused") {
  const auto live = json(R"({"a":{"b":1}})");
  const auto changed =
      CW_MUST(replaced(live, json(R"([{"op":"replace","path":"/a/b","value":2}])")));
  CHECK(changed.find_path({"a", "b"})->as_int() == 2);
  CHECK(live.find_path({"a", "b"})->as_int() == 1);
  for (const char* const patch :
       {R"({})", R"([{"op":"remove","path":"/a"}])", R"([{"op":"replace","value":1}])",
        R"([{"op":"replace","path":"/a/b"}])", R"([{"op":"replace","path":"/a/b/c","value":1}])"}) {
    const auto refused = replaced(live, json(patch));
    INFO(patch);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().http_status() == 422);
  }
}

}  // namespace
}  // namespace chartwright::model
