// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::cmd {

/// The weight of a finding of a check before a migration.
enum class Grade : uint8_t {
  kOk,
  kWarn,  ///< Something is to be done, or changes.
  kFail,  ///< The switch would not work.
};
std::string_view to_string(Grade grade);  ///< "OK", "WARN", "FAIL"

/// The result of one check.
struct Finding {
  Grade grade = Grade::kOk;
  std::string check;  ///< The part that was checked: "Dockerfile", "rights".
  std::string text;
  std::string fix = {};  ///< A command, or a sentence; empty: nothing is to be done.
};

/// Returns the findings in a table of printable lines, in their order.
std::string table_of(const std::vector<Finding>& findings);

/// Returns a finding as JSON has it: the form that docs/start/migration.md describes.
value::Value to_value(const Finding& finding);

/// Returns the worst grade; kOk without findings.
Grade worst_of(const std::vector<Finding>& findings);

}  // namespace chartwright::cmd
