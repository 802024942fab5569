// SPDX-License-Identifier: Apache-2.0
#include "helm/values/comments.h"

#include <catch2/catch.hpp>

#include "base/strings.h"

namespace chartwright::helm {
namespace {

/// The comment on the value at `path` ("a.b") of a chart with these values.
std::string comment_on(std::string_view path, const std::string& values) {
  Comments comments;
  add_comments(values, comments);
  const Comments* at = &comments;
  for (std::string_view step : base::split(path, '.')) {
    at = at != nullptr ? at->find(step) : nullptr;
  }
  return at == nullptr ? "" : at->text;
}

}  // namespace

TEST_CASE("The lines right above a key are its comment") {
  CHECK(comment_on("a", "# Number of pods.\na: 1\n") == "Number of pods.");
  CHECK(comment_on("a", "## Number of\r\n##   pods.\r\na: 1\r\n") == "Number of pods.");
  CHECK(comment_on("a.b", "a:\n  # Of b.\n  b: 1\n") == "Of b.");
  CHECK(comment_on("a", "# Of nothing.\n\na: 1\n").empty());
  CHECK(comment_on("a", "x:\n  # Of nothing.\na: 1\n").empty());
  CHECK(comment_on("a", "# Of nothing.\nx: 1\na: 1\n").empty());
  CHECK(comment_on("a", "a: 1\n# Of nothing.\n").empty());
  CHECK(comment_on("a.b", "# Of a.\na: {b: 1}\n").empty());
  CHECK(comment_on("a", "# -------\n# Pods: how many.\n# -------\na: 1\n") == "Pods: how many.");
  CHECK(comment_on("a", "#\na: 1\n").empty());
  CHECK(comment_on("a", "").empty());
}

TEST_CASE("Helm-docs and readme-generator mark their texts") {
  CHECK(comment_on("a", "# Section\n# -- Number of\n# pods\n# @default -- many\na: 1\n") ==
        "Number of pods");
  CHECK(comment_on("a", "# -- key: value\na: 1\n") == "key: value");
  CHECK(comment_on("a.b", "## @param a.b [string, nullable] Number of pods\n##\na:\n  b: 1\n") ==
        "Number of pods");
  CHECK(comment_on("a", "## @param a Number of pods\n## More.\na: 1\n") == "Number of pods");
  CHECK(comment_on("a", "## @param a\na: 1\n").empty());
  CHECK(comment_on("a", "## @param a [string\na: 1\n").empty());
  CHECK(comment_on("a", "## @section Pods\na: 1\n").empty());
}

TEST_CASE("The comments of a file do not replace those that are there") {
  Comments comments;
  add_comments("# Ours.\na: 1\n", comments);
  add_comments("# Theirs.\na: 1\n# Of b.\nb: 1\n## @param a Theirs\n", comments);
  CHECK(comments.find("a")->text == "Ours.");
  CHECK(comments.find("b")->text == "Of b.");
  CHECK(comments.find("c") == nullptr);
}

TEST_CASE("Values that are commented out, and lines about the file, are left out") {
  CHECK(comment_on("a", "# limits:\n#   cpu: 1\na: 1\n").empty());
  CHECK(comment_on("a", "# - item\na: 1\n").empty());
  CHECK(comment_on("a", "# Limits of the pods:\n# limits:\n#   cpu: 1\na: 1\n") ==
        "Limits of the pods:");
  CHECK(comment_on("a", "# Default values for shop.\n# This is a YAML file.\na: 1\n").empty());
  CHECK(comment_on("a", "# See https://example.com/a: it tells more.\na: 1\n") ==
        "See https://example.com/a: it tells more.");
}

TEST_CASE("Long comments are cut between words, and control characters become spaces") {
  std::string words;
  for (int i = 0; i < 100; ++i) {
    words += "wörd ";
  }
  const std::string text = comment_on("a", "# " + words + "\na: 1\n");
  CHECK(text.size() < kCommentMax + 10);
  CHECK(text.ends_with("wörd …"));
  CHECK(comment_on("a", "# Some\ttext.\na: 1\n") == "Some text.");
}

TEST_CASE("A file with other line breaks, or a very long path, is read within its bounds") {
  CHECK(comment_on("b", "a: 1\rb: 1\rc: 1\r").empty());
  std::string path = "a";
  for (int i = 0; i < 200'000; ++i) {
    path += ".a";
  }
  CHECK(comment_on("a", "## @param " + path + " Deep\n\na: 1\n").empty());
}

TEST_CASE("A member that aliases repeat has its comment each time, which is read once") {
  std::string values = "a: &x\n";
  for (int i = 0; i < 20'000; ++i) {
    values += "  # x\n";
  }
  values += "  k: 1\n";
  for (int i = 0; i < 20'000; ++i) {
    values += "b" + std::to_string(i) + ": *x\n";
  }
  CHECK(comment_on("b19999.k", values).starts_with("x x x"));
  CHECK(comment_on("b19999.k", values).size() < kCommentMax + 10);
}

TEST_CASE("Only some lines that describe values by name are read") {
  std::string values = "a: 1\n";
  for (int i = 0; i < 10'001; ++i) {
    values += "# @param p" + std::to_string(i) + " Text\n";
  }
  CHECK(comment_on("p9999", values) == "Text");
  CHECK(comment_on("p10000", values).empty());
}

TEST_CASE("Values that cannot be read as a document have no comments") {
  CHECK(comment_on("a", "# Base.\nx: &x {b: 1}\n# Of a.\na: {<<: *x}\n").empty());
}

}  // namespace chartwright::helm
