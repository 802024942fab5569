// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "test/cases/case_tests.h"
#include "test/tmpl/fixture.h"
#include "yaml/yaml.h"

namespace chartwright::tmpl {
namespace {

value::Value data_of(const cases::Case& c) {
  const std::string* values = c.find("values");
  const std::string* data = c.find("data");
  if (values == nullptr && data == nullptr) {
    return {};
  }
  const auto parsed = values != nullptr ? yaml::parse_yaml(*values, value::Numbers::kFloat64)
                                        : yaml::parse_yaml(*data, value::Numbers::kInt64);
  REQUIRE(parsed.ok());
  return *parsed;
}

MissingKey missing_key_of(const cases::Case& c) {
  const std::string* flags = c.find("flags");
  if (flags == nullptr) {
    return MissingKey::kDefault;
  }
  return flags->find("=zero") != std::string::npos ? MissingKey::kZero : MissingKey::kError;
}

Outcome run(const cases::Case& c) {
  Fixture fixture;
  fixture.missing_key = missing_key_of(c);
  Template templates(fixture.functions, "case");
  for (const cases::Section& section : c.sections) {
    if (section.name != "file") {
      continue;
    }
    if (auto status = templates.parse(section.arg, section.text); !status.ok()) {
      return {{}, std::move(status)};
    }
  }
  if (auto status = templates.parse("case", *c.find("template")); !status.ok()) {
    return {{}, std::move(status)};
  }
  return fixture.execute(templates, "case", data_of(c));
}

void check(const cases::CaseFile& file, const cases::Case& c) {
  REQUIRE(file.engine == "go");
  REQUIRE(c.find("template") != nullptr);
  const Outcome outcome = run(c);
  if (const std::string* error = c.find("error")) {
    CHECK(outcome.text() == "error: " + *error);
    return;
  }
  const std::string* want = c.find("want");
  REQUIRE(want != nullptr);
  CHECK(outcome.text() == *want);
}

// Every answer comes from Go's text/template.
const bool kRegistered = cases::register_case_files("tmpl", check);

}  // namespace
}  // namespace chartwright::tmpl
