// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "cli/environment.h"
#include "cmd/commands.h"
#include "cmd/coverage_output.h"
#include "cmd/helm_version.h"
#include "cmd/suite_programs.h"
#include "host/host.h"
#include "process/signal_watch.h"
#include "scenario/scenario_tests.h"
#include "suite/chart_tests.h"
#include "suite/results/results_file.h"
#include "suite/watch/rerun.h"
#include "suite/watch/watch_loop.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStandardOutput = "-";
// Two looks at files that see the same end a burst of writes.
constexpr base::Duration kLook = std::chrono::milliseconds(100);

std::string host_name() {
  std::array<char, 256> name{};
  // The last byte stays 0 if the name is cut.
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

class TestCommand final : public Command {
 public:
  std::string_view name() const override { return "test"; }
  std::string_view summary() const override { return "Run the helm-unittest suites of charts"; }

  void declare(FlagSet& flags) override {
    flags.texts(files_, {"file",
                         'f',
                         "pattern of the suite files, relative to the chart; ** stands for any "
                         "folders (can specify multiple)",
                         {},
                         "tests/*_test.yaml"});
    flags.texts(options_.values,
                {"values", 'v', "values file for every suite (can specify multiple)", kTakesFile});
    flags.boolean(update_, {"update-snapshot", 'u', "write snapshots that differ"});
    flags.text(results_path_,
               {"output-file", 'o',
                "file to write the results to, for CI; -: standard output, alone", kTakesFile});
    flags.text(results_form_, {.name = "output-type",
                               .letter = 't',
                               .help = "form of that file: JUnit, NUnit, XUnit, Sonar or JSON",
                               .takes = {.words = {"JUnit", "NUnit", "XUnit", "Sonar", "JSON"}}});
    coverage_.declare(flags);
    flags.boolean(options_.with_subcharts,
                  {"with-subchart", 's', "include the suites of dependencies in charts/"});
    flags.optional_text(color_, {.name = "color",
                                 .help = "auto, always or never; auto: on a terminal, unless "
                                         "$NO_COLOR is set; without a value: always",
                                 .takes = {.words = {"auto", "always", "never"}}});
    flags.text(options_.chart_tests_path,
               {"chart-tests-path", '\0',
                "folder, relative to each chart, of a chart that renders suites", kTakesFolder});
    flags.boolean(
        compat_, {"compat", '\0', "copy the mistakes of helm-unittest, and print its words alone"});
    flags.boolean(options_.strict, {"strict", '\0', "unknown keys in suites are errors"});
    flags.boolean(fail_fast_, {"failfast", 'q', "stop at the first test that fails"});
    flags.boolean(skip_schema_,
                  {"skip-schema-validation", '\0', "disables JSON schema validation"});
    flags.boolean(watches_, {"watch", '\0', "run suites again when their files change"});
    flags.boolean(allows_exec_,
                  {"allow-exec", '\0', "let suites run the programs of their postRenderer"});
    flags.boolean(options_.keeps_renders,
                  {"debugPlugin", 'd', "write what each test renders into the folder .debug"});
    declare_helm_version(flags, helm_version_);
    flags.arguments(charts_, "CHART", "chart folders; default: the current folder", kTakesFolder);
  }

  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(prepare(streams));
    if (watches_) {
      return watch(streams);
    }
    std::vector<Turn> turns;
    for (const std::string& chart : charts_) {
      turns.push_back({chart});
    }
    allow_programs({});
    bool passed = true;
    CW_TRY_VOID(on_render_stack([&] { return test(turns, streams, passed); }));
    return passed ? kExitOk : kExitError;
  }

 private:
  /// helm-unittest's flag is true or false.
  base::Result<suite::Color> color_of(const Streams& streams) const {
    if (color_ == "auto") {
      const bool is_wanted =
          streams.out_is_terminal && environment("NO_COLOR").value_or("").empty();
      return is_wanted ? suite::Color::kYes : suite::Color::kNo;
    }
    if (color_ == "always" || color_ == "true") {
      return suite::Color::kYes;
    }
    if (color_ == "never" || color_ == "false") {
      return suite::Color::kNo;
    }
    return base::Error(base::ErrorCode::kInvalidArgument,
                       "--color: \"" + color_ + "\" is not one of auto, always, never");
  }

  /// Turns the flags into options.
  base::Status prepare(const Streams& streams) {
    CW_TRY(options_.profile, selected_profile(helm_version_));
    auto form = suite::parse_results_form(results_form_);
    if (!form.ok()) {
      return std::move(form).error().wrap("--output-type");
    }
    form_ = *form;
    CW_TRY_VOID(coverage_.check());
    CW_TRY(options_.color, color_of(streams));
    options_.measures_coverage = coverage_.is_wanted();
    options_.threads = static_cast<size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    options_.files = files_.empty() ? options_.files : files_;
    options_.snapshots = update_ ? suite::SnapshotUse::kUpdate : suite::SnapshotUse::kCompare;
    options_.compat = compat_ ? &mistakes_ : nullptr;
    if (!compat_) {
      options_.read_scenarios = [this](suite::SuiteMap& suite, const std::string& chart) {
        return scenario::scenario_tests(suite, chart, clock_);
      };
    }
    options_.fail_fast = fail_fast_ ? suite::FailFast::kYes : suite::FailFast::kNo;
    options_.schema_check = skip_schema_ ? helm::SchemaCheck::kSkip : helm::SchemaCheck::kValidate;
    charts_ = charts_.empty() ? std::vector<std::string>{"."} : charts_;
    if (watches_) {
      CW_TRY_VOID(check_watch());
    }
    return {};
  }

  /// Refuses what needs a run of all suites.
  base::Status check_watch() const {
    const auto refuse = [](std::string_view flag) {
      return base::Error(
          base::ErrorCode::kInvalidArgument,
          "--watch cannot be used with " + std::string(flag) + ", which needs a run of all suites");
    };
    if (!results_path_.empty()) {
      return refuse("--output-file");
    }
    if (coverage_.is_wanted()) {
      return refuse("--coverage");
    }
    if (compat_) {
      return refuse("--compat");
    }
    return {};
  }

  void allow_programs(const std::stop_token& stop) {
    if (allows_exec_) {
      options_.post_render = suite_programs(clock_, stop);
    }
  }

  /// A chart to test: which of its suites, and what gets all of them; empty: all, and nothing.
  struct Turn {
    std::string chart;
    std::function<bool(const suite::Suite&)> wants = {};
    std::function<void(const suite::Suite&)> found = {};
  };

  base::Status test(const std::vector<Turn>& turns, Streams& streams, bool& passed) {
    host::SystemHost host(clock_);
    std::vector<suite::SuiteResult> results;
    suite::TestOutput output{streams.out, streams.err};
    if (results_path_ == kStandardOutput) {
      output.out = [](std::string_view) {};
    }
    output.covered = [this, &output](coverage::ChartCoverage chart) {
      output.out(coverage_text(chart));
      coverage_.add(std::move(chart));
    };
    if (!results_path_.empty()) {
      output.done = [&results](const suite::SuiteResult& result) { results.push_back(result); };
    }
    suite::RunState state;
    const base::MonotonicTime start = clock_.monotonic();
    for (const Turn& turn : turns) {
      options_.wants = turn.wants;
      if (turn.found) {
        output.found = turn.found;
      }
      passed = suite::test_chart(turn.chart, options_, {host, clock_}, output, state) && passed;
      if (!passed && fail_fast_) {
        break;
      }
    }
    // A signal after the last suite has not cut the run short.
    is_whole_ = !options_.stop.stop_requested();
    output.out(state.summary.text(clock_.monotonic() - start, options_.color));
    if (!results_path_.empty()) {
      CW_TRY(const std::string text, results_text(results));
      CW_TRY_VOID(write(text, streams));
    }
    CW_TRY_VOID(coverage_.write());
    return coverage_.check_min();
  }

  /// Runs tests until a signal comes. Returns the exit code of the last run that it did not end.
  base::Result<int> watch(Streams& streams) {
    const base::Logger silent({}, clock_, [](std::string_view) {});
    const process::SignalWatch signals(silent);
    options_.stop = signals.token();
    allow_programs(signals.token());
    std::vector<suite::WatchedChart> watched;
    for (const std::string& chart : charts_) {
      std::error_code error;
      watched.push_back({fs::absolute(chart, error).lexically_normal().string()});
    }
    int code = kExitOk;
    const auto run = [&](const auto& reruns, const auto& changed) -> base::Status {
      introduce(changed, streams);
      const bool passed = run_again(reruns, watched, streams);
      if (is_whole_) {
        code = passed ? kExitOk : kExitError;
        streams.err("Watching for changes. Ctrl-C ends.\n");
      }
      return {};
    };
    const auto wait = [this, &signals] { return pause(signals.token()); };
    CW_TRY_VOID(suite::watch_tests({.run = run, .charts = watched, .wait = wait}));
    return code;
  }

  /// Clears the terminal, and says because of which file tests run.
  static void introduce(const std::vector<std::string>& changed, Streams& streams) {
    if (streams.out_is_terminal) {
      streams.out("\x1b[H\x1b[2J");
    }
    if (!changed.empty()) {
      std::error_code error;
      const std::string file = fs::proximate(changed.front(), error).string();
      const size_t more = changed.size() - 1;
      streams.tell("\nChanged: " + (error ? changed.front() : file) +
                   (more > 0 ? " and " + std::to_string(more) + " more" : "") + "\n");
    }
  }

  /// Returns whether the tests have passed. An error is printed: the next change may end it.
  bool run_again(const std::vector<suite::Rerun>& reruns, std::vector<suite::WatchedChart>& watched,
                 Streams& streams) {
    std::vector<Turn> turns;
    for (const suite::Rerun& rerun : reruns) {
      std::vector<suite::WatchedSuite>& suites = watched[rerun.chart].suites;
      suites.clear();
      turns.push_back({charts_[rerun.chart],
                       [&rerun](const suite::Suite& suite) {
                         return !rerun.suites ||
                                rerun.suites->contains(suite::watched_suite(suite).file);
                       },
                       [&suites](const suite::Suite& suite) {
                         suites.push_back(suite::watched_suite(suite));
                       }});
    }
    bool passed = true;
    is_whole_ = true;
    const auto status = on_render_stack([&] { return test(turns, streams, passed); });
    if (!status.ok()) {
      print_error(status.error(), streams);
    }
    return passed && status.ok();
  }

  /// Waits until files are to be looked at again. Returns false after a stop.
  bool pause(const std::stop_token& stop) {
    base::Mutex mutex;
    base::CondVar condition;
    const base::WakeOnStop wake(stop, mutex, condition);
    const base::MonotonicTime end = base::after(clock_.monotonic(), kLook);
    const base::MutexLock lock(mutex);
    while (!stop.stop_requested() && clock_.monotonic() < end) {
      clock_.wait_until(condition, mutex, end);
    }
    return !stop.stop_requested();
  }

  base::Result<std::string> results_text(const std::vector<suite::SuiteResult>& results) const {
    std::error_code error;
    const suite::RunPlace place{.time = clock_.wall(),
                                .program = "chartwright " CW_VERSION,
                                .host = host_name(),
                                .user = environment("USER").value_or(""),
                                .folder = fs::current_path(error).string()};
    return suite::results_text({results, coverage_.charts()}, form_, place);
  }

  base::Status write(const std::string& text, Streams& streams) const {
    if (results_path_ == kStandardOutput) {
      streams.out(text);
      return {};
    }
    return write_text_file(results_path_, text, "--output-file");
  }

  base::SystemClock clock_;
  suite::TestOptions options_;
  suite::ResultsForm form_ = suite::ResultsForm::kXUnit;
  suite::Compat mistakes_;
  CoverageOutput coverage_;
  std::vector<std::string> files_, charts_;
  std::string results_path_;
  std::string results_form_ = "XUnit";
  std::string color_ = "auto";
  std::string helm_version_ = std::string(helm::default_profile().name);
  bool update_ = false, fail_fast_ = false, skip_schema_ = false, compat_ = false;
  bool watches_ = false, allows_exec_ = false;
  bool is_whole_ = true;  ///< No signal has cut the last run short.
};

}  // namespace

std::unique_ptr<Command> make_test_command() { return std::make_unique<TestCommand>(); }

}  // namespace chartwright::cmd
