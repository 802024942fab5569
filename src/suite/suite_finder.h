// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/render/inputs.h"
#include "suite/compat.h"
#include "suite/results/suite_result.h"
#include "suite/suite.h"
#include "suite/test_options.h"

namespace chartwright::suite {

/// A suite, and the path of its chart in the tree of charts.
struct FoundSuite {
  Suite suite;
  std::string route;
  Compat left_behind = {};  ///< The state that helm-unittest would have before it.
};

/// Reads a file of a chart's tests. Errors: kNotFound in the words of Go, and those of
/// base::read_file.
base::Result<std::string> read_test_file(const std::string& path);

/// Finds the suites of a chart and of its enabled dependencies: those in files, and those that a
/// chart of suites renders. The arguments must outlive it.
/// Source: helm-unittest pkg/unittest/test_runner.go, test_suite.go.
class SuiteFinder {
 public:
  SuiteFinder(const TestOptions& options, const helm::RenderContext& context)
      : options_(options), context_(context) {}

  /// Adds the suites of the chart in the folder `path`. Errors: those of read_suite_file, and of
  /// the chart of suites.
  base::Status find(const helm::Chart& chart, const std::string& path, const std::string& route);

  std::vector<FoundSuite> take() { return std::move(found_); }
  /// The keys that nothing reads.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// The file that could not be read, if that was the error.
  const std::optional<SuiteResult>& broken() const { return broken_; }

 private:
  /// Whether a suite is in a file, or was rendered.
  enum class Origin : uint8_t { kFile, kRendered };

  /// Where a suite file belongs: the folder and the route of its chart.
  struct Home {
    const std::string& folder;
    const std::string& route;
  };

  base::Status find_rendered(const std::string& folder, const Home& home);
  base::Status add(std::string_view text, const std::string& file, const Home& home, Origin origin);
  base::Status merge_values(const helm::Chart& chart);
  bool is_enabled(const helm::Chart& chart, const std::string& name) const;

  const TestOptions& options_;
  const helm::RenderContext& context_;
  value::Value values_;  ///< Those that conditions and tags are looked up in.
  std::vector<FoundSuite> found_;
  std::vector<std::string> warnings_;
  std::optional<SuiteResult> broken_;
};

}  // namespace chartwright::suite
