// SPDX-License-Identifier: Apache-2.0
#include "bundle/override_values.h"

#include <catch2/catch.hpp>
#include <vector>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::bundle {
namespace {

using value::testing::json;

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("Maps of overrides are merged over those of the values, lists replace them") {
  const Pairs overrides = {{"a.b", "over"}, {"list[0].x", "over"}, {"scalar.now", "a map"}};
  const auto merged = CW_MUST(with_overrides(
      json(R"({"a":{"b":"spec","c":null},"list":[{"y":1},2],"scalar":5,"d":"spec"})"), overrides));
  CHECK(CW_MUST(value::to_json(merged)) ==
        R"({"a":{"b":"over","c":null},"d":"spec","list":[{"x":"over"}],"scalar":{"now":"a map"}})");
}

TEST_CASE("A later override adds to the list of an earlier one") {
  const Pairs overrides = {{"list[0]", "a"}, {"list[1]", "b"}};
  CHECK(CW_MUST(value::to_json(CW_MUST(with_overrides(json("{}"), overrides)))) ==
        R"({"list":["a","b"]})");
}

TEST_CASE("An override that --set could not read names its path") {
  const auto refused = with_overrides(json("{}"), Pairs{{"a[", "1"}});
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message(),
             Catch::Matchers::StartsWith("failed to parse override value a[: "));
}

}  // namespace
}  // namespace chartwright::bundle
