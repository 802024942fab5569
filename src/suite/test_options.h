// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/render/inputs.h"
#include "helm/version/profile.h"
#include "suite/compat.h"
#include "suite/post_render.h"
#include "suite/results/suite_report.h"
#include "suite/snapshot.h"
#include "suite/suite.h"
#include "suite/suite_reader.h"
#include "suite/suite_run.h"

namespace chartwright::suite {

/// How charts are tested.
struct TestOptions {
  std::vector<std::string> files{"tests/*_test.yaml"};  ///< Patterns, relative to each chart.
  std::vector<std::string> values;                      ///< Values files of every suite.
  bool with_subcharts = true;
  /// The folder, relative to each chart, of a chart that renders suites; empty: none.
  std::string chart_tests_path;
  bool strict = false;             ///< Unknown keys are errors.
  bool measures_coverage = false;  ///< Counts what tests run; costs time.
  bool keeps_renders = false;      ///< Writes what each test renders below `.debug`.
  size_t threads = 1;              ///< At most so many suites are run at the same time.
  PostRender post_render = {};     ///< Empty: suites may run no program.
  std::stop_token stop = {};       ///< After a stop, the suites that are left are not run.
  /// Reports whether a suite is to be run; empty: all are.
  std::function<bool(const Suite&)> wants = {};
  Color color = Color::kNo;
  FailFast fail_fast = FailFast::kNo;
  SnapshotUse snapshots = SnapshotUse::kCompare;
  helm::SchemaCheck schema_check = helm::SchemaCheck::kValidate;
  const helm::Profile* profile = &helm::default_profile();
  /// Reads the scenarios of a suite, given the folder of its chart; empty: they are keys that
  /// nothing reads.
  std::function<base::Result<std::vector<ScenarioTest>>(SuiteMap& suite, const std::string& chart)>
      read_scenarios;
  /// Not nullptr: the mistakes of helm-unittest are copied, and failures have its words alone.
  Compat* compat = nullptr;
};

}  // namespace chartwright::suite
