// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "coverage/chart_coverage.h"

namespace chartwright::cmd {

/// Writes a file that `flag` names, and makes its folder if there is none. Errors: those of
/// base::replace_file, after the flag.
base::Status write_text_file(const std::string& path, const std::string& text,
                             std::string_view flag);

/// Returns the coverage of a chart as a table, and the values that no test changes. Of many lines
/// or values it has the first. Pure.
std::string coverage_text(const coverage::ChartCoverage& chart);

/// The flags of `chartwright test` about coverage, and what they ask for.
class CoverageOutput {
 public:
  void declare(FlagSet& flags);
  /// Error: kInvalidArgument for a value that a flag cannot have.
  base::Status check() const;
  /// Reports whether coverage is to be measured.
  bool is_wanted() const {
    return shows_ || !lcov_path_.empty() || !html_path_.empty() || has_min_;
  }

  void add(coverage::ChartCoverage chart) { charts_.push_back(std::move(chart)); }
  const std::vector<coverage::ChartCoverage>& charts() const { return charts_; }
  /// Writes the files. Error: that of base::replace_file.
  base::Status write() const;
  /// Error: kInvalidArgument if the lines of a chart are covered less than they have to be.
  base::Status check_min() const;

 private:
  bool shows_ = false;
  std::string lcov_path_;
  std::string html_path_;
  int64_t min_percent_ = 0;
  bool has_min_ = false;
  std::vector<coverage::ChartCoverage> charts_;
};

}  // namespace chartwright::cmd
