// SPDX-License-Identifier: Apache-2.0
#include "suite/watch/rerun.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "suite/chart_tests.h"
#include "suite/job_render.h"

namespace chartwright::suite {
namespace {

std::string absolute(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

bool is_within(const std::string& file, const std::string& folder) {
  return file == folder || file.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

/// Returns the files of the suites of a chart that a changed file concerns by itself.
std::set<std::string> suites_with(const WatchedChart& chart, const std::string& file) {
  std::set<std::string> found;
  for (const WatchedSuite& suite : chart.suites) {
    if (file == suite.file || file == suite.snapshots || suite.values.contains(file)) {
      found.insert(suite.file);
    }
  }
  return found;
}

}  // namespace

WatchedSuite watched_suite(const Suite& suite) {
  WatchedSuite watched{.file = absolute(suite.file), .snapshots = absolute(snapshot_file(suite))};
  for (const Job& job : suite.jobs) {
    for (const std::string& name : job.settings.values) {
      watched.values.insert(absolute(values_file(suite, name)));
    }
  }
  return watched;
}

std::vector<Rerun> reruns_for(const std::vector<WatchedChart>& charts,
                              const std::vector<std::string>& changed) {
  std::vector<Rerun> reruns;
  for (size_t i = 0; i < charts.size(); ++i) {
    Rerun rerun{.chart = i, .suites = std::set<std::string>()};
    for (const std::string& file : changed) {
      const std::set<std::string> own = suites_with(charts[i], file);
      if (own.empty() && is_within(file, charts[i].path)) {
        rerun.suites.reset();
        break;
      }
      rerun.suites->insert(own.begin(), own.end());
    }
    if (!rerun.suites || !rerun.suites->empty()) {
      reruns.push_back(std::move(rerun));
    }
  }
  return reruns;
}

}  // namespace chartwright::suite
