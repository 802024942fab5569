// SPDX-License-Identifier: Apache-2.0
#include "generate/schema_parts.h"

#include <catch2/catch.hpp>
#include <string>

namespace chartwright::generate {
namespace {

int depth_of(const std::string& json) {
  const yaml::DocumentNode root = CW_MUST(yaml::parse_document(json, "s.json"));
  return depth_that_fits(WrittenSchema(root));
}

}  // namespace

TEST_CASE("A schema that is not too large is converted as deep as it is") {
  CHECK(depth_of("{}") == 40);
  CHECK(depth_of(R"({"type":"object","properties":{"a":{"$ref":"#"}}})") == 40);
  CHECK(depth_of(R"({"type":"array","items":{"$ref":"#"}})") == 40);
  CHECK(depth_of(R"({"type":"object","additionalProperties":{"$ref":"#"}})") == 40);
}

TEST_CASE("A schema that is too large is converted to the depth that fits") {
  const std::string twice = R"("a":{"$ref":"#"},"b":{"$ref":"#"})";
  CHECK(depth_of(R"({"type":"object","properties":{)" + twice + "}}") == 10);
  CHECK(depth_of(R"({"allOf":[{"properties":{)" + twice + R"(}}],"type":"object"})") == 10);
  CHECK(depth_of(R"({"type":"object","properties":{)" + twice + R"(,"c":{"$ref":"#"}}})") == 5);
  // No depth makes a flat one smaller.
  std::string flat = R"({"type":"object","properties":{"first":{})";
  for (int i = 0; i < 30'000; ++i) {
    flat += ",\"k" + std::to_string(i) + "\":true";
  }
  CHECK(depth_of(flat + "}}") == 1);
}

}  // namespace chartwright::generate
