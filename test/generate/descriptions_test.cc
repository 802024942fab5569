// SPDX-License-Identifier: Apache-2.0
#include "generate/descriptions.h"

#include <catch2/catch.hpp>

#include "generate/crd.h"
#include "test/generate/projects.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

using testing::Files;
using value::Value;

/// Returns the schema of the spec.
Value spec_schema(const Files& files) {
  const auto crd = crd_of(testing::shop_watch(files));
  REQUIRE(crd.ok());
  const auto read = yaml::parse_yaml(crd->text, value::Numbers::kInt64);
  REQUIRE(read.ok());
  const Value* spec = read->find("spec")
                          ->find("versions")
                          ->as_list()
                          .items[0]
                          .find_path({"schema", "openAPIV3Schema", "properties", "spec"});
  REQUIRE(spec != nullptr);
  return *spec;
}

std::string text_of(const Value& table, std::initializer_list<std::string_view> path) {
  const Value* at = &table;
  for (std::string_view step : path) {
    at = at->find_path({"properties", step});
    REQUIRE(at != nullptr);
  }
  return std::string(at->string_at({"description"}));
}

const std::string kTemplate = "{{ .Values.size }}{{ .Values.db.disk }}{{ .Values.mode }}";

}  // namespace

TEST_CASE("Inferred fields are described by the comments and defaults of values.yaml") {
  const Value spec = spec_schema({{"values.yaml",
                                   "# -- Number of pods\nsize: 2\n# The database.\ndb:\n"
                                   "  # Of the disk.\n  disk: 1Gi\n# -- The mode\n# mode: fast\n"},
                                  {"templates/a.yaml", kTemplate}});
  CHECK(text_of(spec, {"size"}) == "Number of pods. Default: 2.");
  CHECK(text_of(spec, {"db"}) == "The database.");
  CHECK(text_of(spec, {"db", "disk"}) == R"(Of the disk. Default: "1Gi".)");
  CHECK(text_of(spec, {"mode"}) == "The mode");
}

TEST_CASE("Comments describe the fields that a schema does not") {
  const Value spec = spec_schema(
      {{"values.yaml", "# Ours.\nsize: 2\n# The database.\ndb:\n  # Of the disk.\n  disk: 1Gi\n"},
       {"values.schema.json", R"({"type": "object", "properties": {
          "size": {"type": "integer", "description": "Theirs."},
          "db": {"type": "object", "properties": {"disk": {"type": "string", "minLength": 1}}},
          "mode": {"type": "string"}}})"},
       {"templates/a.yaml", kTemplate}});
  CHECK(text_of(spec, {"size"}) == "Theirs. Default: 2.");
  CHECK(text_of(spec, {"db"}) == "The database.");
  CHECK(text_of(spec, {"db", "disk"}) == R"(Of the disk. Default: "1Gi".)");
  CHECK(text_of(spec, {"mode"}).empty());
  const Value* disk = spec.find_path({"properties", "db", "properties", "disk"});
  CHECK(value::to_json(*disk->find("minLength")).value_or("") == "1");
}

TEST_CASE("A schema that would be too long to apply has short descriptions, or few") {
  for (const int count : {300, 650}) {
    std::string values;
    for (int i = 0; i < count; ++i) {
      const std::string name = "k" + std::to_string(i);
      values += "# Of " + name + ".\n" + name + ":\n  # " + std::string(250, 'x') +
                "\n  in: 1\n  # " + std::string(250, 'y') + "\n  out: 1\n  # " +
                std::string(250, 'z') + "\n  by: 1\n";
    }
    const auto crd = crd_of(testing::shop_watch({{"values.yaml", values}}));
    REQUIRE(crd.ok());
    const auto read = yaml::parse_yaml(crd->text, value::Numbers::kInt64);
    REQUIRE(read.ok());
    CHECK(value::to_json(*read).value_or("").size() <= 262'144);
    CHECK(crd->text.find("Of k299.") != std::string::npos);
    CHECK((crd->text.find("xxx") != std::string::npos) == (count == 300));
    CHECK(crd->text.find(std::string(101, 'x')) == std::string::npos);
  }
}

}  // namespace chartwright::generate
