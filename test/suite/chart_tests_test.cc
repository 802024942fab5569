// SPDX-License-Identifier: Apache-2.0
#include "suite/chart_tests.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "base/child_program.h"
#include "base/clock.h"
#include "base/strings.h"
#include "suite/results/results_file.h"
#include "test/source_dir.h"
#include "test/suite/scratch_chart.h"
#include "value/json.h"

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> snapshot_files(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".snap") {
      files[entry.path().filename().string()] = file_text(entry.path());
    }
  }
  return files;
}

/// Returns the flags of a case as options.
TestOptions options_of(const fs::path& folder) {
  TestOptions options;
  const std::string text = fs::exists(folder / "flags") ? file_text(folder / "flags") : "";
  const std::vector<std::string_view> lines = base::split(base::trim(text), '\n');
  for (size_t i = 0; i < lines.size() && !lines[i].empty(); ++i) {
    if (lines[i] == "--color") {
      options.color = Color::kYes;
      continue;
    }
    REQUIRE(i + 1 < lines.size());
    const std::string_view flag = lines[i];
    const std::string value(lines[++i]);
    if (flag == "-f") {
      options.files = {value};
    } else {
      REQUIRE(flag == "--chart-tests-path");
      options.chart_tests_path = value;
    }
  }
  return options;
}

/// Runs a post-renderer as helm-unittest does, without limits.
base::Result<std::string> run_unlimited(const PostRenderer& renderer,
                                        const std::string& manifests) {
  CW_TRY(const std::string path, base::find_program(renderer.program, "/usr/bin:/bin"));
  CW_TRY(base::ChildEnding ending,
         base::run_program({.path = path, .arguments = renderer.arguments, .environment = {}},
                           manifests, base::SystemClock(), {}));
  return std::move(ending.out);
}

TEST_CASE("Suites print what helm-unittest prints, and leave its snapshots") {
  const size_t threads = GENERATE(1U, 4U);
  size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/test/suites")) {
    if (!entry.is_directory()) {
      continue;
    }
    ++cases;
    const ScratchFolder folder;
    fs::copy(entry.path() / "chart", folder.path() + "/chart", fs::copy_options::recursive);
    INFO(entry.path());
    TestOptions options = options_of(entry.path());
    Compat compat;
    options.compat = &compat;
    options.threads = threads;
    options.post_render = run_unlimited;
    CHECK(test_in(folder, options).out == file_text(entry.path() / "want.txt"));
    TestOptions update = options;
    Compat compat_of_update;
    update.compat = &compat_of_update;
    update.snapshots = SnapshotUse::kUpdate;
    test_in(folder, update);
    const fs::path wanted = entry.path() / "want_snapshots";
    CHECK(snapshot_files(folder.path() + "/chart") ==
          (fs::exists(wanted) ? snapshot_files(wanted) : std::map<std::string, std::string>()));
  }
  CHECK(cases >= 4);
}

/// Empties all attributes of that name.
std::string without(std::string text, const std::string& name) {
  const std::string front = " " + name + "=\"";
  for (size_t at = text.find(front); at != std::string::npos; at = text.find(front, at)) {
    at += front.size();
    text.erase(at, text.find('"', at) - at);
  }
  return text;
}

/// Returns the file of results of a run, without times.
std::string results_of(const TestRun& run, ResultsForm form) {
  std::string text = CW_MUST(results_text({run.results}, form, {}));
  for (const char* name : {"time", "duration", "timestamp", "run-date", "run-time", "date"}) {
    text = without(std::move(text), name);
  }
  return text;
}

TEST_CASE("Files of results are those of helm-unittest") {
  const fs::path wanted = source_dir() + "/test/suites/results";
  const ScratchFolder folder;
  fs::copy(wanted / "chart", folder.path() + "/chart", fs::copy_options::recursive);
  TestOptions options;
  Compat compat;
  options.compat = &compat;
  const TestRun run = test_in(folder, options);
  for (const std::string form : {"JUnit", "NUnit", "XUnit", "Sonar"}) {
    INFO(form);
    CHECK(results_of(run, CW_MUST(parse_results_form(form))) ==
          file_text(wanted / "want_results" / (form + ".xml")));
  }
}

