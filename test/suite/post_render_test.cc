// SPDX-License-Identifier: Apache-2.0
#include "suite/post_render.h"

#include <catch2/catch.hpp>
#include <string>

namespace chartwright::suite {
namespace {

/// Returns what a post-renderer that prints `printed` makes of two files; `input` is what it reads.
RenderedTexts after_program(const std::string& printed, std::string& input) {
  return CW_MUST(post_rendered({.program = "p"}, {{"c/b.yaml", "\nb: 1\n\n"}, {"c/a.yaml", "a: 1"}},
                               [&](const PostRenderer&, const std::string& manifests) {
                                 input = manifests;
                                 return base::Result<std::string>(printed);
                               }));
}

TEST_CASE("A post-renderer reads all files, and its output is taken apart by their names") {
  std::string input;
  const std::string printed =
      "x: 1\n---\n#### file: c/a.yaml\na: 2\n---\n#### file: c/new.yaml\nn: 1\n---\nm: 1\n";
  CHECK(after_program(printed, input) ==
        RenderedTexts{{"c/a.yaml", "a: 2\n"}, {"c/new.yaml", "n: 1\n---\nm: 1\n"}});
  CHECK(input == "---\n#### file: c/a.yaml\na: 1\n---\n#### file: c/b.yaml\nb: 1\n");
}

TEST_CASE("Output that names no file is one file") {
  std::string input;
  CHECK(after_program("a: 1\n---\nb: 1\n", input) ==
        RenderedTexts{{"manifest.yaml", "a: 1\n---\nb: 1\n"}});
  CHECK(after_program("", input) == RenderedTexts{{"manifest.yaml", ""}});
}

TEST_CASE("No program runs unless that is allowed") {
  const auto refused = post_rendered({.program = "yq", .pos = {"f.yaml", 2, 1}}, {}, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message() ==
        "f.yaml:2:1: postRenderer runs the program \"yq\": allow that with --allow-exec");
}

}  // namespace
}  // namespace chartwright::suite
