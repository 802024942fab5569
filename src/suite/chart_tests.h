// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "coverage/chart_coverage.h"
#include "helm/render/inputs.h"
#include "suite/compat.h"
#include "suite/results/suite_report.h"
#include "suite/suite.h"
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
  /// Gets each suite of a chart that can be read, also those that are not to be run.
  std::function<void(const Suite&)> found = [](const Suite&) {};
};

/// The sums of a run over several charts.
struct RunState {
  Summary summary = {};
  Compat left_behind = {};  ///< The state that helm-unittest would have after their suites.
};

/// Returns the path of the snapshot file of a suite.
std::string snapshot_file(const Suite& suite);

/// Tests the chart in a folder, or in an archive: finds the suites of it and of its enabled
/// dependencies, runs them, and writes snapshot files that are new or to be updated. Adds to
/// `state`. Returns whether all has passed.
/// Source: helm-unittest pkg/unittest/test_runner.go.
bool test_chart(const std::string& path, const TestOptions& options,
                const helm::RenderContext& context, const TestOutput& output, RunState& state);

}  // namespace chartwright::suite
