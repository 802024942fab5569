// SPDX-License-Identifier: Apache-2.0
#include "cmd/post_renderer.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "test/cmd/command.h"
#include "test/source_dir.h"

// Expected messages are those of helm 3.22.0 for the same arguments.
namespace chartwright::cmd {
namespace {

using testing::Outcome;
using testing::run;

const std::string kScaffoldChart = source_dir() + "/test/charts/scaffold";

Outcome render(std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"template", "r", kScaffoldChart});
  return run(flags);
}

/// Renders with a shell script as the post-renderer.
Outcome render_through(const std::string& script, std::vector<std::string> flags = {}) {
  flags.insert(flags.end(), {"--post-renderer", "sh", "--post-renderer-args", "-c",
                             "--post-renderer-args", script});
  return render(std::move(flags));
}

void check_failed(const Outcome& outcome, const std::string& message) {
  CHECK(outcome.code == kExitError);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "Error: " + message + "\n");
}

/// Returns the path of a new, empty folder for the test.
std::string new_folder(const std::string& name) {
  const auto folder = std::filesystem::temp_directory_path() / ("chartwright-" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

const std::string kHint = "\n\nUse --debug flag to render out invalid YAML";

}  // namespace

TEST_CASE("A post-renderer gets the manifests without the hooks, which follow its output") {
  const Outcome outcome = render({"--post-renderer", "wc", "--post-renderer-args", "-c"});
  CHECK(outcome.code == kExitOk);
  CHECK(outcome.out.starts_with(
      "1964\n---\n# Source: scaffold/templates/tests/test-connection.yaml\napiVersion: v1\n"));
}

TEST_CASE("A post-renderer that changes nothing changes nothing") {
  CHECK(render_through("cat").out == render({}).out);
}

TEST_CASE("The output of a post-renderer is trimmed, and may be empty") {
  CHECK(render_through("printf '\\n\\n  x  \\n\\n'", {"--no-hooks"}).out == "x\n");
  CHECK(render_through("true", {"--no-hooks"}).out == "\n");
}

TEST_CASE("Arguments of a post-renderer are passed on as they are, in their order") {
  const Outcome outcome = render({"--no-hooks", "--post-renderer-args", "a,b  c", "--post-renderer",
                                  "echo", "--post-renderer-args", "d"});
  CHECK(outcome.out == "a,b  c d\n");
}

TEST_CASE("show-only looks at what a post-renderer made") {
  const Outcome found = render({"-s", "templates/x.yaml", "--post-renderer", "echo",
                                "--post-renderer-args", "# Source: a/templates/x.yaml"});
  CHECK(found.out == "---\n# Source: a/templates/x.yaml\n");
  check_failed(render({"-s", "templates/service.yaml", "--post-renderer", "true"}),
               "could not find template templates/service.yaml in chart");
}

TEST_CASE("With output-dir a post-renderer gets nothing, and its output is printed") {
  const std::string folder = new_folder("post-render");
  const Outcome outcome = render_through("echo got; wc -c", {"--output-dir", folder});
  CHECK(outcome.code == kExitOk);
  CHECK(outcome.out.ends_with("/test-connection.yaml\ngot\n0\n"));
  CHECK(std::filesystem::exists(folder + "/scaffold/templates/service.yaml"));
}

TEST_CASE("A post-renderer need not read, and may print more than a pipe holds") {
  CHECK(render_through("exec 0<&-; echo done", {"--no-hooks"}).out == "done\n");
  const std::string big = "image.tag=" + std::string(100000, 'x');
  CHECK(render_through("cat", {"--set", big}).out == render({"--set", big}).out);
  CHECK(render_through("cat; head -c 300000 /dev/zero | tr '\\0' e >&2", {"--set", big}).out ==
        render({"--set", big}).out);
}

TEST_CASE("A post-renderer that fails is an error with what it wrote to standard error") {
  const std::string shell =
      "error while running post render on files: error while running command "
      "/usr/bin/sh. error output:\n";
  check_failed(render_through("echo part; echo oops >&2; exit 3"),
               shell + "oops\n: exit status 3" + kHint);
  check_failed(render_through("kill -9 $$"), shell + ": signal: killed" + kHint);
}

TEST_CASE("A post-renderer that is not a program is an error") {
  const std::string path = new_folder("no-program") + "/junk";
  std::ofstream(path) << "junk";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  check_failed(render({"--post-renderer", path}),
               "error while running post render on files: error while running command " + path +
                   ". error output:\n: fork/exec " + path + ": exec format error" + kHint);
}

TEST_CASE("A post-renderer that is not found is refused before anything is rendered") {
  const auto refused = [](const std::string& name, const std::string& why) {
    check_failed(render({"--post-renderer", name, "--set", "broken"}),
                 "invalid argument \"" + name +
                     "\" for \"--post-renderer\" flag: unable to find binary at " + name +
                     ": exec: \"" + name + "\": " + why);
  };
  refused("chartwright-nope", "executable file not found in $PATH");
  refused("./chartwright-nope", "stat ./chartwright-nope: no such file or directory");
  refused("/tmp", "is a directory");
  refused("/etc/passwd", "permission denied");
}

TEST_CASE("A relative path of a post-renderer becomes an absolute one") {
  PostRenderer renderer{"/usr/../usr/bin/./env", {}};
  REQUIRE(locate(renderer).ok());
  CHECK(renderer.program == "/usr/bin/env");
  PostRenderer none;
  REQUIRE(locate(none).ok());
  CHECK(none.program.empty());
}

}  // namespace chartwright::cmd
