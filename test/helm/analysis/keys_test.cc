// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/keys.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "test/value/json_text.h"

namespace chartwright::helm::analysis {
namespace {

/// Counts the keys at all levels.
size_t count(const Keys& keys) {
  size_t total = keys.below.size();
  for (const auto& [name, inner] : keys.below) {
    total += count(inner);
  }
  return total;
}

/// Returns so many properties with that schema.
std::string properties(int number, const std::string& schema) {
  std::string text;
  for (int i = 0; i < number; ++i) {
    text += (i == 0 ? "" : ",") + std::string("\"k") + std::to_string(i) + "\":" + schema;
  }
  return "{" + text + "}";
}

Keys keys_of(const std::string& schema) {
  Keys keys;
  keys.add_schema(value::testing::json(schema));
  return keys;
}

TEST_CASE("The keys of a schema are those of all the schemas in force with it") {
  const Keys keys = keys_of(R"({"definitions": {"image": {"properties": {"tag": true}}},
    "properties": {"image": {"$ref": "#/definitions/image"}},
    "allOf": [{"properties": {"replicas": {"type": "integer"}}}]})");
  CHECK(keys.below.size() == 2);
  CHECK(keys.below.contains("replicas"));
  const Keys& image = keys.below.at("image");
  CHECK(image.below.contains("tag"));
  CHECK_FALSE(image.open);
}

TEST_CASE("A table that many properties refer to is unfolded up to a limit, and open beyond it") {
  const Keys keys =
      keys_of(R"({"properties": )" + properties(2000, R"({"$ref": "#/definitions/many"})") +
              R"(, "definitions": {"many": {"properties": )" + properties(2000, "true") + "}}}");
  CHECK(keys.below.size() == 2000);
  CHECK(count(keys) < 110'000);
  CHECK(std::any_of(keys.below.begin(), keys.below.end(),
                    [](const auto& one) { return one.second.open; }));
}

TEST_CASE("A long chain of branches is followed to its end") {
  constexpr int kLong = 10'000;
  std::string chain = "\"d" + std::to_string(kLong) + R"(": {"properties": {"last": true}})";
  for (int i = 0; i < kLong; ++i) {
    chain += ",\"d" + std::to_string(i) + R"(": {"anyOf": [{"$ref": "#/$defs/d)" +
             std::to_string(i + 1) + "\"}]}";
  }
  const Keys keys = keys_of(R"({"$ref": "#/$defs/d0", "$defs": {)" + chain + "}}");
  CHECK(keys.below.contains("last"));
}

}  // namespace
}  // namespace chartwright::helm::analysis
