// SPDX-License-Identifier: Apache-2.0
#include "generate/crd.h"

#include <catch2/catch.hpp>
#include <set>

#include "bundle/status_fields.h"
#include "test/generate/projects.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

using testing::Files;
using testing::shop_watch;
using value::Value;

Value crd_value(const bundle::Watch& watch) {
  const auto crd = crd_of(watch);
  REQUIRE(crd.ok());
  auto read = yaml::parse_yaml(crd->text, value::Numbers::kInt64);
  REQUIRE(read.ok());
  return *read;
}

Value version_of(const Value& crd) {
  return crd.find_path({"spec", "versions"})->as_list().items.front();
}

std::string json_of(const Value* value) {
  return value == nullptr ? "" : value::to_json(*value).value_or("");
}

Value spec_of(const Value& crd) {
  return *version_of(crd).find_path({"schema", "openAPIV3Schema", "properties", "spec"});
}

std::string property_of(const Value& spec, std::initializer_list<std::string_view> path) {
  const Value* at = &spec;
  for (std::string_view step : path) {
    at = at != nullptr ? at->find_path({"properties", step}) : nullptr;
  }
  return json_of(at);
}

}  // namespace

TEST_CASE("Names, columns and scope come from the bundle") {
  const Value crd = crd_value(shop_watch(
      {{"values.yaml", "size: 1\n"},
       {"templates/a.yaml", "{{ .Values.size }}"},
       {"operator/operator.yaml",
        "crd:\n  plural: shoppen\n  shortNames: [ws]\n  scope: Cluster\n  required: [size]\n"
        "  columns: [{name: Size, type: integer, jsonPath: .spec.size}]\n"}}));
  CHECK(kube::name_of(crd) == "shoppen.apps.example.com");
  CHECK(crd.string_at({"spec", "scope"}) == "Cluster");
  CHECK(json_of(crd.find_path({"spec", "names"})) ==
        R"({"categories":["chartwright"],"kind":"WebShop","listKind":"WebShopList",)"
        R"("plural":"shoppen","shortNames":["ws"],"singular":"webshop"})");
  const auto& columns = version_of(crd).find("additionalPrinterColumns")->as_list().items;
  std::vector<std::string_view> names;
  std::ranges::transform(columns, std::back_inserter(names),
                         [](const Value& column) { return column.string_at({"name"}); });
  CHECK(names == std::vector<std::string_view>{"Ready", "Size", "Reason", "Rev", "Age", "Message"});
  CHECK(columns[1].string_at({"jsonPath"}) == ".spec.size");
  CHECK(json_of(spec_of(crd).find("required")) == R"(["size"])");
  CHECK(version_of(crd).find_path({"subresources", "status"}) != nullptr);
}

TEST_CASE("The CRD has every field that the operator writes, and no other without an author") {
  const Value crd = crd_value(shop_watch({}));
  const Value* fields = version_of(crd).find_path(
      {"schema", "openAPIV3Schema", "properties", "status", "properties"});
  REQUIRE(fields != nullptr);
  std::set<std::string, std::less<>> named;
  for (const auto& [name, schema] : fields->as_dict()) {
    named.insert(name);
  }
  const auto written = bundle::engine_status_fields();
  CHECK(named == std::set<std::string, std::less<>>(written.begin(), written.end()));
}

TEST_CASE("The schema of a spec that is mapped to values is that of the spec") {
  const Files chart = {{"values.yaml", "size: 1\n"},
                       {"values.schema.json", R"({"properties": {"size": {"type": "integer"}}})"},
                       {"templates/a.yaml", "{{ .Values.size }}"}};
  const auto schema_with = [&chart](const Files& files) {
    return json_of(
        spec_of(crd_value(shop_watch(bundle::testing::with(chart, files)))).find("properties"));
  };
  const std::string values = "size: {{ .CR.spec.disk.size }}\nname: {{ .CR.spec.label }}\n";
  CHECK(schema_with({{"operator/values.yaml", values}}) ==
        R"({"disk":{"x-kubernetes-preserve-unknown-fields":true},)"
        R"("label":{"x-kubernetes-preserve-unknown-fields":true}})");
  CHECK(schema_with({{"operator/values.yaml", values},
                     {"operator/spec.schema.json",
                      R"({"properties": {"label": {"type": "string", "maxLength": 9}}})"}}) ==
        R"({"label":{"maxLength":9,"type":"string"}})");
  CHECK(schema_with({{"operator/values.yaml", "{{ toYaml .CR.spec }}"}}).empty());
}

