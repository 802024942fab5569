// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "test/cases/case_file.h"
#include "test/helm/funcs/fixed_host.h"
#include "test/helm/funcs/render.h"
#include "yaml/yaml.h"

namespace chartwright::helm::funcs {
namespace {

using value::Value;

Value case_values(const cases::Case& c) {
  Value values = Value::dict(value::DictType::kValues);
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

}  // namespace

TEST_CASE("every function case gives what Helm gives") {
  size_t count = 0;
  for (const std::string& path :
       cases::list_case_files(std::string(CW_SOURCE_DIR) + "/test/cases/funcs")) {
    for (const cases::Case& c : cases::read_case_file(path).cases) {
      ++count;
      INFO(path << ":" << c.line << ": " << c.title);
      FixedHost host;
      const std::string* error = c.find("error");
      CHECK(render({*c.find("template"), case_values(c)}, host) ==
            (error != nullptr ? "error: " + *error : *c.find("want")));
    }
  }
  CHECK(count >= 500);
}

}  // namespace chartwright::helm::funcs
