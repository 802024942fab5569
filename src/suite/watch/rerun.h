// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "suite/suite.h"

namespace chartwright::suite {

/// A suite, and the files that concern it. All paths are absolute.
struct WatchedSuite {
  std::string file;
  std::string snapshots;
  std::set<std::string> values;
};

/// Returns the files of a suite, whose own path may be relative to the current folder. Pure but for
/// that.
WatchedSuite watched_suite(const Suite& suite);

/// A chart, and the suites that its last run has found.
struct WatchedChart {
  std::string path;  ///< The absolute one of its folder or archive.
  std::vector<WatchedSuite> suites = {};
};

/// The suites of a chart that a change concerns.
struct Rerun {
  size_t chart = 0;  ///< The place among all charts.
  /// The files of the suites; nullopt: all suites of the chart.
  std::optional<std::set<std::string>> suites = {};

  bool operator==(const Rerun&) const = default;
};

/// Returns what is to be run again after files have changed: the suites that a file belongs to or
/// whose values it has; if it is another file of the chart, all suites of that. Pure.
std::vector<Rerun> reruns_for(const std::vector<WatchedChart>& charts,
                              const std::vector<std::string>& changed);

}  // namespace chartwright::suite
