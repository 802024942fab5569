// SPDX-License-Identifier: Apache-2.0
#include "coverage/coverage_json.h"

#include <string>
#include <utility>
#include <vector>

namespace chartwright::coverage {
namespace {

using value::Value;

Value number(size_t count) { return Value::integer(static_cast<int64_t>(count)); }

Value share_value(const Share& share) {
  return Value::dict({{"covered", number(share.covered)}, {"total", number(share.total)}});
}

Value file_value(const FileCoverage& file) {
  std::vector<Value> lines;
  for (const size_t line : file.missed_lines()) {
    lines.push_back(number(line));
  }
  std::vector<Value> branches;
  for (const BranchCount& branch : file.branches) {
    if (const std::vector<std::string> missed = branch.missed(); !missed.empty()) {
      branches.push_back(Value::dict({{"line", number(branch.line)},
                                      {"branch", Value::string(branch.text)},
                                      {"missed", value::list_of(missed)}}));
    }
  }
  return Value::dict({{"name", Value::string(file.name)},
                      {"lines", share_value(file.line_share())},
                      {"branches", share_value(file.branch_share())},
                      {"missedLines", Value::list(std::move(lines))},
                      {"missedBranches", Value::list(std::move(branches))}});
}

Value chart_value(const ChartCoverage& chart) {
  std::vector<Value> files;
  for (const FileCoverage& file : chart.files) {
    files.push_back(file_value(file));
  }
  const ReadDefaults& defaults = chart.defaults;
  return Value::dict(
      {{"chart", Value::string(chart.name)},
       {"folder", Value::string(chart.folder)},
       {"lines", share_value(chart.line_share())},
       {"branches", share_value(chart.branch_share())},
       {"values", share_value({defaults.total - defaults.unset.size(), defaults.total})},
       {"unsetValues", value::list_of(defaults.unset)},
       {"templates", Value::list(std::move(files))}});
}

}  // namespace

Value coverage_value(std::span<const ChartCoverage> charts) {
  std::vector<Value> values;
  for (const ChartCoverage& chart : charts) {
    values.push_back(chart_value(chart));
  }
  return Value::list(std::move(values));
}

}  // namespace chartwright::coverage
