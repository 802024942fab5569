// SPDX-License-Identifier: Apache-2.0
#include "coverage/template_file.h"

#include <catch2/catch.hpp>

#include "test/coverage/covered_chart.h"

namespace chartwright::coverage {
namespace {

std::vector<helm::File> chart_with_subchart(const std::string& dependencies) {
  return {{"Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n" + dependencies},
          {"templates/a.yaml", "a: 1\n"},
          {"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 0.1.0\n"},
          {"charts/sub/templates/b.yaml", "b: 1\n"},
          {"charts/sub/templates/NOTES.txt", "note\n"}};
}

std::vector<std::string> names_of(const std::string& dependencies, Subcharts subcharts) {
  const auto loaded = CW_MUST(helm::RenderableChart::from_files(chart_with_subchart(dependencies)));
  std::vector<std::string> names;
  for (const TemplateFile& file : template_files(loaded->chart(), subcharts)) {
    names.push_back(file.name + " " + file.path);
  }
  return names;
}

TEST_CASE("The templates of subcharts are files of their own, once for each alias") {
  CHECK(names_of("", Subcharts::kInclude) ==
        std::vector<std::string>{"c/charts/sub/templates/NOTES.txt charts/sub/templates/NOTES.txt",
                                 "c/charts/sub/templates/b.yaml charts/sub/templates/b.yaml",
                                 "c/templates/a.yaml templates/a.yaml"});
  CHECK(names_of("dependencies:\n- {name: sub, version: 0.1.0, alias: one}\n"
                 "- {name: sub, version: 0.1.0, alias: two}\n",
                 Subcharts::kInclude)
            .front() == "c/charts/one/templates/NOTES.txt charts/sub/templates/NOTES.txt");
  CHECK(names_of("", Subcharts::kLeaveOut) ==
        std::vector<std::string>{"c/templates/a.yaml templates/a.yaml"});
}

TEST_CASE("A library has partials alone") {
  const auto loaded = CW_MUST(helm::RenderableChart::from_files(
      {{"Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\ntype: library\n"},
       {"templates/a.yaml", "a: 1\n"},
       {"templates/_p.tpl", "{{ define \"p\" }}{{ end }}"}}));
  const auto files = template_files(loaded->chart(), Subcharts::kInclude);
  REQUIRE(files.size() == 1);
  CHECK(files.front().name == "c/templates/_p.tpl");
}

}  // namespace
}  // namespace chartwright::coverage
