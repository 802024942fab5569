// SPDX-License-Identifier: Apache-2.0
#include "suite/watch/watch_loop.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "suite/watch/file_look.h"
#include "test/base/temporary_directory.h"

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;

/// A loop over one chart, in which each wait does the next step.
class WatchedFolder {
 public:
  WatchedFolder() {
    write("templates/a.yaml", "1");
    write("tests/a_test.yaml", "1");
    charts_.push_back({folder_.path(), {{file("tests/a_test.yaml"), file(kSnapshot), {}}}});
  }

  static constexpr const char* kSnapshot = "tests/__snapshot__/a_test.yaml.snap";

  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(file(name)).parent_path());
    folder_.write(name, text);
  }

  /// Runs the loop until no step is left. Returns the changed files of each run.
  std::vector<std::vector<std::string>> watch(
      const std::vector<std::function<void()>>& steps,
      const std::function<void()>& in_run = [] {}) {
    std::vector<std::vector<std::string>> runs;
    size_t next = 0;
    const auto run = [&](const auto& reruns, const auto& changed) -> base::Status {
      CHECK_FALSE(reruns.empty());
      runs.push_back(changed);
      in_run();
      return {};
    };
    const auto wait = [&] {
      if (next == steps.size()) {
        return false;
      }
      steps[next++]();
      return true;
    };
    REQUIRE(watch_tests({.run = run, .charts = charts_, .wait = wait}).ok());
    return runs;
  }

 private:
  const base::TemporaryDirectory folder_;
  std::vector<WatchedChart> charts_;
};

const std::function<void()> kNothing = [] {};
using Runs = std::vector<std::vector<std::string>>;

TEST_CASE("Everything runs at the start, and nothing without a change") {
  WatchedFolder folder;
  CHECK(folder.watch({kNothing, kNothing}) == Runs{{}});
}

TEST_CASE("A burst of writes runs once, when it has settled") {
  WatchedFolder folder;
  const auto template_a = folder.file("templates/a.yaml");
  CHECK(folder.watch({[&] { folder.write("templates/a.yaml", "22"); },
                      [&] { folder.write("templates/a.yaml", "333"); },
                      [&] { folder.write("templates/b.yaml", "1"); }, kNothing, kNothing}) ==
        Runs{{}, {template_a, folder.file("templates/b.yaml")}});
}

TEST_CASE("Files that are removed, and files that never rest, are changes") {
  WatchedFolder folder;
  CHECK(folder.watch({[&] { fs::remove(folder.file("templates/a.yaml")); }, kNothing}) ==
        Runs{{}, {folder.file("templates/a.yaml")}});
  size_t size = 0;
  const std::vector<std::function<void()>> busy(
      30, [&] { folder.write("templates/a.yaml", std::string(++size, 'x')); });
  CHECK(folder.watch(busy).size() == 2);
}

TEST_CASE("The snapshots that a run writes are no change, other files are") {
  WatchedFolder folder;
  size_t size = 0;
  const auto writes = [&] { folder.write(WatchedFolder::kSnapshot, std::string(++size, 'x')); };
  CHECK(folder.watch({kNothing, kNothing}, writes) == Runs{{}});
  CHECK(folder.watch({[&] { folder.write(WatchedFolder::kSnapshot, "yours"); }, kNothing}) ==
        Runs{{}, {folder.file(WatchedFolder::kSnapshot)}});
  bool is_first = true;
  const auto edits = [&] {
    if (std::exchange(is_first, false)) {
      folder.write("templates/new.yaml", "1");
      folder.write("templates/a.yaml", "edited");
    }
  };
  CHECK(folder.watch({kNothing, kNothing}, edits) ==
        Runs{{}, {folder.file("templates/a.yaml"), folder.file("templates/new.yaml")}});
}

TEST_CASE("Hidden files, and what is not there, are not looked at") {
  const WatchedFolder folder;
  folder.write(".git/index", "1");
  const FileLook look = CW_MUST(look_at({folder.file(""), folder.file("missing")}));
  CHECK(look.size() == 2);
}

TEST_CASE("More files than can be watched are an error") {
  const base::TemporaryDirectory folder;
  for (size_t i = 0; i <= kWatchedFilesMax; ++i) {
    folder.write(std::to_string(i), "");
  }
  CHECK(look_at({folder.path()}).error().message() == "more than 20000 files are not watched");
}

}  // namespace
}  // namespace chartwright::suite