TEST_CASE("Results as JSON have each assertion with its place") {
  const ScratchFolder folder;
  fs::copy(fs::path(source_dir() + "/test/suites/results/chart"), folder.path() + "/chart",
           fs::copy_options::recursive);
  const TestRun run = test_in(folder);
  const auto json = CW_MUST(value::parse_json(
      CW_MUST(results_text({run.results}, ResultsForm::kJson, {})), value::Numbers::kInt64));
  const value::Value* const suites = json.find("suites");
  REQUIRE(suites != nullptr);
  REQUIRE(suites->as_list().items.size() == run.results.size());
  size_t tests = 0;
  size_t failed = 0;
  for (size_t i = 0; i < run.results.size(); ++i) {
    const value::Value& suite = suites->as_list().items[i];
    CHECK(suite.string_at({"name"}) == run.results[i].name);
    for (const value::Value& test : suite.find("tests")->as_list().items) {
      ++tests;
      for (const value::Value& assertion : test.find("assertions")->as_list().items) {
        CHECK(assertion.string_at({"place"}).find(run.results[i].file + ":") != std::string::npos);
        failed += assertion.find("passed")->as_bool() ? 0 : 1;
        CHECK(assertion.find("passed")->as_bool() ==
              assertion.find("hints")->as_list().items.empty());
      }
    }
  }
  CHECK(failed > 0);
  CHECK(json.find_path({"tests", "total"})->as_int() >= static_cast<int64_t>(tests));
}

TEST_CASE("A form of results may be written in any case, and has to be known") {
  CHECK(CW_MUST(parse_results_form("junit")) == ResultsForm::kJUnit);
  CHECK(CW_MUST(parse_results_form("SONAR")) == ResultsForm::kSonar);
  const auto unknown = parse_results_form("TAP");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().message() == "\"TAP\" is not one of JUnit, NUnit, XUnit, Sonar, JSON");
}

TEST_CASE("A suite that could not be run is an error in each file of results") {
  const ScratchFolder folder;
  write_chart(folder, "suite: [\n");
  const TestRun broken = test_in(folder);
  fs::remove(folder.path() + "/chart/Chart.yaml");
  const TestRun missing = test_in(folder);
  for (const std::string form : {"JUnit", "NUnit", "XUnit", "Sonar"}) {
    INFO(form);
    const ResultsForm parsed = CW_MUST(parse_results_form(form));
    CHECK(results_of(broken, parsed).find("yaml: line 1") != std::string::npos);
    CHECK(results_of(missing, parsed).find("Chart.yaml") != std::string::npos);
  }
}

TEST_CASE("A suite cannot control the terminal") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: \"s\\e[2J\"\ntests:\n- it: \"t\\e[2J\"\n  asserts:\n"
              "  - isKind: {of: \"\\e[2J\"}\n- it: fails\n  set: {replicas: \"\\e[2J\"}\n"
              "  asserts:\n  - equal: {path: replicas, value: 1}\n");
  TestOptions options;
  options.color = GENERATE(Color::kNo, Color::kYes);
  CHECK(test_in(folder, options).out.find("\x1b[2J") == std::string::npos);
}

TEST_CASE("A chart of suites that renders something else is an error") {
  const ScratchFolder folder;
  write_chart(folder, kSuite);
  TestOptions options;
  options.chart_tests_path = "suites";
  CHECK(test_in(folder, options).passed);  // There is none.
  folder.write("chart/suites/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n");
  folder.write("chart/suites/templates/a.yaml", "{{ if false }}x{{ end }}\n");
  const TestRun empty = test_in(folder, options);
  CHECK_FALSE(empty.passed);
  CHECK(empty.out.find("test suite template (s/templates/a.yaml) file did not render a manifest") !=
        std::string::npos);
  folder.write("chart/suites/templates/a.yaml",
               "tests:\n- it: t\n  asserts:\n  - isKind: {of: A}\n");
  CHECK(test_in(folder, options).out.find("must include `suite` field") != std::string::npos);
  folder.write("chart/suites/templates/a.yaml", "{{ fail \"no\" }}\n");
  CHECK(test_in(folder, options).out.find("no") != std::string::npos);
}

TEST_CASE("A key that nothing reads is a warning, and an error if that is asked for") {
  const ScratchFolder folder;
  write_chart(folder, kSuite);
  const TestRun run = test_in(folder);
  CHECK(run.passed);
  CHECK(run.err ==
        "WARNING: chart/tests/a_test.yaml:2:1: unknown key \"template\", did you mean "
        "\"templates\"?\n");
  TestOptions options;
  options.strict = true;
  CHECK_FALSE(test_in(folder, options).passed);
}

