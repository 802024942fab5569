// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "helm/render/inputs.h"
#include "suite/snapshot.h"
#include "suite/suite_report.h"
#include "suite/suite_run.h"

namespace chartwright::suite {

/// How charts are tested.
struct TestOptions {
  std::vector<std::string> files{"tests/*_test.yaml"};  ///< Patterns, relative to each chart.
  std::vector<std::string> values;                      ///< Values files of every suite.
  bool with_subcharts = true;
  bool strict = false;  ///< Unknown keys are errors.
  FailFast fail_fast = FailFast::kNo;
  SnapshotUse snapshots = SnapshotUse::kCompare;
  helm::SchemaCheck schema_check = helm::SchemaCheck::kValidate;
  const helm::Profile* profile = &helm::default_profile();
};

/// Where a test run writes: its report, and warnings.
struct TestOutput {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
};

/// Tests the chart in a folder, or in an archive: finds the suites of it and of its enabled
/// dependencies, runs them, and writes snapshot files that are new or to be updated. Adds to
/// `summary`. Returns whether all has passed.
/// Source: helm-unittest pkg/unittest/test_runner.go.
bool test_chart(const std::string& path, const TestOptions& options,
                const helm::RenderContext& context, const TestOutput& output, Summary& summary);

}  // namespace chartwright::suite
