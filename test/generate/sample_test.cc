// SPDX-License-Identifier: Apache-2.0
#include "generate/sample.h"

#include <catch2/catch.hpp>

#include "generate/crd.h"
#include "test/generate/projects.h"

namespace chartwright::generate {
namespace {

using testing::Files;
using testing::shop_watch;

yaml::DocumentNode schema_for(const bundle::Watch& watch) {
  const auto crd = crd_of(watch);
  REQUIRE(crd.ok());
  const auto schema = schema_of(*crd);
  REQUIRE(schema.ok());
  return *schema->find("properties")->find("spec");
}

std::string comments_of(const Files& files,
                        std::vector<std::pair<std::string, std::string>> override_values = {}) {
  bundle::Watch watch = shop_watch(files);
  watch.override_values = std::move(override_values);
  return values_as_comments(watch, schema_for(watch));
}

/// Returns the spec of the sample.
std::string spec_of(const Files& files) {
  const bundle::Watch watch = shop_watch(files);
  const std::string text = sample_of(watch, schema_for(watch));
  const std::string head =
      "apiVersion: apps.example.com/v1alpha1\nkind: WebShop\nmetadata:\n  name: webshop-sample\n"
      "spec:";
  REQUIRE(text.starts_with(head));
  return text.substr(head.size());
}

}  // namespace

TEST_CASE("A sample has the required fields with the defaults of the chart") {
  CHECK(spec_of({{"values.yaml", "size: 1\nother: 2\n"},
                 {"operator/operator.yaml", "crd: {required: [size]}\n"}}) == "\n  size: 1\n");
  CHECK(spec_of({{"values.yaml", "size: 1\n"}}) == " {}\n");
}

TEST_CASE("A required field without a default has a value that its schema allows") {
  CHECK(
      spec_of({{"values.schema.json", R"({
    "type": "object",
    "required": ["name", "free", "born", "color", "count", "on", "list", "owner"],
    "properties": {
      "name": {"type": "string", "minLength": 1}, "free": {"type": "string"},
      "born": {"type": "string", "format": "date-time"},
      "color": {"type": "string", "enum": ["red", "blue"]},
      "count": {"type": "integer", "minimum": 3}, "on": {"type": "boolean"},
      "list": {"type": "array", "items": {"type": "string"}},
      "owner": {"type": "object", "required": ["id"],
                "properties": {"id": {"type": "integer"}, "note": {"type": "string"}}}}})"}}) ==
      "\n  name: example\n  free: example\n  born: 2026-01-01T00:00:00Z\n  color: red\n  count: 3\n"
      "  'on': false\n  list: []\n  owner:\n    id: 0\n");
  CHECK(
      spec_of(
          {{"operator/values.yaml", "a: {{ .CR.spec.a }}\n"},
           {"operator/spec.schema.json",
            R"({"required": ["a"], "properties": {"a": {"type": "string", "default": "x"}}})"}}) ==
      "\n  a: x\n");
}

TEST_CASE("A sample shows the other values of the chart as comments") {
  CHECK(comments_of({{"values.yaml",
                      "size: 1\nimage: {tag: a, repository: b}\nlist: [c]\nempty: {}\n"
                      "none:\nauth: {password: changeme}\n"}}) ==
        "  # What the chart has by default. Set what differs:\n"
        "  # auth:\n  #   password: \"\"\n  # empty: {}\n"
        "  # image:\n  #   repository: b\n  #   tag: a\n  # list:\n  # - c\n"
        "  # none: null\n  # size: 1\n");
  CHECK(comments_of({}).empty());
}

TEST_CASE("The comments of a sample leave out required, omitted and overridden values") {
  CHECK(comments_of({{"values.yaml", "size: 1\nother: 2\nstore: {a: b}\nname: x\nnames: z\n"},
                     {"operator/operator.yaml", "crd: {required: [size], omit: [store]}\n"}},
                    {{"name.first", "z"}}) ==
        "  # What the chart has by default. Set what differs:\n"
        "  # names: z\n  # other: 2\n");
  CHECK(comments_of({{"values.yaml", "size: 1\n"}, {"operator/values.yaml", "size: 2\n"}}).empty());
}

TEST_CASE("Long values are not written into the comments of a sample") {
  std::string values =
      "list: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]\ntext: " + std::string(2'000, 'x') +
      "\nlines: \"a\\nb\"\ntable:\n";
  for (int i = 0; i < 20; ++i) {
    values += "  k" + std::to_string(i) + ": 1\n";
  }
  CHECK(comments_of({{"values.yaml", values}}) ==
        "  # What the chart has by default. Set what differs:\n"
        "  # lines: |-\n  #   a\n  #   b\n"
        "  # list: …  # 13 lines; kubectl explain webshop.spec.list\n"
        "  # table: {}  # 21 lines; kubectl explain webshop.spec.table\n"
        "  # text: …  # 1 line; kubectl explain webshop.spec.text\n");
  std::string many;
  for (int i = 0; i < 250; ++i) {
    many += "k" + std::to_string(i) + ": 1\n";
  }
  CHECK(comments_of({{"values.yaml", many}})
            .ends_with("and 50 more: kubectl explain webshop.spec\n"));
}

TEST_CASE("A required text that is empty in the chart is filled in, unless it is a password") {
  CHECK(spec_of({{"values.yaml", "target: ''\npassword: ''\n"},
                 {"operator/operator.yaml", "crd: {required: [target, password]}\n"}}) ==
        "\n  target: example\n  password: ''\n");
}

TEST_CASE("A sample has no password of the chart") {
  CHECK(spec_of({{"values.yaml", "auth: {user: me, password: changeme}\n"},
                 {"operator/operator.yaml", "crd: {required: [auth]}\n"}}) ==
        "\n  auth:\n    password: ''\n    user: me\n");
}

}  // namespace chartwright::generate
