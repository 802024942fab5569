// SPDX-License-Identifier: Apache-2.0
#include "cmd/commands.h"
#include "cmd/helm_version.h"
#include "host/host.h"
#include "suite/chart_tests.h"

namespace chartwright::cmd {
namespace {

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
    flags.boolean(options_.with_subcharts,
                  {"with-subchart", 's', "include the suites of dependencies in charts/"});
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
  base::Status test(Streams& streams, bool& passed) {
    CW_TRY(options_.profile, selected_profile(helm_version_));
    options_.files = files_.empty() ? options_.files : files_;
    options_.snapshots = update_ ? suite::SnapshotUse::kUpdate : suite::SnapshotUse::kCompare;
    options_.fail_fast = fail_fast_ ? suite::FailFast::kYes : suite::FailFast::kNo;
    options_.schema_check = skip_schema_ ? helm::SchemaCheck::kSkip : helm::SchemaCheck::kValidate;
    base::SystemClock clock;
    host::SystemHost host(clock);
    const suite::TestOutput output{[&](std::string_view text) { streams.tell(text); }, streams.err};
    suite::Summary summary;
    const base::MonotonicTime start = clock.monotonic();
    for (const std::string& chart : charts_.empty() ? std::vector<std::string>{"."} : charts_) {
      passed = suite::test_chart(chart, options_, {host, clock}, output, summary) && passed;
      if (!passed && fail_fast_) {
        break;
      }
    }
    streams.tell(summary.text(clock.monotonic() - start));
    return {};
  }

  suite::TestOptions options_;
  std::vector<std::string> files_, charts_;
  std::string helm_version_ = std::string(helm::default_profile().name);
  bool update_ = false, fail_fast_ = false, skip_schema_ = false;
};

}  // namespace

std::unique_ptr<Command> make_test_command() { return std::make_unique<TestCommand>(); }

}  // namespace chartwright::cmd
