// SPDX-License-Identifier: Apache-2.0
#include "suite/watch/watch_loop.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "suite/watch/file_look.h"

namespace chartwright::suite {
namespace {

// A file that is written without a pause must not put off the tests for ever.
constexpr int kLooksMax = 20;

bool is_snapshot(std::string_view path) {
  return path.find("/__snapshot__/") != std::string_view::npos;
}

std::set<std::string> watched_paths(const std::vector<WatchedChart>& charts) {
  std::set<std::string> paths;
  for (const WatchedChart& chart : charts) {
    paths.insert(chart.path);
    for (const WatchedSuite& suite : chart.suites) {
      paths.insert(suite.file);
      paths.insert(suite.values.begin(), suite.values.end());
    }
  }
  return paths;
}

std::vector<Rerun> everything(const std::vector<WatchedChart>& charts) {
  std::vector<Rerun> all;
  for (size_t i = 0; i < charts.size(); ++i) {
    all.push_back({.chart = i});
  }
  return all;
}

bool is_below(const std::string& file, const std::set<std::string>& paths) {
  return std::ranges::any_of(paths, [&file](const std::string& path) {
    return file == path || file.starts_with(path + "/");
  });
}

class WatchLoop {
 public:
  explicit WatchLoop(const WatchedTests& tests) : tests_(tests) {}

  base::Status run() {
    CW_TRY_VOID(run_tests(everything(tests_.charts), {}));
    while (true) {
      CW_TRY(auto now, settled());
      if (!now) {
        return {};
      }
      const std::vector<std::string> changed = changed_files(seen_, *now);
      const std::vector<Rerun> reruns = reruns_for(tests_.charts, changed);
      seen_ = *std::move(now);
      if (!reruns.empty()) {
        CW_TRY_VOID(run_tests(reruns, changed));
      }
    }
  }

 private:
  /// Runs tests, and notes the files that they have seen. A file that is written meanwhile has
  /// changed, unless the tests write it.
  base::Status run_tests(const std::vector<Rerun>& reruns,
                         const std::vector<std::string>& changed) {
    const std::set<std::string> paths = watched_paths(tests_.charts);
    CW_TRY(const FileLook before, look_at(paths));
    CW_TRY_VOID(tests_.run(reruns, changed));
    CW_TRY(seen_, look_at(watched_paths(tests_.charts)));
    std::erase_if(seen_, [&](const auto& entry) {
      const std::string& file = entry.first;
      return !is_snapshot(file) && !before.contains(file) && is_below(file, paths);
    });
    for (const auto& [file, stamp] : before) {
      if (!is_snapshot(file)) {
        seen_[file] = stamp;
      }
    }
    return {};
  }

  /// Waits for a change that has settled. Returns nullopt when all is to end.
  base::Result<std::optional<FileLook>> settled() {
    const std::set<std::string> paths = watched_paths(tests_.charts);
    FileLook last = seen_;
    for (int looks = 0; tests_.wait();) {
      CW_TRY(FileLook now, look_at(paths));
      if (now != seen_ && (now == last || ++looks == kLooksMax)) {
        return std::optional(std::move(now));
      }
      looks = now == seen_ ? 0 : looks;
      last = std::move(now);
    }
    return std::optional<FileLook>();
  }

  const WatchedTests& tests_;
  FileLook seen_;  ///< The files that the last run has seen.
};

}  // namespace

base::Status watch_tests(const WatchedTests& tests) { return WatchLoop(tests).run(); }

}  // namespace chartwright::suite
