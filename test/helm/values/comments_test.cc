// SPDX-License-Identifier: Apache-2.0
#include "helm/values/comments.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "helm/values/comment_text.h"

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
  CHECK(comment_on("a", "# Of the pod\n# Docs: none\n# (more)\n# Last\na: 1\n") ==
        "Of the pod. Docs: none (more). Last");
  CHECK(comment_on("a",
                   "# Of the pods that are scheduled to the nodes which belong to\n"
                   "# Kubernetes\na: 1\n") ==
        "Of the pods that are scheduled to the nodes which belong to Kubernetes");
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
  CHECK(comment_on("a", "# Of a.\na: {\n").empty());
  CHECK(comment_on("a", "# Of a.\na: 1\n---\nb: 1\n").empty());
  CHECK(comment_on("a", std::string("# Of a.\na: \x00\x01\n", 13)).empty());
  CHECK(comment_on("a", "# Of \xff.\na: 1\n").empty());
}

TEST_CASE("Merged members have their comments where they are merged, unless there are others") {
  const std::string values =
      "base: &base\n  # Of x.\n  x: 1\n  # Of y.\n  y: 1\n"
      "a:\n  <<: *base\n  # Own.\n  y: 2\nb:\n  <<: [*base]\n";
  CHECK(comment_on("a.x", values) == "Of x.");
  CHECK(comment_on("a.y", values) == "Own.");
  CHECK(comment_on("b.x", values) == "Of x.");
}

TEST_CASE("Tags for tools are no prose, some have a meaning") {
  CHECK(comment_on("a", "# -- (int) Number\na: 1\n") == "Number");
  CHECK(comment_on("a", "# -- (unclosed\na: 1\n") == "(unclosed");
  CHECK(comment_on("a", "# -- One\n# @section -- S\n# two.\na: 1\n") == "One two.");
  CHECK(comment_on("a", "# @schema\n# type: string\n# @schema\n# Text.\na: 1\n") == "Text.");
  CHECK(comment_on("a", "# @schema type:[string]\n# Text.\na: 1\n") == "Text.");
  CHECK(comment_on("a", "# @schema\n# Text.\na: 1\n").empty());
  CHECK(comment_on("a", "# Text.\n# +docs:property\na: 1\n") == "Text.");
  CHECK(comment_on("a", "# @ignored\n# -- Text\na: 1\n").empty());
  CHECK(comment_on("a.b", "# @ignored\na:\n  # Text.\n  b: 1\n").empty());
  CHECK(comment_on("a", "# -- Number\n# yamllint disable\na: 1\n") == "Number yamllint disable");
  CHECK(comment_on("a", "# yamllint disable rule:line-length\na: 1\n").empty());
}

TEST_CASE("A default in words is kept") {
  Comments comments;
  add_comments("# -- Port\n# @default -- that of the\tService\na: ''\n# +docs:default=x\nb: 1\n",
               comments);
  CHECK(comments.find("a")->text == "Port");
  CHECK(comments.find("a")->usual == "that of the Service");
  CHECK(comments.find("b")->usual == "x");
}

TEST_CASE("A line of helm-docs may name its value, wherever it is") {
  CHECK(comment_on("a.b", "# a.b -- Number of\n# pods\na:\n  b: 1\n") == "Number of pods");
  CHECK(comment_on("a", "# Of a.\n# a.b -- Number\na:\n  b: 1\n") == "Of a.");
  CHECK(comment_on("b.c", "b:\n  # b.\"c\" -- Text\n  c: 1\n") == "Text");
  CHECK(comment_on("a", "# x -- Text\na: 1\n") == "x -- Text");
  CHECK(comment_on("a", "# b -- Of b\n# a -- Of a\na: 1\nb: 1\n") == "Of a");
}

TEST_CASE("A comment behind a value counts where there is none above, if it is prose") {
  CHECK(comment_on("a", "a: ''  # defaults to the version\n") == "defaults to the version");
  CHECK(comment_on("a", "# Above.\na: ''  # defaults to the version\n") == "Above.");
  CHECK(comment_on("a", "a:  # The table of a.\n  b: 1\n") == "The table of a.");
  CHECK(comment_on("a", "a: \"#b # c d\" # Some text.\n") == "Some text.");
  CHECK(comment_on("a", "a: 'it''s # c d'\n").empty());
  CHECK(comment_on("a", "a: it's  # Some text.\n") == "Some text.");
  CHECK(comment_on("a", "a: [1, 2]  # Some numbers.\n") == "Some numbers.");
  CHECK(comment_on("a", "a: [  # Some numbers.\n  1]\n").empty());
  CHECK(comment_on("a", "a: \"x\n  # c d\"\n").empty());
  CHECK(comment_on("a", "a: #http://backend:80/echo or so\n").empty());
  for (const char* text : {"30s", "@schema type:[string, null]", "renovate: source=docker x",
                           "b: 1", "---- ----", ""}) {
    INFO(text);
    CHECK(comment_on("a", "a: 1  # " + std::string(text) + "\n").empty());
  }
}

TEST_CASE("Values above that are commented out belong to the key before") {
  CHECK(comment_on("b", "a: {}\n# limits:\n#   cpu: 1\n# Of b.\nb: 1\n") == "Of b.");
  CHECK(comment_on("b", "a: {}\n# - x: |\n#     text\nb: 1\n").empty());
  CHECK(comment_on("b", "# Of a.\n# a: 1\n# Of b.\nb: 1\n") == "Of b.");
  CHECK(comment_on("b", "# Of b, such as:\n# b: 1\n# And more.\nb: 1\n") == "Of b, such as:");
  CHECK(comment_on("b", "# Of b. For example:\n# b: 1\nb: 1\n") == "Of b.");
  CHECK(comment_on("b", "# e.g.\n# b: 1\nb: 1\n").empty());
  CHECK(comment_on("b", "# MAX_SIZE: 1\nb: 1\n").empty());
  CHECK(comment_on("b", "# Of b.\n# ref: https://example.com\nb: 1\n") ==
        "Of b. ref: https://example.com");
}

TEST_CASE("A value that is commented out has the comment above it") {
  const std::string values =
      "# Of a.\n# a: 1\n# Of b.\n# b:\n#   in: 1\nc:\n  d: 1\n  # Of e.\n  # e: 2\n# f: 1\n";
  CHECK(comment_on("a", values) == "Of a.");
  CHECK(comment_on("b", values) == "Of b.");
  CHECK(comment_on("c.e", values) == "Of e.");
  CHECK(comment_on("e", values).empty());
  CHECK(comment_on("f", values).empty());
  CHECK(comment_on("in", values).empty());
  CHECK(comment_on("b.k", "a: &x\n  # Of k.\n  # k: 1\n  y: 1\nb: *x\n").empty());
  CHECK(comment_on("d", "c: &k d\r*k : 1\rx: 1\n# Of d.\n# d: 1\n").empty());
}

TEST_CASE("A comment has no characters that hide or reorder others") {
  CHECK(comment_on("a", "# Some\u202e \u200btext\u00a0here ☃.\na: 1\n") == "Some text here ☃.");
}

TEST_CASE("Many values that are commented out are read in linear time") {
  std::string values = "a: 1\n";
  for (int i = 0; i < 100'000; ++i) {
    values += "# Text\n# k" + std::to_string(i) + ": 1\n";
  }
  CHECK(comment_on("k99999", values + "b: 1\n") == "Text");
}

}  // namespace chartwright::helm
