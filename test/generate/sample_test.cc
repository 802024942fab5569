// SPDX-License-Identifier: Apache-2.0
#include "generate/sample.h"

#include <catch2/catch.hpp>

#include "generate/crd.h"
#include "test/generate/projects.h"

namespace chartwright::generate {
namespace {

using testing::Files;
using testing::shop_watch;

/// Returns the spec of the sample.
std::string spec_of(const Files& files) {
  const bundle::Watch watch = shop_watch(files);
  const auto crd = crd_of(watch);
  REQUIRE(crd.ok());
  const auto schema = schema_of(*crd);
  REQUIRE(schema.ok());
  const std::string text = sample_of(watch, *schema->find("properties")->find("spec"));
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
