// SPDX-License-Identifier: Apache-2.0
#include "suite/render_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "test/suite/scratch_chart.h"

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;

TEST_CASE("A render is written by its path, over the one before") {
  const ScratchFolder folder;
  const std::string debug = folder.path() + "/.debug";
  REQUIRE(keep_render(debug, "c/templates/a.yaml", "a: 1\n").ok());
  REQUIRE(keep_render(debug, "c/templates/a.yaml", "a: 2\n").ok());
  CHECK(file_text(debug + "/c/templates/a.yaml") == "a: 2\n");
}

TEST_CASE("No render is written outside of its folder") {
  const ScratchFolder folder;
  const std::string debug = folder.path() + "/.debug";
  CHECK(keep_render(debug, "../x", "").error().message() ==
        "the render of \"../x\" is not written: the path leads out of " + debug);
  CHECK_FALSE(keep_render(debug, "c/../../x", "").ok());
  CHECK_FALSE(keep_render(debug, "/x", "").ok());
  fs::create_directories(folder.path() + "/out");
  fs::create_directories(debug);
  fs::create_directory_symlink("../out", debug + "/c");
  CHECK(keep_render(debug, "c/a.yaml", "").error().message() ==
        "renders are not written through the link " + debug + "/c: remove it");
  CHECK(fs::is_empty(folder.path() + "/out"));
}

TEST_CASE("Tests keep their renders if that is asked for") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\nset: {replicas: 3}\ntests:\n- it: t\n  asserts:\n  - isKind: {of: A}\n");
  TestOptions options;
  options.keeps_renders = true;
  options.threads = 4;
  CHECK(test_in(folder, options).passed);
  CHECK(file_text(".debug/c/templates/a.yaml") == "kind: A\nreplicas: 3\n");
  fs::remove_all(".debug");
}

}  // namespace
}  // namespace chartwright::suite
