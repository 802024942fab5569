// SPDX-License-Identifier: Apache-2.0
#include "suite/chart_tests.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/memory_limit.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "go/path.h"
#include "suite/render_folder.h"
#include "suite/suite_finder.h"

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;

base::Result<Snapshots> read_snapshots(const std::string& file, SnapshotUse use) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    return Snapshots({}, use);
  }
  CW_TRY(const std::string text, read_test_file(file));
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

/// Runs the suites of one chart, and records their coverage if that is asked for.
class ChartRun {
 public:
  ChartRun(const helm::RenderableChart& chart, const TestOptions& options,
           const helm::RenderContext& context)
      : chart_(chart), options_(options), context_(context) {
    if (options.measures_coverage) {
      recorder_.emplace(chart, options.with_subcharts ? coverage::Subcharts::kInclude
                                                      : coverage::Subcharts::kLeaveOut);
    }
  }

  /// Thread-safe.
  std::vector<SuiteResult> run(const FoundSuite& found) {
    ChartUnderTest under{chart_,  found.route,           context_,
                         reader_, options_.schema_check, options_.compat};
    under.post_render = options_.post_render;
    under.left_behind = found.left_behind;
    if (options_.keeps_renders) {
      under.keep_render = [](const std::string& file, const std::string& text) {
        return keep_render(kRenderFolder, file, text);
      };
    }
    std::optional<coverage::Recording> recording;
    if (recorder_) {
      recording = recorder_->begin();
      under.recording = &*recording;
    }
    std::vector<SuiteResult> results = run_with_snapshots(found.suite, under, options_);
    if (recording) {
      recorder_->add(*recording);
    }
    return results;
  }

  std::optional<coverage::ChartCoverage> coverage_in(const std::string& folder) const {
    return recorder_ ? std::optional(recorder_->coverage(folder)) : std::nullopt;
  }

 private:
  const helm::RenderableChart& chart_;
  const TestOptions& options_;
  const helm::RenderContext& context_;
  const FileReader reader_ = read_test_file;
  std::optional<coverage::Recorder> recorder_;
};

/// Runs the suites of a chart on several threads, and hands out their results in order. Suites with
/// one snapshot file run one after another.
class SuiteRuns {
 public:
  using Results = std::vector<SuiteResult>;
  using Run = std::function<Results(const FoundSuite&)>;

  SuiteRuns(const std::vector<FoundSuite>& suites, Run run, size_t threads)
      : suites_(suites), run_(std::move(run)), results_(suites.size()) {
    std::map<std::string, std::vector<size_t>> by_snapshots;
    for (size_t i = 0; i < suites.size(); ++i) {
      by_snapshots[snapshot_file(suites[i].suite)].push_back(i);
    }
    for (auto& [file, group] : by_snapshots) {
      groups_.push_back(std::move(group));
    }
    // The suites whose results are asked for first are run first.
    std::ranges::sort(groups_);
    const size_t count = std::min(threads, groups_.size());
    const size_t memory = base::MemoryLimit::left() / std::max<size_t>(count, 1);
    for (size_t i = 0; i < count; ++i) {
      threads_.emplace_back("suites", base::kRenderStackBytes, [this, memory] { work(memory); });
    }
  }
  /// Ends after the suites that are being run.
  ~SuiteRuns() {
    const base::MutexLock lock(mutex_);
    next_ = groups_.size();
  }
  SuiteRuns(const SuiteRuns&) = delete;
  SuiteRuns& operator=(const SuiteRuns&) = delete;

  /// Waits until a suite has been run.
  Results take(size_t index) {
    const base::MutexLock lock(mutex_);
    while (!results_[index]) {
      done_.wait(mutex_);
    }
    return *std::exchange(results_[index], std::nullopt);
  }

 private:
  const std::vector<size_t>* next_group() {
    const base::MutexLock lock(mutex_);
    return next_ < groups_.size() ? &groups_[next_++] : nullptr;
  }

  void work(size_t memory) {
    while (const std::vector<size_t>* group = next_group()) {
      for (const size_t index : *group) {
        if (hand_out(index, run_within(memory, suites_[index])) == After::kEnd) {
          return;
        }
      }
    }
  }

  Results run_within(size_t memory, const FoundSuite& found) const {
    Results results;
    const auto status = base::within_memory(memory, [&]() -> base::Status {
      results = run_(found);
      return {};
    });
    if (!status.ok()) {
      const Suite& suite = found.suite;
      results = {{.name = suite.name, .file = suite.file, .error = status.error().message()}};
    }
    return results;
  }