TEST_CASE("Values that users do not set are left out of the spec") {
  const std::string schema =
      R"({"type": "object", "properties": {"size": {"type": "integer"}, "store": {"type": "object"}},
          "required": ["size"])";
  const std::string options = "crd: {omit: [store]}\n";
  const bundle::Watch closed =
      shop_watch({{"values.schema.json", schema + R"(, "additionalProperties": false})"},
                  {"operator/operator.yaml", options}});
  CHECK(json_of(spec_of(crd_value(closed)).find("properties")) == R"({"size":{"type":"integer"}})");
  CHECK(
      json_of(version_of(crd_value(closed)).find_path({"schema", "openAPIV3Schema", "required"})) ==
      R"(["spec"])");
  CHECK(crd_of(closed)->notes.empty());
  const auto open = crd_of(
      shop_watch({{"values.schema.json", schema + "}"}, {"operator/operator.yaml", options}}));
  REQUIRE(open.ok());
  REQUIRE(open->notes.size() == 1);
  CHECK(open->notes[0].text ==
        "crd.omit: \"store\" is kept all the same, as an unknown field: the schema needs "
        "\"additionalProperties\": false");
  const auto unknown =
      crd_of(shop_watch({{"values.schema.json", schema + R"(, "additionalProperties": false})"},
                         {"operator/operator.yaml", "crd: {omit: [shop]}\n"}}));
  REQUIRE(unknown.ok());
  REQUIRE(unknown->notes.size() == 1);
  CHECK(unknown->notes[0].text == "crd.omit: \"shop\" is not a field of the schema");
}

TEST_CASE("Without a schema the spec is inferred from defaults and their use") {
  const Value spec = spec_of(crd_value(
      shop_watch({{"values.yaml", "name: x\nflag: true\nany: null\nimage: {tag: x}\nunused: 1\n"},
                  {"templates/a.yaml",
                   "{{ .Values.image.tag }}{{ .Values.image.digest }}{{ .Values.extra }}"
                   "{{ .Values.name | trunc 63 }}{{ ternary 1 2 .Values.flag }}"}})));
  const auto property = [&spec](std::initializer_list<std::string_view> path) {
    return property_of(spec, path);
  };
  const std::string any = R"({"x-kubernetes-preserve-unknown-fields":true})";
  CHECK(property({"name"}) ==
        R"({"description":"Default: \"x\".","nullable":true,"type":"string"})");
  CHECK(property({"flag"}) ==
        R"({"description":"Default: true.","nullable":true,"type":"boolean"})");
  CHECK(property({"any"}) == any);
  CHECK(property({"extra"}) == any);
  CHECK(property({"image", "digest"}) == any);
  CHECK(spec.find_path({"properties", "image"})->string_at({"type"}) == "object");
  CHECK(spec.find("x-kubernetes-preserve-unknown-fields") == nullptr);
}

TEST_CASE("A null removes a default, that of a dependency too") {
  const Value spec = spec_of(crd_value(shop_watch(
      {{"Chart.yaml",
        "apiVersion: v2\nname: shop\nversion: 1.2.3\ndependencies:\n- {name: db, version: "
        "1.0.0}\n"},
       {"values.yaml", "probe: {httpGet: {path: /}}\nnone: null\ndb: {user: me}\n"},
       {"templates/a.yaml", "{{ toYaml .Values.probe }}{{ .Values.none }}{{ .Values.extra }}"},
       {"charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"},
       {"charts/db/values.yaml", "port: 1\n"},
       {"charts/db/templates/a.yaml", "{{ .Values.port }}{{ .Values.host }}{{ .Values.user }}"}})));
  const auto is_nullable = [&spec](std::initializer_list<std::string_view> path) {
    return property_of(spec, path).find(R"("nullable":true)") != std::string::npos;
  };
  CHECK(is_nullable({"probe"}));
  CHECK(is_nullable({"probe", "httpGet", "path"}));
  CHECK(is_nullable({"db", "port"}));
  CHECK_FALSE(is_nullable({"db", "host"}));
  CHECK_FALSE(is_nullable({"none"}));
  CHECK_FALSE(is_nullable({"extra"}));
}