TEST_CASE("Values files of the command line override those of a suite") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\nvalues: [one.yaml]\ntests:\n- it: t\n  asserts:\n"
              "  - equal: {path: replicas, value: 3}\n");
  folder.write("chart/tests/one.yaml", "replicas: 2\n");
  folder.write("three.yaml", "replicas: 3\n");
  CHECK_FALSE(test_in(folder).passed);
  TestOptions options;
  options.values = {fs::absolute(folder.path() + "/three.yaml").string()};
  CHECK(test_in(folder, options).passed);
}

TEST_CASE("The first test that fails ends the run if that is asked for") {
  const ScratchFolder folder;
  const std::string job = "- it: t\n  asserts:\n  - isKind: {of: B}\n  - isKind: {of: C}\n";
  write_chart(folder, "suite: s\ntests:\n" + job + job + "---\nsuite: other\ntests:\n" + job);
  TestOptions options;
  options.fail_fast = FailFast::kYes;
  options.threads = GENERATE(1U, 4U);
  folder.write("chart/tests/b_test.yaml",
               "suite: later\ntests:\n- it: writes\n  asserts:\n  - matchSnapshot: {}\n");
  const TestRun run = test_in(folder, options);
  CHECK_FALSE(fs::exists(folder.path() + "/chart/tests/__snapshot__"));
  CHECK(run.out.find("Tests:       1 failed, 0 passed, 1 total") != std::string::npos);
  CHECK(run.out.find("asserts[1]") == std::string::npos);
}

TEST_CASE("A chart or a file that cannot be read is an error of the run") {
  const ScratchFolder folder;
  CHECK_FALSE(test_in(folder).passed);
  write_chart(folder, "suite: [\n");
  const TestRun run = test_in(folder);
  CHECK_FALSE(run.passed);
  CHECK(run.out.find("### Error:  chart/tests/a_test.yaml: yaml: line 1") != std::string::npos);
  write_chart(folder, kSuite);
  folder.write("chart/tests/__snapshot__/a_test.yaml.snap", "- 1\n");
  CHECK(test_in(folder).out.find("a snapshot file is a map") != std::string::npos);
}

TEST_CASE("A chart with more files than are searched is an error of the run") {
  const ScratchFolder folder;
  write_chart(folder, kSuite);
  for (int i = 0; i < 10'000; ++i) {
    folder.write("chart/files/" + std::to_string(i), "");
  }
  const TestRun run = test_in(folder);
  CHECK_FALSE(run.passed);
  CHECK(run.out.find("has more than 10000 files") != std::string::npos);
}

TEST_CASE("The capabilities of a job end with it") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\ntests:\n- it: sets\n  capabilities: {majorVersion: 1, minorVersion: 30}\n"
              "  asserts:\n  - equal: {path: v, value: v1.30.0}\n"
              "- it: does not\n  asserts:\n  - equal: {path: v, value: v1.20.0}\n");
  folder.write("chart/templates/a.yaml", "v: {{ .Capabilities.KubeVersion.Version }}\n");
  CHECK(test_in(folder).passed);
}

TEST_CASE("A render that was expected to fail is said to have succeeded") {
  const ScratchFolder folder;
  write_chart(folder, "suite: s\ntests:\n- it: fails\n  asserts:\n  - failedTemplate: {}\n");
  folder.write("chart/templates/a.yaml", "a: 1\n");
  const TestRun run = test_in(folder);
  CHECK_FALSE(run.passed);
  CHECK(run.out.find("the template was rendered, but is expected to fail") != std::string::npos);
}

/// Returns the part of what a run prints that follows a line.
std::string after(const TestRun& run, std::string_view line) {
  const size_t at = run.out.find(line);
  return at == std::string::npos ? run.out : run.out.substr(at + line.size());
}

