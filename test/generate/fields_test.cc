// SPDX-License-Identifier: Apache-2.0
#include "generate/fields.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

Fields read(const std::string& schema, const std::string& defaults) {
  const auto node = yaml::parse_document(schema, "schema");
  REQUIRE(node.ok());
  const auto values = yaml::parse_yaml(defaults, value::Numbers::kFloat64);
  REQUIRE(values.ok());
  return fields_of(*node, *values);
}

/// Returns a field a line: "path: type; default; rules; description", without what is empty.
std::string listed(const std::string& schema, const std::string& defaults = "{}") {
  std::string text;
  for (const Field& field : read(schema, defaults).all) {
    text += field.path + ": " + field.type;
    for (const std::string* part : {&field.usual, &field.rules, &field.description}) {
      text += part->empty() ? "" : "; " + *part;
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("Nested objects, lists and maps have paths of their own") {
  CHECK(listed(R"(
properties:
  image: {type: string}
  db:
    type: object
    description: The database.
    properties:
      size: {x-kubernetes-int-or-string: true}
  hosts:
    type: array
    items:
      type: object
      properties: {name: {type: string}}
  names: {type: array, items: {type: string}}
  labels: {type: object, additionalProperties: {type: string}}
  limits:
    type: object
    additionalProperties: {x-kubernetes-int-or-string: true, pattern: ^a$}
  a.b/c: {type: boolean}
)") == "image: string\n"
       "db: object; The database.\n"
       "db.size: integer or string\n"
       "hosts: list of objects\n"
       "hosts[].name: string\n"
       "names: list of strings\n"
       "labels: map of strings\n"
       "limits: map of integers or strings\n"
       "limits.*: integer or string; matches `^a$`\n"
       "[\"a.b/c\"]: boolean\n");
}

TEST_CASE("Parts without a schema are named as such") {
  CHECK(listed(R"(
properties:
  extra: {x-kubernetes-preserve-unknown-fields: true}
  config: {type: object, x-kubernetes-preserve-unknown-fields: true}
  list: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}
  open:
    type: object
    x-kubernetes-preserve-unknown-fields: true
    properties: {a: {type: string}}
)") == "extra: anything\n"
       "config: free-form object\n"
       "list: list of anything\n"
       "open: object; other fields are kept\n"
       "open.a: string\n");
}

TEST_CASE("Every constraint is told") {
  CHECK(listed(R"(
required: [a]
properties:
  a: {type: integer, format: int32, minimum: 0, maximum: 9, multipleOf: 3}
  b: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true}
  c: {type: string, enum: [x, y], nullable: true}
  d: {type: string, minLength: 1, maxLength: 2, pattern: "a|b"}
  e: {type: array, minItems: 1, maxItems: 2, x-kubernetes-list-type: set, items: {type: string}}
  f: {type: object, minProperties: 1, additionalProperties: {type: string}}
  g: {type: string, enum: [only]}
  h:
    type: integer
    x-kubernetes-validations: [{rule: self > 1}, {rule: self < 3, message: Less than three}]
)") == "a: integer (int32); required, ≥ `0`, ≤ `9`, a multiple of `3`\n"
       "b: number; &gt; `0`, &lt; `1`\n"
       "c: string; one of `x`, `y`, may be null\n"
       "d: string; at least 1 character, at most 2 characters, matches `a\\|b`\n"
       "e: list of strings; at least 1 item, at most 2 items, no duplicates\n"
       "f: map of strings; at least 1 key\n"
       "g: string; only `only`\n"
       "h: integer; `self > 1`, Less than three\n");
}

TEST_CASE("Defaults are those of the CRD, else of the chart") {
  CHECK(listed(R"(
properties:
  a: {type: integer}
  b: {type: integer, default: 2}
  c: {type: object, properties: {d: {type: string}, e: {type: string}}}
  f: {type: array, items: {type: string}}
  g: {type: object, x-kubernetes-preserve-unknown-fields: true}
  h: {type: object, x-kubernetes-preserve-unknown-fields: true}
  i: {type: string}
  j: {type: string}
)",
               "{a: 1, b: 1, c: {d: '1.0', e: ''}, f: [x, z], g: {h: 1}, h: {}, i: null}") ==
        "a: integer; `1`\n"
        "b: integer; `2`\n"
        "c: object\n"
        "c.d: string; `\"1.0\"`\n"
        "c.e: string; `\"\"`\n"
        "f: list of strings; `[\"x\",\"z\"]`\n"
        "g: free-form object; in values.yaml\n"
        "h: free-form object; `{}`\n"
        "i: string\n"
        "j: string\n");
}

TEST_CASE("Defaults that may be credentials are not shown") {
  const std::string text = listed(R"(
properties:
  auth: {type: object, properties: {password: {type: string}, user: {type: string}}}
  tokens: {type: object, properties: {first: {type: string}, list: {type: array}}}
  apiKey: {type: string, default: hunter4}
  url: {type: string}
  pin: {type: string}
  secretName: {type: string}
)",
                                  "{auth: {password: hunter1, user: me}, tokens: {first: hunter2, "
                                  "list: [hunter3]}, url: 'db://u:hunter5@h', secretName: ''}");
  CHECK(text.find("hunter") == std::string::npos);
  CHECK(text ==
        "auth: object\n"
        "auth.password: string; not shown\n"
        "auth.user: string; `\"me\"`\n"
        "tokens: object\n"
        "tokens.first: string; not shown\n"
        "tokens.list: list of anything; not shown\n"
        "apiKey: string; not shown\n"
        "url: string; not shown\n"
        "pin: string\n"
        "secretName: string; `\"\"`\n");
}

TEST_CASE("Hostile texts of a schema stay in their cells") {
  CHECK(listed(R"yaml(
properties:
  "x`|y\n| z": {type: "<b>", description: "a\n\n| b | <script> [c](d)"}
)yaml") == "x`|y\n| z: &lt;b&gt;; a &#124; b &#124; &lt;script&gt; \\[c\\](d)\n");
}

TEST_CASE("The number of fields and their depth are limited") {
  std::string wide = "properties:\n";
  for (int i = 0; i < 600; ++i) {
    wide += "  f" + std::to_string(i) + ": {type: string}\n";
  }
  const Fields many = read(wide, "{}");
  CHECK(many.all.size() == 500);
  CHECK_FALSE(many.complete);
  std::string deep = "{type: string}";
  for (int i = 0; i < 20; ++i) {
    deep = "{type: object, properties: {a: " + deep + "}}";
  }
  const Fields some = read(deep, "{}");
  CHECK(some.all.size() == 12);
  CHECK_FALSE(some.complete);
  std::string lists = "{type: string}";
  for (int i = 0; i < 20; ++i) {
    lists = "{type: array, items: " + lists + "}";
  }
  CHECK(listed("{properties: {a: " + lists + "}}") ==
        "a: list of lists of lists of lists of lists of anything\n");
}

}  // namespace chartwright::generate
