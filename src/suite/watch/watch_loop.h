// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "suite/watch/rerun.h"

namespace chartwright::suite {

/// The tests that are run again and again.
struct WatchedTests {
  /// Runs suites, and finds out anew which there are. `changed`: the files because of which.
  std::function<base::Status(const std::vector<Rerun>& reruns,
                             const std::vector<std::string>& changed)>
      run;
  /// The charts with the suites that the last run of each has found: `run` changes them.
  const std::vector<WatchedChart>& charts;
  /// Waits until it is time to look at files again. Returns false when all is to end.
  std::function<bool()> wait;
};

/// Runs all suites, and those that a change concerns after each change that has settled: two looks
/// in a row, or the 20th, end a burst of writes. The snapshots that a run writes are no change.
/// Returns when `wait` returns false. Errors: that of look_at, and those of `run`.
base::Status watch_tests(const WatchedTests& tests);

}  // namespace chartwright::suite