TEST_CASE("A failed assertion says where it stands, and which line and value made what it saw") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\nset: {replicas: 4}\ntests:\n- it: t\n  asserts:\n"
              "  - isKind: {of: A}\n  - equal: {path: replicas, value: 3}\n");
  CHECK(after(test_in(folder), "\t\t\t\t+4\n") ==
        "\t\t\tAsserted at:\tchart/tests/a_test.yaml:7:5\n"
        "\t\t\tWritten at:\n"
        "\t\t\t\tc/templates/a.yaml:2:1\n"
        "\t\t\t\t2 | replicas: {{ .Values.replicas }}\n"
        "\t\t\t\t  | ^\n"
        "\t\t\tReads:\t.Values.replicas = 4, set by `set` of the suite\n\n"
        "\nCharts:      1 failed, 0 passed, 1 total\n"
        "Test Suites: 1 failed, 0 passed, 1 total\n"
        "Tests:       1 failed, 0 passed, 1 total\n"
        "Snapshot:    0 passed, 0 total\n\n");
  Compat compat;
  TestOptions options;
  options.compat = &compat;
  CHECK(test_in(folder, options).out.find("Asserted at") == std::string::npos);
}

TEST_CASE("A path that leads nowhere is told with the nearest one") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\ntests:\n- it: t\n  asserts:\n  - equal: {path: spec.replica, value: 3}\n"
              "  - exists: {path: 'spec.list[0].other'}\n  - isSubset: {path: spec.replicas.x, "
              "content: {}}\n"
              "  - equal: {path: 'spec.list[?(@.a == 2)].b', value: 3}\n");
  folder.write("chart/templates/a.yaml", "spec:\n  replicas: 1\n  list: [{a: 1, b: 2}]\n");
  const TestRun run = test_in(folder);
  CHECK(run.out.find("Did you mean:\tspec.replicas\n") != std::string::npos);
  CHECK(run.out.find("Members of spec.list[0]:\ta, b\n") != std::string::npos);
  CHECK(run.out.find("spec.replicas is a number\n") != std::string::npos);
  CHECK(after(run, "unknown path spec.list[?(@.a == 2)].b\n")
            .starts_with("\t\t\tAsserted at:\tchart/tests/a_test.yaml:8:5\n\n"));
}

TEST_CASE("The lines of each failed document are told, in partials and subcharts, too") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\nvalues: [v.yaml]\ntests:\n- it: t\n  asserts:\n"
              "  - equal: {path: 'spec.items[*]', value: 3}\n");
  folder.write(
      "chart/templates/_p.tpl",
      "{{ define \"items\" }}\n- {{ .Values.first }}\n- 3\n- {{ .Values.last | default 7 }}\n"
      "{{ end }}\n");
  folder.write("chart/templates/a.yaml",
               "---\nkind: Other\nspec: {items: [3]}\n---\nkind: A\nspec:\n  items:\n"
               "    {{- include \"items\" . | nindent 4 }}\n");
  folder.write("chart/tests/v.yaml", "a: 1\nfirst: 5\n");
  const TestRun run = test_in(folder);
  CHECK(run.out.find("_p.tpl:2:6\n") != std::string::npos);
  CHECK(run.out.find("Reads:\t.Values.first = 5, set at v.yaml:2:1\n") != std::string::npos);
  CHECK(run.out.find("_p.tpl:4:6\n") != std::string::npos);
  CHECK(run.out.find("Reads:\t.Values.last is not set\n") != std::string::npos);
}

TEST_CASE("The line of a text without an end is told, too") {
  const ScratchFolder folder;
  write_chart(folder, "suite: s\ntests:\n- it: t\n  asserts:\n  - equal: {path: a, value: 3}\n");
  folder.write("chart/templates/a.yaml", "a: |\n  kept\n---\na: |\n  no end");
  const std::string out = test_in(folder).out;
  CHECK(out.find("c/templates/a.yaml:1:") != std::string::npos);
  CHECK(out.find("c/templates/a.yaml:4:") != std::string::npos);
}

TEST_CASE("A line that wrote several failed values is told once") {
  const ScratchFolder folder;
  write_chart(folder, "suite: s\ntests:\n- it: t\n  asserts:\n  - equal: {path: spec, value: 3}\n");
  folder.write(
      "chart/templates/a.yaml",
      "{{ range list 1 2 }}\n---\nkind: A{{ . }}\nspec: {{ $.Values.replicas }}\n{{ end }}\n");
  const std::string out = test_in(folder).out;
  const size_t first = out.find("c/templates/a.yaml:4:");
  REQUIRE(first != std::string::npos);
  CHECK(out.find("c/templates/a.yaml:4:", first + 1) == std::string::npos);
}

