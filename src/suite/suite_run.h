// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "suite/job_render.h"
#include "suite/snapshot.h"
#include "suite/suite.h"

namespace chartwright::suite {

struct AssertionResult {
  size_t index = 0;
  std::string type = {};
  bool is_not = false;
  bool passed = false;
  bool skipped = false;
  std::vector<std::string> lines = {};  ///< Why it has failed, or was skipped.
};

struct JobResult {
  std::string name = {};
  bool passed = false;
  bool skipped = false;
  std::optional<std::string> error = {};
  std::vector<AssertionResult> assertions = {};
  base::Duration duration{};
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

enum class FailFast : uint8_t { kNo, kYes };

/// Runs all jobs of a suite. Pure but for the context of the render, and the values files that it
/// reads.
/// Source: helm-unittest pkg/unittest/test_suite.go, test_job.go, assertion.go.
SuiteResult run_suite(const Suite& suite, const ChartUnderTest& under, Snapshots& snapshots,
                      FailFast fail_fast);

}  // namespace chartwright::suite
