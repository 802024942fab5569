// SPDX-License-Identifier: Apache-2.0
#include "suite/chart_tests.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/strings.h"
#include "go/path.h"
#include "helm/values/coalesce.h"
#include "suite/suite_file.h"
#include "suite/suite_glob.h"
#include "suite/typed_yaml.h"

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;
using value::Value;

constexpr size_t kFileBytesMax = size_t{16} << 20;

/// A suite, and the path of its chart in the tree of charts.
struct FoundSuite {
  Suite suite;
  std::string route;
};

base::Result<std::string> read_test_file(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return base::Error(base::ErrorCode::kNotFound, "open " + path + ": no such file or directory");
  }
  return base::read_file(path, kFileBytesMax);
}

/// Returns the path relative to the current folder, if it has no other form.
std::string shown_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const fs::path relative = absolute.lexically_relative(fs::current_path(error));
  return relative.empty() ? path : relative.string();
}

/// Finds the suites of a chart and of its dependencies.
class SuiteFinder {
 public:
  SuiteFinder(const TestOptions& options, std::vector<std::string>& warnings)
      : options_(options), warnings_(warnings) {}

  base::Status find(const helm::Chart& chart, const std::string& path, const std::string& route) {
    CW_TRY(const std::vector<std::string> files, find_suite_files(path, options_.files));
    for (const std::string& file : files) {
      CW_TRY_VOID(add(file, route));
    }
    if (!options_.with_subcharts) {
      return {};
    }
    if (values_.is_nil()) {
      CW_TRY_VOID(merge_values(chart));
    }
    for (const helm::Chart& dependency : chart.dependencies) {
      if (is_enabled(chart, dependency.name())) {
        const std::string below = "charts/" + dependency.name();
        CW_TRY_VOID(find(dependency, go::join_path(path, below), route + "/" + below));
      }
    }
    return {};
  }

  std::vector<FoundSuite> take() { return std::move(found_); }
  /// The file that could not be read, if that was the error.
  const std::optional<SuiteResult>& broken() const { return broken_; }

 private:
  base::Status add(const std::string& file, const std::string& route) {
    CW_TRY(const std::string text, read_test_file(file));
    auto read = read_suite_file(text, shown_path(file));
    if (read.ok() && options_.strict && !read->warnings.empty()) {
      read = base::Error(base::ErrorCode::kParse, base::join(read->warnings, "\n"));
    }
    if (!read.ok()) {
      broken_ = SuiteResult{.file = shown_path(file), .error = read.error().to_string()};
      return read.error();
    }
    warnings_.insert(warnings_.end(), read->warnings.begin(), read->warnings.end());
    for (Suite& suite : read->suites) {
      for (Job& job : suite.jobs) {
        const auto own =
            job.settings.values.begin() + static_cast<std::ptrdiff_t>(suite.settings.values.size());
        std::vector<std::string> given;
        std::ranges::transform(options_.values, std::back_inserter(given), [](const auto& name) {
          std::error_code error;
          return fs::absolute(name, error).string();
        });
        job.settings.values.insert(own, given.begin(), given.end());
      }
      found_.push_back({std::move(suite), route});
    }
    return {};
  }

  /// Merges the values that conditions and tags are looked up in.
  base::Status merge_values(const helm::Chart& chart) {
    values_ = value::deep_copy(chart.values);
    for (const std::string& name : options_.values) {
      CW_TRY(const std::string text, read_test_file(name));
      CW_TRY(Value over, parse_typed_yaml(text));
      if (over.is_dict()) {
        helm::Warnings ignored;
        helm::merge_tables(over, std::move(values_), {helm::Nulls::kKeep, *options_.profile},
                           ignored);
        values_ = std::move(over);
      }
    }
    return {};
  }

