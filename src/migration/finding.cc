// SPDX-License-Identifier: Apache-2.0
#include "migration/finding.h"

#include <algorithm>

#include "report/table.h"

namespace chartwright::cmd {

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::kOk:
      return "OK";
    case Grade::kWarn:
      return "WARN";
    case Grade::kFail:
      break;
  }
  return "FAIL";
}

std::string table_of(const std::vector<Finding>& findings) {
  Table table({"RESULT", "CHECK", "FINDING", "FIX"});
  for (const Finding& one : findings) {
    table.add(
        {std::string(to_string(one.grade)), one.check, short_line(one.text), short_line(one.fix)});
  }
  return table.text();
}

value::Value to_value(const Finding& finding) {
  using value::Value;
  return Value::dict({{"result", Value::string(to_string(finding.grade))},
                      {"check", Value::string(finding.check)},
                      {"finding", Value::string(short_line(finding.text))},
                      {"fix", Value::string(short_line(finding.fix))}});
}

Grade worst_of(const std::vector<Finding>& findings) {
  Grade worst = Grade::kOk;
  for (const Finding& one : findings) {
    worst = std::max(worst, one.grade);
  }
  return worst;
}

}  // namespace chartwright::cmd
