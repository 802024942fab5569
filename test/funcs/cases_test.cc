// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/strings.h"
#include "funcs/registry.h"
#include "test/cases/case_file.h"
#include "test/funcs/fixed_host.h"
#include "tmpl/template.h"
#include "value/yaml.h"

// Cases are rendered with text/template's executor and the Sprig functions alone, in the frame that
// Helm gives them: the template's name, .Values, missing keys as zero values.
namespace chartwright::funcs {
namespace {

using value::Value;

constexpr const char* kTemplateName = "case/templates/case.yaml";

std::shared_ptr<const tmpl::FunctionMap> sprig() {
  auto functions = std::make_shared<tmpl::FunctionMap>();
  register_sprig(*functions);
  return functions;
}

Value case_values(const cases::Case& c) {
  Value values = Value::dict(value::DictType::kValues);
  for (const cases::Section& section : c.sections) {
    if (section.name != "values" && section.name != "data") {
      continue;
    }
    const auto numbers =
        section.name == "values" ? value::Numbers::kFloat64 : value::Numbers::kInt64;
    const base::Result<Value> part = value::parse_yaml(section.text, numbers);
    REQUIRE(part.ok());
    for (const auto& [key, member] : part->as_dict()) {
      values.mutable_dict().set(key, member);
    }
  }
  return values;
}

// What Helm's engine prints or says; it removes "<no value>" from its output.
std::string render(const cases::Case& c) {
  static const std::shared_ptr<const tmpl::FunctionMap> functions = sprig();
  tmpl::Template templates(functions, kTemplateName);
  const base::Status parsed = templates.parse(kTemplateName, *c.find("template"));
  if (!parsed.ok()) {
    return "error: " + parsed.error().message();
  }
  const base::SystemClock clock;
  tmpl::Budget budget(tmpl::BudgetLimits{}, clock);
  FixedHost host;
  const Value dot = Value::dict({{"Values", case_values(c)}});
  std::string out;
  const base::Status done =
      templates.execute(kTemplateName, dot, {tmpl::MissingKey::kZero, budget, host, nullptr}, out);
  return done.ok() ? base::replace_all(out, "<no value>", "") : "error: " + done.error().message();
}

}  // namespace

TEST_CASE("every function case gives what Helm gives") {
  // The expectations were made in UTC; the process reads its zone when it first needs it.
  REQUIRE(setenv("TZ", "UTC", 1) == 0);
  size_t count = 0;
  for (const std::string& path :
       cases::list_case_files(std::string(CW_SOURCE_DIR) + "/test/cases/funcs")) {
    for (const cases::Case& c : cases::read_case_file(path).cases) {
      ++count;
      INFO(path << ":" << c.line << ": " << c.title);
      const std::string* error = c.find("error");
      CHECK(render(c) == (error != nullptr ? "error: " + *error : *c.find("want")));
    }
  }
  CHECK(count >= 500);
}

}  // namespace chartwright::funcs
