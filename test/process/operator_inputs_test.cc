// SPDX-License-Identifier: Apache-2.0
#include "process/operator_inputs.h"

#include <catch2/catch.hpp>
#include <optional>

#include "test/base/temporary_directory.h"

namespace chartwright::process {
namespace {

/// A project with one chart, in a folder of its own.
struct Inputs {
  base::TemporaryDirectory folder;
  base::SystemClock clock;
  std::vector<std::string> lines;
  base::Logger log{{}, clock, [this](std::string_view line) { lines.emplace_back(line); }};
  InputFiles files{folder.path("watches.yaml"), "", false,
                   [](const std::string&) { return std::optional<std::string>(); }, ""};

  Inputs() {
    watch("");
    write("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n");
    write("chart/templates/a.yaml", "kind: ConfigMap");
  }
  void watch(const std::string& more) const {
    write("watches.yaml", "- {group: example.com, version: v1, kind: Shop, chart: " +
                              folder.path("chart") + more + "}\n");
  }
  void write(const std::string& name, std::string_view text) const { folder.write(name, text); }
  base::Result<OperatorInputs> load() { return load_inputs(files, clock, log, {}); }
  std::string identity() { return identity_of(CW_MUST(load())); }
};

}  // namespace

TEST_CASE("The identity of inputs changes with what they hold, and with nothing else") {
  Inputs inputs;
  const std::string before = inputs.identity();
  inputs.write("chart/templates/a.yaml", "kind: ConfigMap");
  inputs.write("README.md", "text");
  CHECK(inputs.identity() == before);
  SECTION("a template") { inputs.write("chart/templates/a.yaml", "kind: Secret"); }
  SECTION("a rule") { inputs.write("chart/operator/operator.yaml", "allowEmpty: true\n"); }
  SECTION("an entry") { inputs.watch(", reconcilePeriod: 5s"); }
  CHECK(inputs.identity() != before);
}

TEST_CASE("Inputs are looked for where the watches file says") {
  Inputs inputs;
  const auto loaded = CW_MUST(inputs.load());
  CHECK(paths_of(inputs.files, loaded) ==
        std::vector{inputs.files.watches_file, inputs.folder.path("chart")});
  inputs.files.views_folder = inputs.folder.path("views");
  CHECK(paths_of(inputs.files, loaded).back() == inputs.files.views_folder);
}

TEST_CASE("A file that cannot be loaded is an error with its place") {
  Inputs inputs;
  SECTION("the watches file") { inputs.watch(", finaliser: x"); }
  SECTION("a chart") { inputs.write("chart/operator/operator.yaml", "alowEmpty: true\n"); }
  SECTION("the views") { inputs.files.views_folder = inputs.folder.path("views"); }
  const auto loaded = inputs.load();
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().to_string().find(inputs.folder.path("")) != std::string::npos);
}

TEST_CASE("An unknown key is logged if it may be") {
  Inputs inputs;
  inputs.files.lenient = true;
  inputs.watch(", finaliser: x");
  CHECK(inputs.load().ok());
  REQUIRE(inputs.lines.size() == 1);
  CHECK(inputs.lines[0].find("finaliser") != std::string::npos);
}

}  // namespace chartwright::process
