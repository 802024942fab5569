// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/view.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "helm/schema/schema.h"
#include "test/value/json_text.h"

namespace chartwright::helm {
namespace {

using value::Value;
using value::testing::json;
using View = SchemaView<Value>;
using Names = std::vector<std::string_view>;

/// A document with a reference of each kind; the member "text" is what some lead to.
Value references() {
  return json(R"({
    "text": {"type": "string"},
    "a/b": {"type": "array"},
    "m~n o": {"type": "null"},
    "plain": {"title": "no reference"},
    "allOf": [true, {"type": "number"}],
    "$defs": {"named": {"$anchor": "text", "type": "boolean"},
              "inner": {"$id": "https://example.com/inner.json", "$defs": {"here": {
                        "$ref": "#/$defs/there"}, "there": {"$anchor": "deep"}}}},
    "one": {"$ref": "#/text"},
    "two": {"$ref": "#/one"},
    "slash": {"$ref": "#/a~1b"},
    "tilde": {"$ref": "#/m~0n%20o"},
    "item": {"$ref": "#/allOf/1"},
    "root": {"$ref": "#"},
    "anchor": {"$ref": "#text"},
    "inside": {"$ref": "#/$defs/inner/$defs/here"},
    "by_id": {"$ref": "https://example.com/inner.json#/$defs/there"},
    "by_both": {"$ref": "https://example.com/inner.json#deep"},
    "circle": {"$ref": "#/circle"},
    "elsewhere": {"$ref": "https://example.com/schema.json"},
    "beside": {"$ref": "other.json#/text"},
    "nowhere": {"$ref": "#/missing"},
    "malformed": {"$ref": "#/~2"},
    "no_item": {"$ref": "#/allOf/2"},
    "no_anchor": {"$ref": "#xtext"},
    "foreign_anchor": {"$ref": "#deep"},
    "number": {"$ref": 3}
  })");
}

/// Reports whether Helm's own reader accepts `value` for the member "x" of a schema.
bool is_valid(const std::string& schema, const std::string& value) {
  const auto compiled = Schema::compile(schema);
  REQUIRE(compiled.ok());
  return compiled->validate(json(R"({"x":)" + value + "}")).ok();
}

/// Returns the types of the schemas in force for the member "x".
std::vector<std::string> types_of_x(const std::string& schema) {
  const Value root = json(schema);
  const View view(root);
  std::vector<std::string> names;
  for (const Value* table : view.parts(*root.find_path({"properties", "x"})).tables) {
    for (const std::string_view name : view.types(*table)) {
      names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("A reference within a schema leads to the part that it names") {
  const Value root = references();
  const View view(root);
  const auto follow = [&](std::string_view name) { return view.follow(root.find(name)); };
  CHECK(follow("plain") == root.find("plain"));
  CHECK(follow("one") == root.find("text"));
  CHECK(follow("two") == root.find("text"));
  CHECK(follow("slash") == root.find("a/b"));
  CHECK(follow("tilde") == root.find("m~n o"));
  CHECK(follow("item") == &root.items_at({"allOf"})[1]);
  CHECK(follow("root") == &root);
  CHECK(follow("anchor") == root.find_path({"$defs", "named"}));
  const Value* there = root.find_path({"$defs", "inner", "$defs", "there"});
  CHECK(follow("inside") == there);
  CHECK(follow("by_id") == there);
  CHECK(follow("by_both") == there);
  CHECK(follow("number") == root.find("number"));
}

TEST_CASE("A reference that leads to nothing stands for no schema") {
  const Value root = references();
  const View view(root);
  for (const std::string_view name : {"circle", "elsewhere", "beside", "nowhere", "malformed",
                                      "no_item", "no_anchor", "foreign_anchor", "missing"}) {
    INFO(name);
    CHECK(view.follow(root.find(name)) == nullptr);
  }
}

TEST_CASE("A view finds the types that Helm accepts") {
  struct Example {
    std::string x;
    std::vector<std::string> types;
    std::string more = {};
  };
  const std::string old = R"(,"$schema":"http://json-schema.org/draft-07/schema#")";
  const std::string oldest = R"(,"$schema":"http://json-schema.org/draft-04/schema#")";
  const std::vector<Example> examples = {
      {R"({"type":"string"})", {"string"}},
      {R"({"type":["string","null"]})", {"string", "null"}},
      {R"({"type":["integer","number"]})", {"number"}},
      {R"({"enum":["a",null,"b"]})", {"string", "null"}},
      {R"({"const":"a"})", {"string"}},
      {R"({"const":"a"})", {}, oldest},
      {R"({"$ref":"#/definitions/a%20b"})", {"string"}},
      {R"({"$ref":"#/allOf/0"})", {"object"}},
      {R"({"$ref":"#name"})", {"string"}},
      {R"({"$ref":"#name"})", {"string"}, old},
      {R"({"$ref":"#/definitions/any","type":"string"})", {"string"}},
      {R"({"$ref":"#/definitions/any","type":"string"})", {}, old},
      {R"({"allOf":[{"allOf":[{"type":"string"}]},true]})", {"string"}},
      {R"({"$id":"https://example.com/x","$ref":"#/definitions/here",
           "definitions":{"here":{"type":"null"}}})",
       {"null"}},
      {"true", {}},
      {"{}", {}},
  };
  for (const Example& example : examples) {
    // The oldest drafts know no "$anchor", and later ones no fragment of an "$id".
    const std::string anchor = example.more.empty() ? "$anchor\":\"" : "$id\":\"#";
    const std::string schema = R"({"allOf":[{"type":"object"}],"properties":{"x":)" + example.x +
                               R"(},"definitions":{"here":{"type":"integer"},"any":{},"a b":{")" +
                               anchor + R"(name","type":"string"}})" + example.more + "}";
    INFO(schema);
    CHECK(types_of_x(schema) == example.types);
    for (const auto& [type, value] :
         {std::pair{"string", "\"a\""}, {"null", "null"}, {"number", "1.5"}, {"object", "{}"}}) {
      INFO(value);
      const bool is_listed = std::ranges::find(example.types, type) != example.types.end();
      CHECK(is_valid(schema, value) == (example.types.empty() || is_listed));
    }
  }
}

TEST_CASE("Schemas that are in force together are each met once") {
  const Value root = json(R"({"$ref": "#/$defs/a", "allOf": [{"$ref": "#/$defs/a"}, true, false,
      {"$ref": "#/$defs/loop"}, {"$ref": "other.json"}, {"title": "t"}],
      "$defs": {"a": {"allOf": [{"title": "b"}]}, "loop": {"$ref": "#/$defs/loop"}}})");
  const View view(root);
  const View::Parts parts = view.parts(root);
  const auto& all = root.items_at({"allOf"});
  const Value* a = root.find_path({"$defs", "a"});
  const Value* loop = root.find_path({"$defs", "loop"});
  CHECK(parts.tables == std::vector{a, &a->items_at({"allOf"})[0], &root, &all[0], loop, &all[3],
                                    &all[4], &all[5]});
  CHECK(parts.unread == std::vector{&all[2], loop, &all[4]});
  const Value dynamic = json(R"({"$dynamicRef": "#node", "type": "object"})");
  CHECK(View(dynamic).parts(dynamic).unread == std::vector<const Value*>{&dynamic});
  CHECK(view.parts(root, View::Through::kReferences).tables == std::vector{a, &root});
}

TEST_CASE("A schema of some members is not that of each") {
  const Value root = json(R"({"items": {"type": "string"}})");
  CHECK(View(root).item(root) == root.find("items"));
  const Value rest = json(R"({"prefixItems": [true], "items": {"type": "string"}})");
  CHECK(View(rest).item(rest) == nullptr);
  const Value old = json(R"({"$schema": "http://json-schema.org/draft-07/schema",
      "prefixItems": [true], "items": {"type": "string"}})");
  CHECK(View(old).item(old) == old.find("items"));
  const Value closed = json(R"({"additionalProperties": false})");
  CHECK(View::is_closed(closed));
  const Value patterns = json(R"({"additionalProperties": false, "patternProperties": {}})");
  CHECK_FALSE(View::is_closed(patterns));
  const Value others = json(R"({"additionalProperties": {}})");
  CHECK(View::other_members(others) == others.find("additionalProperties"));
  CHECK_FALSE(View::is_closed(others));
}

TEST_CASE("Branches are those that the draft knows") {
  const std::string keywords = R"("anyOf": [{}], "not": {}, "if": true,
      "dependentSchemas": {"a": {}}, "dependencies": {"b": ["c"], "d": {}}})";
  const Value root = json("{" + keywords);
  CHECK(View(root).branches(root).size() == 5);
  const Value old = json(R"({"$schema": "http://json-schema.org/draft-04/schema#", )" + keywords);
  CHECK(View(old).branches(old).size() == 3);
}

TEST_CASE("A list of properties names none") {
  const Value root = json(R"({"properties": ["a"]})");
  Names names;
  View::for_each_property(root,
                          [&](std::string_view name, const Value&) { names.push_back(name); });
  CHECK(names.empty());
}

}  // namespace chartwright::helm
