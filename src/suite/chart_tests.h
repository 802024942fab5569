// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "coverage/chart_coverage.h"
#include "helm/render/inputs.h"
#include "suite/results/suite_report.h"
#include "suite/suite_run.h"
#include "suite/test_options.h"

namespace chartwright::suite {

/// Where a test run writes: its report, and warnings.
struct TestOutput {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
  /// Gets each result when it is reported: that of a suite, or of a chart or file that cannot be
  /// read.
  std::function<void(const SuiteResult&)> done = [](const SuiteResult&) {};
  /// Gets the coverage of each chart that was tested, if that is measured.
  std::function<void(coverage::ChartCoverage)> covered = [](const coverage::ChartCoverage&) {};
};

/// Tests the chart in a folder, or in an archive: finds the suites of it and of its enabled
/// dependencies, runs them, and writes snapshot files that are new or to be updated. Adds to
/// `summary`. Returns whether all has passed.
/// Source: helm-unittest pkg/unittest/test_runner.go.
bool test_chart(const std::string& path, const TestOptions& options,
                const helm::RenderContext& context, const TestOutput& output, Summary& summary);

}  // namespace chartwright::suite
