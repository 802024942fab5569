// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "cli/environment.h"
#include "cmd/commands.h"
#include "cmd/coverage_output.h"
#include "cmd/helm_version.h"
#include "host/host.h"
#include "suite/chart_tests.h"
#include "suite/results/results_file.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStandardOutput = "-";

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
    declare_helm_version(flags, helm_version_);
    flags.arguments(charts_, "CHART", "chart folders; default: the current folder", kTakesFolder);
  }

  base::Result<int> run(Streams& streams) override {
    bool passed = true;
    CW_TRY_VOID(on_render_stack([&] { return test(streams, passed); }));
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

  base::Status test(Streams& streams, bool& passed) {
    CW_TRY(options_.profile, selected_profile(helm_version_));
    auto form = suite::parse_results_form(results_form_);
    if (!form.ok()) {
      return std::move(form).error().wrap("--output-type");
    }
    CW_TRY_VOID(coverage_.check());
    CW_TRY(options_.color, color_of(streams));
    options_.measures_coverage = coverage_.is_wanted();
    options_.threads = static_cast<size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    options_.files = files_.empty() ? options_.files : files_;
    options_.snapshots = update_ ? suite::SnapshotUse::kUpdate : suite::SnapshotUse::kCompare;
    options_.compat = compat_ ? &mistakes_ : nullptr;
    options_.fail_fast = fail_fast_ ? suite::FailFast::kYes : suite::FailFast::kNo;
    options_.schema_check = skip_schema_ ? helm::SchemaCheck::kSkip : helm::SchemaCheck::kValidate;
    base::SystemClock clock;
    host::SystemHost host(clock);
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
    const base::MonotonicTime start = clock.monotonic();
    for (const std::string& chart : charts_.empty() ? std::vector<std::string>{"."} : charts_) {
      passed = suite::test_chart(chart, options_, {host, clock}, output, state) && passed;
      if (!passed && fail_fast_) {
        break;
      }
    }
    output.out(state.summary.text(clock.monotonic() - start, options_.color));
    if (!results_path_.empty()) {
      CW_TRY(const std::string text, results_text(results, *form, clock));
      CW_TRY_VOID(write(text, streams));
    }
    CW_TRY_VOID(coverage_.write());
    return coverage_.check_min();
  }

  base::Result<std::string> results_text(const std::vector<suite::SuiteResult>& results,
                                         suite::ResultsForm form, const base::Clock& clock) const {
    std::error_code error;
    const suite::RunPlace place{.time = clock.wall(),
                                .program = "chartwright " CW_VERSION,
                                .host = host_name(),
                                .user = environment("USER").value_or(""),
                                .folder = fs::current_path(error).string()};
    return suite::results_text({results, coverage_.charts()}, form, place);
  }

  base::Status write(const std::string& text, Streams& streams) const {
    if (results_path_ == kStandardOutput) {
      streams.out(text);
      return {};
    }
    return write_text_file(results_path_, text, "--output-file");
  }

  suite::TestOptions options_;
  suite::Compat mistakes_;
  CoverageOutput coverage_;
  std::vector<std::string> files_, charts_;
  std::string results_path_;
  std::string results_form_ = "XUnit";
  std::string color_ = "auto";
  std::string helm_version_ = std::string(helm::default_profile().name);
  bool update_ = false, fail_fast_ = false, skip_schema_ = false, compat_ = false;
};

}  // namespace

std::unique_ptr<Command> make_test_command() { return std::make_unique<TestCommand>(); }

}  // namespace chartwright::cmd