  /// Source: helm-unittest pkg/unittest/test_runner.go isSubchartEnabled.
  bool is_enabled(const helm::Chart& chart, const std::string& name) const {
    const auto& all = chart.metadata.dependencies;
    const auto found = std::ranges::find_if(all, [&](const helm::Dependency& dependency) {
      return (dependency.alias.empty() ? dependency.name : dependency.alias) == name;
    });
    if (found == all.end()) {
      return true;
    }
    if (!found->condition.empty()) {
      const Value* at = &values_;
      for (std::string_view part : base::split(found->condition, '.')) {
        at = at != nullptr ? at->find(part) : nullptr;
      }
      return at == nullptr || !at->is_bool() || at->as_bool();
    }
    const Value* const tags = values_.find("tags");
    return found->tags.empty() || tags == nullptr || !tags->is_dict() ||
           std::ranges::any_of(found->tags,
                               [&](const std::string& tag) { return tags->bool_at({tag}); });
  }

  const TestOptions& options_;
  std::vector<std::string>& warnings_;
  Value values_;
  std::vector<FoundSuite> found_;
  std::optional<SuiteResult> broken_;
};

std::string snapshot_file(const Suite& suite) {
  const std::string name = std::string(go::base_name(suite.file)) +
                           (suite.snapshot_id.empty() ? "" : "_" + suite.snapshot_id) + ".snap";
  return go::join_path(go::join_path(suite.file, "../__snapshot__"), name);
}

base::Result<Snapshots> read_snapshots(const std::string& file, SnapshotUse use) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    return Snapshots({}, use);
  }
  CW_TRY(const std::string text, base::read_file(file, kFileBytesMax));
  auto texts = Snapshots::parse(text);
  if (!texts.ok()) {
    return std::move(texts).error().wrap(file);
  }
  return Snapshots(*std::move(texts), use);
}

base::Status store_snapshots(const std::string& file, const Snapshots& snapshots) {
  if (!snapshots.is_changed()) {
    return {};
  }
  CW_TRY(const std::string text, snapshots.text());
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  return base::replace_file(file, text);
}

/// Runs a suite with its snapshot file.
std::vector<SuiteResult> run_with_snapshots(const Suite& suite, const ChartUnderTest& under,
                                            const TestOptions& options) {
  const std::string file = snapshot_file(suite);
  auto snapshots = read_snapshots(file, options.snapshots);
  if (!snapshots.ok()) {
    return {{.file = suite.file, .error = snapshots.error().message()}};
  }
  std::vector<SuiteResult> results{run_suite(suite, under, *snapshots, options.fail_fast)};
  if (const auto status = store_snapshots(file, *snapshots); !status.ok()) {
    results.push_back({.file = file, .error = status.error().message()});
  }
  return results;
}

}  // namespace

bool test_chart(const std::string& path, const TestOptions& options,
                const helm::RenderContext& context, const TestOutput& output, Summary& summary) {
  const auto loaded = helm::RenderableChart::load(path, *options.profile);
  std::vector<std::string> warnings;
  SuiteFinder finder(options, warnings);
  const auto status = loaded.ok() ? finder.find((*loaded)->chart(), path, (*loaded)->chart().name())
                                  : loaded.error();
  for (const std::string& warning : warnings) {
    output.err("WARNING: " + warning + "\n");
  }
  if (!status.ok()) {
    if (finder.broken()) {
      output.out(suite_text(*finder.broken()));
      summary.add(*finder.broken());
    }
    output.out(broken_chart_text(status.error().to_string()));
    summary.add_chart(Summary::Outcome::kErrored);
    return false;
  }
  output.out(chart_text((*loaded)->chart().name(), path));
  const FileReader reader = read_test_file;
  bool passed = true;
  for (const FoundSuite& found : finder.take()) {
    const ChartUnderTest under{**loaded, found.route, context, reader, options.schema_check};
    bool stopped = false;
    for (const SuiteResult& result : run_with_snapshots(found.suite, under, options)) {
      output.out(suite_text(result));
      summary.add(result);
      passed = passed && result.passed;
      stopped = stopped || result.stopped;
    }
    if (stopped) {
      break;
    }
  }
  summary.add_chart(passed ? Summary::Outcome::kPassed : Summary::Outcome::kFailed);
  return passed;
}

}  // namespace chartwright::suite
