// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "suite/results/suite_result.h"

namespace chartwright::suite {

/// The outcomes of a job that files of results tell apart.
enum class Verdict : uint8_t {
  kPassed,
  kSkipped,
  kFailed,
  kErrored,  ///< It could not be rendered, and expected that it can.
};

Verdict verdict_of(const JobResult& job);

/// How many jobs have each outcome.
struct Tally {
  size_t total = 0;
  size_t passed = 0;
  size_t skipped = 0;
  size_t failed = 0;
  size_t errored = 0;

  void add(Verdict verdict);
  void add(const Tally& other);
};

/// Counts the jobs of a suite. A suite that could not be run counts as a job that is errored.
Tally tally_of(const SuiteResult& suite);

/// Returns the time that the jobs of a suite took together.
base::Duration duration_of(const SuiteResult& suite);
/// Returns a time in seconds: "0.012".
std::string seconds_text(base::Duration duration);

/// Returns the error of a job that could not be rendered, the help for it, and why the job passes
/// with --compat.
std::string error_of(const JobResult& job);
/// Returns the lines of a job that has not passed: why it was skipped, its error, the assertions
/// that failed or were skipped, and why it passes with --compat.
std::string details_of(const JobResult& job);

}  // namespace chartwright::suite
