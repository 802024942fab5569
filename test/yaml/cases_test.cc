// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "test/cases/case_tests.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::yaml {
namespace {

std::string json_of(const base::Result<value::Value>& v) {
  if (!v.ok()) {
    return "error: " + v.error().message();
  }
  const base::Result<std::string> json = value::to_json(*v);
  return json.ok() ? *json : "error: " + json.error().message();
}

// The oracle gives YAMLToJSON's errors; Unmarshal adds its own prefix.
void check_error(std::string_view input, const std::string& want) {
  for (const value::Numbers numbers : {value::Numbers::kFloat64, value::Numbers::kInt64}) {
    const base::Result<value::Value> got = parse_yaml(input, numbers);
    CHECK(json_of(got) == "error: error converting YAML to JSON: " + want);
  }
}

void check_encoding(const cases::Case& c, const value::Value& v) {
  const base::Result<std::string> yaml = to_yaml(v);
  if (const std::string* error = c.find("yaml-error")) {
    CHECK((yaml.ok() ? *yaml : yaml.error().message()) == *error);
    return;
  }
  const std::string* want = c.find("yaml");
  REQUIRE(want != nullptr);
  CHECK((yaml.ok() ? *yaml : yaml.error().message()) == *want);
}

void check_case(const cases::CaseFile& file, const cases::Case& c) {
  REQUIRE(file.engine == "yaml");
  const std::string* input = c.find("input");
  REQUIRE(input != nullptr);
  if (const std::string* error = c.find("error")) {
    check_error(*input, *error);
    return;
  }
  const std::string* json = c.find("json");
  REQUIRE(json != nullptr);
  const std::string* as_floats = c.find("value");
  const base::Result<value::Value> floats = parse_yaml(*input, value::Numbers::kFloat64);
  CHECK(json_of(floats) == (as_floats != nullptr ? *as_floats : *json));
  CHECK(json_of(parse_yaml(*input, value::Numbers::kInt64)) ==
        json_of(value::parse_json(*json, value::Numbers::kInt64)));
  if (floats.ok()) {
    check_encoding(c, *floats);
  }
}

// Every answer comes from sigs.k8s.io/yaml.
const bool kRegistered = cases::register_case_files("yaml", check_case);

}  // namespace
}  // namespace chartwright::yaml
