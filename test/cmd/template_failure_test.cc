// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "test/cmd/command.h"

// Messages of `chartwright template` for a failed render. The part before the help is that of helm
// 3.22.0.
namespace chartwright::cmd {
namespace {

using testing::Outcome;
using testing::run;
using testing::Terminal;

/// A chart in a folder of its own, which the destructor removes.
class ChartFolder {
 public:
  explicit ChartFolder(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / ("chartwright-failure-" + name)).string()) {
    std::filesystem::remove_all(path_);
    add("Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n");
  }
  ~ChartFolder() { std::filesystem::remove_all(path_); }
  ChartFolder(const ChartFolder&) = delete;
  ChartFolder& operator=(const ChartFolder&) = delete;

  void add(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(file)).parent_path());
    std::ofstream(path(file)) << text;
  }
  std::string path(const std::string& file) const { return path_ + "/" + file; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr const char* kDebugHint = "\n\nUse --debug flag to render out invalid YAML\n";
constexpr const char* kMissing =
    "Error: template: c/templates/a.yaml:1:15: executing \"c/templates/a.yaml\" at "
    "<.Values.image.tga.x>: nil pointer evaluating interface {}.x";

}  // namespace

TEST_CASE("Without a terminal the error is helm's, byte for byte") {
  const ChartFolder chart("plain");
  chart.add("values.yaml", "image:\n  tag: 1\n");
  chart.add("templates/a.yaml", "tag: {{ .Values.image.tga.x }}\n");
  const Outcome outcome = run({"template", chart.path()});
  CHECK(outcome.code == kExitError);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == std::string(kMissing) + kDebugHint);
}

TEST_CASE("On a terminal help follows") {
  const ChartFolder chart("terminal");
  chart.add("values.yaml", "image:\n  tag: 1\n");
  chart.add("templates/a.yaml", "tag: {{ .Values.image.tga.x }}\n");
  const Outcome outcome = run({"template", chart.path()}, "", Terminal::kYes);
  CHECK(outcome.err == std::string(kMissing) + kDebugHint +
                           "\nc/templates/a.yaml:1:16\n"
                           "1 | tag: {{ .Values.image.tga.x }}\n"
                           "  |                ^\n"
                           "note: image.tga is not set\n"
                           "help: did you mean image.tag (c/values.yaml:2:3)?\n");
}

TEST_CASE("Every source of values is told as the user gave it") {
  const ChartFolder chart("sources");
  chart.add("values.yaml", "a: {b: 1}\n");
  chart.add("templates/a.yaml", "{{ .Values.a.b.c }}\n");
  chart.add("prod.yaml", "a:\n  b: 2\n");
  const auto place = [&](const std::vector<std::string>& flags, const std::string& input = "") {
    std::vector<std::string> arguments{"template", chart.path()};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const std::string err = run(arguments, input, Terminal::kYes).err;
    const size_t begin = err.find(", set ") + 6;
    return err.substr(begin, err.find(": it has no member c", begin) - begin);
  };
  CHECK(place({}) == "at c/values.yaml:1:5");
  CHECK(place({"-f", chart.path("prod.yaml")}) == "at " + chart.path("prod.yaml") + ":2:3");
  CHECK(place({"-f", "-"}, "a: {b: 3}\n") == "at -:1:5");
  CHECK(place({"--set", "a.b=1"}) == "by --set");
  CHECK(place({"--set", "x=1", "--set", "a.b=1"}) == "by --set (number 2)");
  CHECK(place({"--set-string", "a.b=1", "--set", "a.b=2"}) == "by --set-string");
  CHECK(place({"--set-json", "a={\"b\": 1}"}) == "by --set-json");
  CHECK(place({"--set-literal", "a.b=1"}) == "by --set-literal");
  CHECK(place({"--set-file", "a.b=" + chart.path("prod.yaml")}) == "by --set-file");
}

TEST_CASE("Debug prints what was rendered and gives help") {
  const ChartFolder chart("debug");
  chart.add("templates/a.yaml", "kind: A\n");
  chart.add("templates/b.yaml", "kind: B\n  bad: {{ .Release.Name }}\n");
  const Outcome outcome = run({"template", chart.path(), "--debug"});
  CHECK(outcome.code == kExitError);
  CHECK(outcome.out ==
        "---\n# Source: c/templates/a.yaml\nkind: A\n\n---\n# Source: c/templates/b.yaml\nkind: B\n"
        "  bad: release-name\n");
  CHECK(outcome.err ==
        "Error: YAML parse error on c/templates/b.yaml: error converting YAML to JSON: yaml: line "
        "2: mapping values are not allowed in this context\n"
        "\nline 2 of the rendered c/templates/b.yaml is written by\nc/templates/b.yaml:2:6\n"
        "2 |   bad: {{ .Release.Name }}\n  |      ^\n");
  CHECK(run({"template", chart.path(), "--debug", "-s", "templates/a.yaml"}).out ==
        "---\n# Source: c/templates/a.yaml\nkind: A\n");
}

TEST_CASE("All errors are told, the first one as ever") {
  const ChartFolder chart("all");
  chart.add("templates/a.yaml",
            "{{ required \"need x\" .Values.x }}{{ required \"need y\" .Values.y }}");
  chart.add("templates/b.yaml", "{{ fail \"no\" }}");
  const Outcome outcome = run({"template", chart.path(), "--all-errors"});
  CHECK(outcome.code == kExitError);
  CHECK(outcome.out.empty());
  CHECK(outcome.err ==
        std::string("Error: execution error at (c/templates/b.yaml:1:3): no") + kDebugHint +
            "\nc/templates/b.yaml:1:4\n1 | {{ fail \"no\" }}\n  |    ^\n"
            "\nError: execution error at (c/templates/a.yaml:1:3): need x\n"
            "\nc/templates/a.yaml:1:4\n"
            "1 | {{ required \"need x\" .Values.x }}{{ required \"need y\" .Values.y }}\n"
            "  |    ^\nnote: x is not set\n"
            "\nError: execution error at (c/templates/a.yaml:1:36): need y\n"
            "\nc/templates/a.yaml:1:37\n"
            "1 | {{ required \"need x\" .Values.x }}{{ required \"need y\" .Values.y }}\n"
            "  |                                     ^\nnote: y is not set\n");
}

TEST_CASE("A chart that renders is printed under all-errors as ever") {
  const ChartFolder chart("fine");
  chart.add("templates/a.yaml", "kind: A\n");
  const Outcome outcome = run({"template", chart.path(), "--all-errors"});
  CHECK(outcome.code == kExitOk);
  CHECK(outcome.out == "---\n# Source: c/templates/a.yaml\nkind: A\n");
  CHECK(outcome.err.empty());
}

}  // namespace chartwright::cmd