  enum class After : uint8_t { kGoOn, kEnd };

  After hand_out(size_t index, Results results) {
    const bool is_last = std::ranges::any_of(results, &SuiteResult::stopped);
    const base::MutexLock lock(mutex_);
    results_[index] = std::move(results);
    done_.notify_all();
    next_ = is_last ? groups_.size() : next_;
    return is_last ? After::kEnd : After::kGoOn;
  }

  const std::vector<FoundSuite>& suites_;
  const Run run_;
  std::vector<std::vector<size_t>> groups_;  ///< Indexes of suites with one snapshot file.
  base::Mutex mutex_;
  base::CondVar done_;
  size_t next_ CW_GUARDED_BY(mutex_) = 0;
  std::vector<std::optional<Results>> results_ CW_GUARDED_BY(mutex_);
  std::vector<base::Thread> threads_;  ///< The last member: they use all others.
};

/// Returns the suites to run, each with what helm-unittest would keep of those before it.
std::vector<FoundSuite> wanted(std::vector<FoundSuite> suites, const TestOptions& options,
                               const TestOutput& output, RunState& state) {
  for (FoundSuite& found : suites) {
    output.found(found.suite);
    found.left_behind = state.left_behind;
    state.left_behind = after_suite(std::move(state.left_behind), found.suite);
  }
  std::erase_if(suites, [&options](const FoundSuite& found) {
    return options.wants && !options.wants(found.suite);
  });
  return suites;
}

/// Reports whether suites are run one after another: to stop at the first, to hand on what
/// helm-unittest keeps, since the renders of all are written to the same files, or for scenarios. A
/// scenario decides when its threads run, and none of them may wait for a lock that the thread of
/// another suite holds.
bool is_in_order(const TestOptions& options, const std::vector<FoundSuite>& suites) {
  return options.fail_fast == FailFast::kYes || options.compat != nullptr ||
         options.keeps_renders || std::ranges::any_of(suites, [](const FoundSuite& found) {
           return !found.suite.scenarios.empty();
         });
}

}  // namespace

std::string snapshot_file(const Suite& suite) {
  const std::string name = std::string(go::base_name(suite.file)) +
                           (suite.snapshot_id.empty() ? "" : "_" + suite.snapshot_id) + ".snap";
  return go::join_path(go::join_path(suite.file, "../__snapshot__"), name);
}

bool test_chart(const std::string& path, const TestOptions& options,
                const helm::RenderContext& context, const TestOutput& output, RunState& state) {
  const auto loaded = helm::RenderableChart::load(path, *options.profile);
  SuiteFinder finder(options, context);
  const auto status = loaded.ok() ? finder.find((*loaded)->chart(), path, (*loaded)->chart().name())
                                  : loaded.error();
  for (const std::string& warning : finder.warnings()) {
    output.err("WARNING: " + warning + "\n");
  }
  if (!status.ok()) {
    if (finder.broken()) {
      output.out(suite_text(*finder.broken(), options.color));
      state.summary.add(*finder.broken());
    }
    output.done(
        finder.broken().value_or(SuiteResult{.file = path, .error = status.error().to_string()}));
    output.out(broken_chart_text(status.error().to_string(), options.color));
    state.summary.add_chart(Summary::Outcome::kErrored);
    return false;
  }
  output.out(chart_text((*loaded)->chart().name(), path, options.color));
  ChartRun chart_run(**loaded, options, context);
  bool passed = true;
  const std::vector<FoundSuite> suites = wanted(finder.take(), options, output, state);
  SuiteRuns runs(
      suites,
      [&](const FoundSuite& found) {
        return options.stop.stop_requested() ? SuiteRuns::Results() : chart_run.run(found);
      },
      is_in_order(options, suites) ? 1 : options.threads);
  for (size_t i = 0; i < suites.size(); ++i) {
    bool stopped = false;
    for (const SuiteResult& result : runs.take(i)) {
      output.out(suite_text(result, options.color));
      output.done(result);
      state.summary.add(result);
      passed = passed && result.passed;
      stopped = stopped || result.stopped;
    }
    if (stopped) {
      break;
    }
  }
  if (auto coverage = chart_run.coverage_in(path)) {
    output.covered(*std::move(coverage));
  }
  state.summary.add_chart(passed ? Summary::Outcome::kPassed : Summary::Outcome::kFailed);
  return passed;
}

}  // namespace chartwright::suite
