// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "suite/results/suite_result.h"

// The report, as helm-unittest prints it. No text of a chart or a suite in it can control a
// terminal. Source: helm-unittest pkg/unittest/results, printer, test_runner.go.
namespace chartwright::suite {

enum class Color : uint8_t { kNo, kYes };

/// Returns the heading of an assertion that has failed: "- asserts[0] NOT `equal` fail".
std::string assertion_title(const AssertionResult& result);

/// Returns the lines of one suite: its title, and what failed or was skipped.
std::string suite_text(const SuiteResult& result, Color color);

/// Returns the heading of a chart.
std::string chart_text(const std::string& name, const std::string& path, Color color);
/// Returns the heading of a chart that cannot be tested.
std::string broken_chart_text(const std::string& error, Color color);

/// The counts of a whole run.
class Summary {
 public:
  enum class Outcome : uint8_t { kPassed, kFailed, kErrored };

  void add(const SuiteResult& result);
  void add_chart(Outcome outcome);
  std::string text(base::Duration elapsed, Color color) const;

 private:
  struct Counts {
    size_t passed = 0;
    size_t failed = 0;
    size_t errored = 0;
    size_t skipped = 0;
    std::string text(Color color) const;
  };
  std::string snapshots_text(Color color) const;

  Counts charts_;
  Counts suites_;
  Counts jobs_;
  SnapshotCounts snapshots_;
  size_t suites_with_failed_snapshots_ = 0;
};

}  // namespace chartwright::suite
