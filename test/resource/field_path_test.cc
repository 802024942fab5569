// SPDX-License-Identifier: Apache-2.0
#include "resource/field_path.h"

#include <catch2/catch.hpp>

#include "resource/field_changes.h"
#include "test/value/json_text.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using value::Value;
using value::testing::json;

std::string path_error(std::string_view text) { return FieldPath::parse(text).error().message(); }

std::string value_at(std::string_view path, const Value& object) {
  const auto found = CW_MUST(FieldPath::parse(path)).in(object);
  return found ? CW_MUST(value::to_json(*found->get(object), value::JsonEscape::kNone)) : "none";
}

TEST_CASE("A path that a comparison prints leads back to its field") {
  const Value object = json(R"({"apiVersion":"apps/v1","kind":"Deployment",
      "metadata":{"annotations":{"example.com/a.b":"x","c]\"d":"y"}},
      "spec":{"args":["a","b"],"lists":[{"x":1},{"x":2}],
              "containers":[{"name":"web","image":"nginx","ports":[{"containerPort":80,"t":1}]},
                            {"name":"a.b","image":"other"}]}})");
  const FieldChanges changes = compare_fields(Value(), object);
  REQUIRE(changes.kept.size() > 8);
  for (const FieldChange& change : changes.kept) {
    INFO(change.path);
    const auto found = CW_MUST(FieldPath::parse(change.path)).in(object);
    REQUIRE(found);
    CHECK(value::json_equal(*found->get(object), *change.after));
  }
}

TEST_CASE("An item is found by what identifies it, wherever it stands") {
  const Value object = json(R"({"spec":{"containers":[{"name":"side","image":"s"},
                                                       {"name":"web","image":"w"}]}})");
  CHECK(value_at("spec.containers[name=web].image", object) == R"("w")");
  CHECK(value_at("spec.containers[1].image", object) == R"("w")");
  CHECK(value_at("spec.containers[name=db].image", object) == "none");
  CHECK(value_at("spec.containers[2].image", object) == "none");
  CHECK(value_at("spec[name=web]", object) == "none");
  CHECK(value_at("spec.containers (order)", object).starts_with(R"([{"image":"s")"));
}

TEST_CASE("A text that is not a path is refused with its column") {
  CHECK(path_error("") ==
        "\"\" is not the path of a field: at column 1, expected the name of a member, such as "
        "spec; others are written [\"name\"]");
  CHECK(path_error("spec.").find("at column 6, expected the name") != std::string::npos);
  CHECK(path_error("spec replicas").find("at column 5, expected \".\" or \"[\"") !=
        std::string::npos);
  CHECK(path_error("spec[name=web").find("at column 5, expected a \"]\"") != std::string::npos);
  CHECK(path_error("spec[web]").find("expected an item, such as [name=web] or [0]") !=
        std::string::npos);
  CHECK(path_error(R"(spec["a)").find("expected a \"]\"") != std::string::npos);
}

TEST_CASE("A path is bounded") {
  CHECK(path_error(std::string(10'000, 'a')) == "the path of a field has at most 8192 bytes");
  std::string deep = "a";
  for (int i = 0; i < 300; ++i) {
    deep += ".a";
  }
  CHECK(path_error(deep) == "the path of a field has at most 256 steps");
}

}  // namespace
}  // namespace chartwright::op
