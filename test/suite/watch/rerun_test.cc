// SPDX-License-Identifier: Apache-2.0
#include "suite/watch/rerun.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace chartwright::suite {
namespace {

using Files = std::set<std::string>;

const std::vector<WatchedChart> kTwoCharts{
    {"/w/a",
     {{"/w/a/tests/x_test.yaml", "/w/a/tests/__snapshot__/x_test.yaml.snap", {"/w/v.yaml"}},
      {"/w/a/tests/y_test.yaml", "/w/a/tests/__snapshot__/y_test.yaml.snap", {}}}},
    {"/w/ab", {{"/w/ab/tests/z_test.yaml", "", {"/w/v.yaml"}}}}};

TEST_CASE("A file of a suite concerns that suite alone") {
  for (const char* file : {"/w/a/tests/x_test.yaml", "/w/a/tests/__snapshot__/x_test.yaml.snap"}) {
    CHECK(reruns_for(kTwoCharts, {file}) ==
          std::vector<Rerun>{{0, Files{"/w/a/tests/x_test.yaml"}}});
  }
}

TEST_CASE("Values concern all suites that have them, in each chart") {
  CHECK(reruns_for(kTwoCharts, {"/w/v.yaml"}) ==
        std::vector<Rerun>{{0, Files{"/w/a/tests/x_test.yaml"}},
                           {1, Files{"/w/ab/tests/z_test.yaml"}}});
}

TEST_CASE("Another file of a chart concerns all of its suites, and one elsewhere none") {
  CHECK(reruns_for(kTwoCharts, {"/w/a/tests/x_test.yaml", "/w/a/templates/t.yaml"}) ==
        std::vector<Rerun>{{0, {}}});
  CHECK(reruns_for(kTwoCharts, {"/w/a/tests/new_test.yaml"}) == std::vector<Rerun>{{0, {}}});
  CHECK(reruns_for(kTwoCharts, {"/w/other.yaml"}).empty());
}

TEST_CASE("The files of a suite are absolute, and lie where it says") {
  Suite suite;
  suite.file = "c/tests/a_test.yaml";
  suite.snapshot_id = "1";
  suite.jobs.resize(1);
  suite.jobs.front().settings.values = {"../v.yaml", "/abs.yaml"};
  const std::string here = std::filesystem::current_path().string();
  const WatchedSuite watched = watched_suite(suite);
  CHECK(watched.file == here + "/c/tests/a_test.yaml");
  CHECK(watched.snapshots == here + "/c/tests/__snapshot__/a_test.yaml_1.snap");
  CHECK(watched.values == Files{"/abs.yaml", here + "/c/v.yaml"});
}

}  // namespace
}  // namespace chartwright::suite
