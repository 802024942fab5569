// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "coverage/changed_values.h"
#include "coverage/template_file.h"
#include "tmpl/ast.h"
#include "tmpl/function.h"
#include "tmpl/run_counts.h"

// The lines and branches of templates that tests run. A line counts if a statement is on it: an
// action, or text that is not blank. It is covered if one of its statements ran. An if, with or
// range is a branch with two sides, whether it has an else or not.
namespace chartwright::coverage {

/// A number of lines or sides of branches, and how many of them are covered.
struct Share {
  size_t covered = 0;
  size_t total = 0;

  void add(const Share& other);
  /// Returns the tenths of a percent, rounded down: 1000 means all. 1000 if there are none.
  size_t per_mille() const;
  /// Returns "83.3 %"; "" if there are none.
  std::string percent() const;
};

/// The sides of an if, with or range that its executions took.
struct BranchCount {
  size_t line = 0;
  std::string text;  ///< "if .Values.x"
  tmpl::BranchKind kind = tmpl::BranchKind::kIf;
  tmpl::SourceCounts::Count count;

  /// Returns in words which sides were never taken: "never true"; empty: both were taken.
  std::vector<std::string> missed() const;
};

struct FileCoverage {
  std::string name;  ///< "app/templates/x.yaml"
  std::string path;  ///< On the disk, unless the chart, or a dependency, is an archive.
  std::shared_ptr<const std::string> text;
  /// The lines that count, from 1, and how often their statements ran: the largest number.
  std::map<size_t, uint64_t> lines;
  std::vector<BranchCount> branches;  ///< In the order of their lines.

  Share line_share() const;
  Share branch_share() const;
  /// Returns the lines that were never run.
  std::vector<size_t> missed_lines() const;
};

/// The coverage of a chart by all its suites.
struct ChartCoverage {
  std::string name;
  std::string folder;  ///< The path that the user named.
  std::vector<FileCoverage> files;
  ReadDefaults defaults;

  Share line_share() const;
  Share branch_share() const;
};

/// Counts the lines and branches of a template. Of one that cannot be parsed, each line that is not
/// blank counts as never run. Pure.
FileCoverage cover_file(const TemplateFile& file, const tmpl::SourceCounts& counts,
                        const std::shared_ptr<const tmpl::FunctionMap>& functions);

}  // namespace chartwright::coverage
