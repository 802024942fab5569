// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "tmpl/template.h"
#include "value/value.h"

namespace chartwright::tmpl {

/// A host with a stopped clock and random bytes that are all zero.
class StillHost final : public Host {
 public:
  base::WallTime now() override { return {}; }
  base::Status random(std::span<uint8_t> out) override {
    for (uint8_t& byte : out) {
      byte = 0;
    }
    return {};
  }
};

/// The output of a template and, if it failed, the error.
struct Outcome {
  std::string out;
  base::Status status;
  /// Returns the output, or "error: " and the message.
  std::string text() const { return status.ok() ? out : "error: " + status.error().message(); }
};

/// Parses and executes templates with the functions of a test.
struct Fixture {
  std::shared_ptr<FunctionMap> functions = std::make_shared<FunctionMap>();
  base::BudgetLimits limits;
  MissingKey missing_key = MissingKey::kDefault;
  Extension* extension = nullptr;

  Outcome execute(const Template& templates, std::string_view name, const value::Value& data) {
    base::SystemClock clock;
    base::Budget budget(limits, clock);
    WrittenDicts written;
    StillHost host;
    Outcome outcome;
    outcome.status =
        templates.execute(name, data, {missing_key, budget, written, host, extension}, outcome.out);
    return outcome;
  }

  /// Runs `text` as the template "case" in a new namespace.
  Outcome run(std::string text, const value::Value& data = {}) {
    Template templates(functions, "case");
    base::Status status = templates.parse("case", std::move(text));
    return status.ok() ? execute(templates, "case", data) : Outcome{{}, std::move(status)};
  }
};

}  // namespace chartwright::tmpl