TEST_CASE("A failure between structured values tells their fields, and --compat does not") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\ntests:\n- it: t\n  asserts:\n"
              "  - equal: {path: spec, value: {a: 1, list: [{name: x, v: 2}]}}\n"
              "  - contains: {path: spec.list, content: {name: x, v: 5}}\n"
              "  - isSubset: {path: spec, content: {a: 3}}\n"
              "  - notEqual: {path: spec, value: {a: 2, list: [{name: x, v: 2}]}}\n");
  folder.write("chart/templates/a.yaml", "spec: {a: 2, list: [{name: x, v: 2}]}\n");
  const TestRun run = test_in(folder);
  CHECK(
      run.out.find("\t\t\tFields that differ:\n\t\t\t\ta: expected 1, actual 2\n\t\t\tAsserted") !=
      std::string::npos);
  CHECK(run.out.find("\t\t\tNearest item, [0], differs in:\n\t\t\t\tv: expected 5, actual 2\n") !=
        std::string::npos);
  CHECK(run.out.find("\t\t\t\ta: expected 3, actual 2\n") != std::string::npos);
  const std::vector<AssertionResult>& results = run.results.front().jobs.front().assertions;
  REQUIRE(results.size() == 4);
  CHECK(results[0].fields.size() == 1);
  CHECK(results[0].fields.front().path == "a");
  CHECK(results[3].fields.empty());
  Compat compat;
  TestOptions options;
  options.compat = &compat;
  CHECK(test_in(folder, options).out.find("differ") == std::string::npos);
}

TEST_CASE("A snapshot that differs tells its fields") {
  const ScratchFolder folder;
  write_chart(folder, "suite: s\ntests:\n- it: t\n  asserts:\n  - matchSnapshot: {}\n");
  CHECK(test_in(folder).passed);
  folder.write("chart/values.yaml", "replicas: 7\n");
  CHECK(test_in(folder).out.find("\t\t\t\treplicas: expected 1, actual 7\n") != std::string::npos);
}

TEST_CASE("A post-renderer changes what is asserted, if it may run") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\ntemplates: [a.yaml]\npostRenderer: {cmd: program}\ntests:\n- it: t\n"
              "  asserts:\n  - equal: {path: replicas, value: 2}\n");
  const TestRun refused = test_in(folder);
  CHECK_FALSE(refused.passed);
  CHECK(refused.out.find("a_test.yaml:3:1: postRenderer runs the program \"program\": allow that "
                         "with --allow-exec\n") != std::string::npos);
  TestOptions options;
  options.post_render = [](const PostRenderer&, const std::string& manifests) {
    return base::Result<std::string>(base::replace_all(manifests, "replicas: 1", "replicas: 2"));
  };
  CHECK(test_in(folder, options).passed);
  options.post_render = [](const PostRenderer&, const std::string&) {
    return base::Result<std::string>("kind: A\nreplicas: 2\n");
  };
  CHECK(test_in(folder, options).passed);
  options.post_render = [](const PostRenderer&, const std::string&) {
    return base::Result<std::string>(base::Error(base::ErrorCode::kInternal, "it broke"));
  };
  CHECK(test_in(folder, options).out.find("Error: it broke") != std::string::npos);
}

TEST_CASE("Only the suites that are wanted run") {
  const ScratchFolder folder;
  write_chart(folder, kSuite);
  folder.write("chart/tests/b_test.yaml", base::replace_all(kSuite, "suite: s", "suite: b"));
  TestOptions options;
  options.wants = [](const Suite& suite) { return suite.name == "b"; };
  const TestRun run = test_in(folder, options);
  REQUIRE(run.results.size() == 1);
  CHECK(run.results.front().name == "b");
}

TEST_CASE("A render that fails has the help of a render") {
  const ScratchFolder folder;
  write_chart(folder, "suite: s\ntests:\n- it: t\n  asserts:\n  - isKind: {of: A}\n");
  folder.write("chart/templates/a.yaml", "kind: {{ required \"no name\" .Values.nme }}\n");
  folder.write("chart/values.yaml", "name: x\n");
  const TestRun run = test_in(folder);
  CHECK(run.out.find("c/templates/a.yaml:1:") != std::string::npos);
  CHECK(run.out.find("did you mean") != std::string::npos);
  for (const std::string form : {"JUnit", "NUnit", "XUnit", "Sonar"}) {
    INFO(form);
    CHECK(results_of(run, CW_MUST(parse_results_form(form))).find("did you mean") !=
          std::string::npos);
  }
}

}  // namespace
}  // namespace chartwright::suite
