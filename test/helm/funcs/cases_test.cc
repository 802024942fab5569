// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "test/cases/case_tests.h"
#include "test/helm/funcs/fixed_host.h"
#include "test/helm/funcs/render.h"
#include "yaml/yaml.h"

namespace chartwright::helm::funcs {
namespace {

using value::Value;

Value case_values(const cases::Case& c) {
  Value values = Value::dict(helm::default_profile().values_type);
  for (const cases::Section& section : c.sections) {
    if (section.name != "values" && section.name != "data") {
      continue;
    }
    const auto numbers =
        section.name == "values" ? value::Numbers::kFloat64 : value::Numbers::kInt64;
    const base::Result<Value> part = yaml::parse_yaml(section.text, numbers);
    REQUIRE(part.ok());
    for (const auto& [key, member] : part->as_dict()) {
      values.mutable_dict().set(key, member);
    }
  }
  return values;
}

void check(const cases::CaseFile& /*file*/, const cases::Case& c) {
  FixedHost host;
  const std::string* error = c.find("error");
  CHECK(render({*c.find("template"), case_values(c)}, host) ==
        (error != nullptr ? "error: " + *error : *c.find("want")));
}

// Every answer comes from real Helm.
const bool kRegistered = cases::register_case_files("funcs", check);

}  // namespace
}  // namespace chartwright::helm::funcs