TEST_CASE("Global values are set like others, for dependencies too") {
  const Files dependency = {
      {"Chart.yaml",
       "apiVersion: v2\nname: shop\nversion: 1.2.3\ndependencies:\n- {name: db, version: 1.0.0}\n"},
      {"charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"},
      {"charts/db/templates/a.yaml", "{{ .Values.global.region }}"}};
  const auto global_of = [&dependency](const Files& files) {
    const Value spec = spec_of(crd_value(shop_watch(bundle::testing::with(dependency, files))));
    return json_of(spec.find_path({"properties", "global"}));
  };
  const std::string any = R"({"x-kubernetes-preserve-unknown-fields":true})";
  CHECK(global_of({}) == any);
  const Value spec = spec_of(crd_value(
      shop_watch(bundle::testing::with(dependency, {{"values.yaml", "global: {zone: a}\n"}}))));
  CHECK(spec.find_path({"properties", "global", "properties", "zone"}) != nullptr);
  CHECK(json_of(spec.find_path({"properties", "global", "properties", "region"})) == any);
  CHECK(global_of({{"values.schema.json", R"({"additionalProperties": false, "properties": {
      "global": {"additionalProperties": false, "properties": {"zone": {"type": "string"}}}}})"}}) ==
        R"({"properties":{"zone":{"type":"string"}},"type":"object"})");
}

TEST_CASE("A dependency without a condition adds no key") {
  const Value spec = spec_of(
      crd_value(shop_watch({{"Chart.yaml",
                             "apiVersion: v2\nname: shop\nversion: 1.2.3\n"
                             "dependencies: [{name: dep, version: 1.0.0, condition: 'dep.on,'}, "
                             "{name: other, version: 1.0.0}]\n"}})));
  CHECK(spec.find_path({"properties", ""}) == nullptr);
  CHECK(spec.find_path({"properties", "dep"}) != nullptr);
}

TEST_CASE("A chart whose use of values is not known keeps all keys") {
  const Value spec = spec_of(crd_value(
      shop_watch({{"values.yaml", "a: 1\n"}, {"templates/a.yaml", "{{ toYaml .Values }}"}})));
  CHECK(json_of(spec.find("x-kubernetes-preserve-unknown-fields")) == "true");
}

TEST_CASE("The status has the operator's fields and the author's") {
  const auto status_of = [](const testing::Files& files) {
    return *version_of(crd_value(shop_watch(files)))
                .find_path({"schema", "openAPIV3Schema", "properties", "status"});
  };
  const Value declared =
      status_of({{"operator/status.yaml", "a: 1\n"},
                 {"operator/status.schema.json", R"({"properties": {"a": {"type": "integer"}}})"}});
  CHECK(declared.find_path({"properties", "conditions"}) != nullptr);
  CHECK(json_of(declared.find_path({"properties", "a"})) == R"({"type":"integer"})");
  CHECK(declared.find("x-kubernetes-preserve-unknown-fields") == nullptr);
  const Value undeclared = status_of({{"operator/status.yaml", "a: 1\n"}});
  CHECK(json_of(undeclared.find("x-kubernetes-preserve-unknown-fields")) == "true");
}

TEST_CASE("A schema that Helm refuses is an error at the keyword that is wrong") {
  const auto error_for = [](const std::string& schema) {
    const auto crd = crd_of(shop_watch({{"values.schema.json", schema}}));
    return crd.ok() ? "" : crd.error().to_string();
  };
  CHECK(error_for("{\"properties\":\n {\"a\": {\"type\": \"int\"}}}") ==
        "shop/values.schema.json:2:17: not a JSON schema: at '/properties/a/type': value must be "
        "one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'\n"
        "shop/values.schema.json:2:17: at '/properties/a/type': got string, want array");
  CHECK(error_for(R"({"properties": {"a/b": {"pattern": "["}}})") ==
        "shop/values.schema.json:1:36: not a JSON schema: at '/properties/a~1b/pattern': '[' is "
        "not valid regex: error parsing regexp: missing closing ]: `[`");
  CHECK(error_for(R"({"allOf": [{}, {"minLength": "x"}], "required": "a"})") ==
        "shop/values.schema.json:1:30: not a JSON schema: at '/allOf/1/minLength': got string, "
        "want integer\nshop/values.schema.json:1:49: at '/required': got string, want array");
  CHECK(error_for(R"({"properties": {},})") ==
        "shop/values.schema.json:1:1: a schema must be JSON: invalid character '}' looking for "
        "beginning of object key string");
  CHECK(error_for(R"({"properties": {"a": {"$ref": "https://example.com/x.json"}}})").empty());
}

TEST_CASE("A malformed schema is an error with file and line") {
  const auto crd = crd_of(shop_watch({{"values.schema.json", "{\"properties\":\n[}"}}));
  REQUIRE_FALSE(crd.ok());
  CHECK(crd.error().to_string().starts_with("shop/values.schema.json:2:"));
}

}  // namespace chartwright::generate
