// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>

#include "test/cases/case_file.h"
#include "test/chart/helm_case.h"
#include "value/yaml.h"

// Runs the case files of test/cases/chart, whose expectations come from real Helm.
namespace chartwright::chart {
namespace {

using value::Value;

constexpr const char* kTemplate = "templates/case.yaml";
constexpr const char* kDefaultMetadata = "apiVersion: v2\nname: case\nversion: 0.1.0\n";

std::vector<File> files_of(const cases::Case& c) {
  std::vector<File> files;
  bool has_metadata = false;
  for (const cases::Section& section : c.sections) {
    if (section.name == "file") {
      has_metadata = has_metadata || section.arg == "Chart.yaml";
      files.push_back({section.arg, section.text});
    } else if (section.name == "template") {
      files.push_back({kTemplate, section.text});
    }
  }
  if (!has_metadata) {
    files.push_back({"Chart.yaml", kDefaultMetadata});
  }
  return files;
}

/// The values sections on top of each other, as several -f files.
base::Result<Value> values_of(const cases::Case& c) {
  Value values = Value::dict();
  for (const cases::Section& section : c.sections) {
    if (section.name == "values" || section.name == "data") {
      const auto numbers =
          section.name == "values" ? value::Numbers::kFloat64 : value::Numbers::kInt64;
      CW_TRY(const Value part, value::parse_yaml(section.text, numbers));
      if (part.is_dict()) {
        values = overlay(values, part);
      }
    }
  }
  return values;
}

base::Result<std::string> answer(const cases::Case& c) {
  HelmCase inputs;
  CW_TRY(inputs.bundle, Bundle::from_files(files_of(c)));
  CW_TRY(inputs.inputs.values, values_of(c));
  if (const std::string* flags = c.find("flags")) {
    CW_TRY_VOID(apply_flags(*flags, inputs));
  }
  return c.find("template") != nullptr
             ? render_case_file(inputs, inputs.bundle->chart().name() + "/" + kTemplate)
             : print_case(inputs);
}

}  // namespace

TEST_CASE("every chart case gives what Helm gives") {
  REQUIRE(setenv("TZ", "UTC", 1) == 0);  // Local times of TOML take the zone of the process.
  size_t count = 0;
  for (const std::string& path :
       cases::list_case_files(std::string(CW_SOURCE_DIR) + "/test/cases/chart")) {
    for (const cases::Case& c : cases::read_case_file(path).cases) {
      ++count;
      INFO(path << ":" << c.line << ": " << c.title);
      const auto got = answer(c);
      const std::string* error = c.find("error");
      CHECK((got.ok() ? *got : "error: " + got.error().message()) ==
            (error != nullptr ? "error: " + *error : *c.find("want")));
    }
  }
  CHECK(count > 0);
}

}  // namespace chartwright::chart
