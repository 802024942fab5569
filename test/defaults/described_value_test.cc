// SPDX-License-Identifier: Apache-2.0
#include "defaults/described_value.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "defaults/chart_defaults.h"
#include "test/defaults/charts.h"

namespace chartwright::defaults {
namespace {

struct Words {
  std::string path;
  std::string own = {};  ///< The description of a schema.
};

/// Returns the description of a value ("a.b") of a chart.
std::string description_of(const Words& words, std::vector<helm::File> files) {
  const auto chart = testing::chart_with(std::move(files));
  const value::Value usual = chart_defaults(*chart);
  const helm::Comments comments = comments_of(chart->chart());
  DescribedValue value(&usual, &comments);
  for (std::string_view step : base::split(words.path, '.')) {
    value = value.member(step);
  }
  return value.text(words.own);
}

std::string text_of(const Words& words, const std::string& values) {
  return description_of(words, {{"values.yaml", values}});
}

}  // namespace

TEST_CASE("A value is described by its comment and its default") {
  CHECK(text_of({"a"}, "# Number of pods\na: 2\n") == "Number of pods. Default: 2.");
  CHECK(text_of({"a"}, "# Whether it is active.\na: false\n") ==
        "Whether it is active. Default: false.");
  CHECK(text_of({"a"}, "# How many?\na: 1.5\n") == "How many? Default: 1.5.");
  CHECK(text_of({"a"}, "# See https://a.b/c\na: 1\n") == "See https://a.b/c Default: 1.");
  CHECK(text_of({"a"}, "a: b\n") == R"(Default: "b".)");
  CHECK(text_of({"a"}, "# Of a.\na: {b: 1}\n") == "Of a.");
  CHECK(text_of({"a"}, "# Of a.\na: [1]\n") == "Of a.");
  CHECK(text_of({"a"}, "# Of a.\na:\n") == "Of a.");
  CHECK(text_of({"a"}, "a: " + std::string(100, 'x') + "\n").empty());
  CHECK(text_of({"b.c"}, "a: 1\n").empty());
}

TEST_CASE("An empty default is told, unless the comment tells of a default") {
  CHECK(text_of({"a"}, "a: ''\n") == R"(Default: "".)");
  CHECK(text_of({"a"}, "# Labels\na: {}\n") == "Labels. Default: {}.");
  CHECK(text_of({"a"}, "a: []\n") == "Default: [].");
  CHECK(text_of({"a"}, "# The period (defaults to 30s)\na: ''\n") ==
        "The period (defaults to 30s)");
  CHECK(text_of({"a"}, "# The period (defaults to 30s)\na: 30s\n") ==
        R"(The period (defaults to 30s). Default: "30s".)");
}

TEST_CASE("A default in the words of the authors comes before the value") {
  CHECK(text_of({"a"}, "# -- The port\n# @default -- that of the Service\na: ''\n") ==
        "The port. Default: that of the Service.");
  CHECK(text_of({"a"}, "# @default -- many\na: ''\n") == "Default: many.");
}

TEST_CASE("The description of a schema comes before the comment") {
  CHECK(text_of({"a", "Ours"}, "# Theirs.\n# @default -- x\na: 1\n") == "Ours. Default: 1.");
  CHECK(text_of({"a", "Ours:\na: 2"}, "a: 1\n") == "Ours:\na: 2\nDefault: 1.");
  CHECK(text_of({"a", "Ours. Default: 1."}, "a: 1\n") == "Ours. Default: 1.");
}

TEST_CASE("The default of a credential is not told, what its comment says is") {
  CHECK(text_of({"password"}, "# Such as hunter2.\npassword: hunter2\n") == "Such as hunter2.");
  CHECK(text_of({"password"}, "password: ''\n") == R"(Default: "".)");
  CHECK(text_of({"secrets.pin"}, "secrets: {pin: 1234}\n").empty());
  CHECK(text_of({"secrets.replicas"}, "secrets: {replicas: 2}\n") == "Default: 2.");
  CHECK(text_of({"url"}, "url: 'db://u:p@h'\n").empty());
}

TEST_CASE("Values of dependencies have their own comments, unless the chart has others") {
  const std::vector<helm::File> files = {
      {"Chart.yaml",
       "apiVersion: v2\nname: shop\nversion: 1.2.3\n"
       "dependencies: [{name: db, version: 1.0.0, alias: store}]\n"},
      {"values.yaml", "store:\n  # Ours.\n  a: null\n"},
      {"charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"},
      {"charts/db/values.yaml", "# Theirs.\na: 1\n# Of b.\nb: 2\n"}};
  CHECK(description_of({"store.a"}, files) == "Ours.");
  CHECK(description_of({"store.b"}, files) == "Of b. Default: 2.");
}

TEST_CASE("A default is taken from the end of a description again") {
  const value::Value usual = value::Value::integer(2);
  CHECK(without_default("Number of pods. Default: 2.", &usual) == "Number of pods.");
  CHECK(without_default("Default: 2.", &usual).empty());
  CHECK(without_default("Default: 3.", &usual) == "Default: 3.");
  CHECK(without_default("Default: 2.", nullptr) == "Default: 2.");
}

}  // namespace chartwright::defaults
