// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/local_reference.h"

#include <catch2/catch.hpp>

#include "value/json.h"

using chartwright::helm::follow_references;
using chartwright::value::Numbers;
using chartwright::value::parse_json;
using chartwright::value::Value;

namespace {

/// A document with a reference of each kind; the member "text" is what some lead to.
Value document() {
  const auto parsed = parse_json(R"({
    "text": {"type": "string"},
    "a/b": {"type": "array"},
    "plain": {"title": "no reference"},
    "one": {"$ref": "#/text"},
    "two": {"$ref": "#/one"},
    "escaped": {"$ref": "#/a~1b"},
    "root": {"$ref": "#"},
    "circle": {"$ref": "#/circle"},
    "elsewhere": {"$ref": "https://example.com/schema.json"},
    "nowhere": {"$ref": "#/missing"},
    "malformed": {"$ref": "#/~2"},
    "number": {"$ref": 3}
  })",
                                 Numbers::kInt64);
  REQUIRE(parsed.ok());
  return *parsed;
}

}  // namespace

TEST_CASE("A reference within a schema leads to the part that it names") {
  const Value root = document();
  const auto follow = [&root](std::string_view name) {
    return follow_references(root.find(name), root);
  };
  CHECK(follow("plain") == root.find("plain"));
  CHECK(follow("one") == root.find("text"));
  CHECK(follow("two") == root.find("text"));
  CHECK(follow("escaped") == root.find("a/b"));
  CHECK(follow("root") == &root);
  CHECK(follow("number") == root.find("number"));
}

TEST_CASE("A reference that leads to nothing stands for no schema") {
  const Value root = document();
  for (const std::string_view name : {"circle", "elsewhere", "nowhere", "malformed", "missing"}) {
    INFO(name);
    CHECK(follow_references(root.find(name), root) == nullptr);
  }
}
