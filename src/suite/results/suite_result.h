// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "coverage/chart_coverage.h"

namespace chartwright::suite {

/// A field in which the value that an assertion expects and the one that was rendered differ. The
/// values are JSON, which may be cut.
struct FieldDifference {
  /// "spec.containers[name=web].image", from the values that are compared.
  std::string path;
  std::optional<std::string> expected;  ///< nullopt: no such field.
  std::optional<std::string> actual;
};

struct AssertionResult {
  size_t index = 0;
  std::string place = {};    ///< Instead of the index, in a scenario: "when[0].then[1]".
  base::SourcePos pos = {};  ///< In the suite's file.
  std::string type = {};
  bool is_not = false;
  bool passed = false;
  bool skipped = false;
  std::vector<std::string> lines = {};       ///< Why it has failed, or was skipped.
  std::vector<FieldDifference> fields = {};  ///< Those that `lines` has; may be empty.
  std::vector<std::string> hints = {};       ///< Where it stands, and where its values come from.
};

struct JobResult {
  std::string name = {};
  bool passed = false;
  bool skipped = false;
  std::optional<std::string> error = {};
  std::string help = {};  ///< Places of the error in templates and values, or "".
  /// The sentence that says why it passes with --compat, or "".
  std::string compat = {};
  std::vector<AssertionResult> assertions = {};
  base::Duration duration{};
};

struct SnapshotCounts {
  size_t total = 0;
  size_t failed = 0;
  size_t created = 0;
  size_t vanished = 0;
};

struct SuiteResult {
  std::string name = {};
  std::string file = {};
  bool passed = false;
  bool skipped = false;
  bool stopped = false;                   ///< `fail_fast` has ended the run.
  std::optional<std::string> error = {};  ///< Why it was not run.
  std::vector<JobResult> jobs = {};       ///< Those that were run or skipped.
  SnapshotCounts snapshots = {};
};

/// The outcome of a whole run.
struct RunResults {
  const std::vector<SuiteResult>& suites;
  /// The coverage of each chart, if it was measured.
  std::span<const coverage::ChartCoverage> coverage = {};
};

}  // namespace chartwright::suite
