// SPDX-License-Identifier: Apache-2.0
#include "process/file_times.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/base/temporary_directory.h"

namespace chartwright::process {
namespace {

namespace fs = std::filesystem;

/// A folder with a watches file and a chart.
struct Files {
  base::TemporaryDirectory folder;
  const fs::path root = folder.path("");

  Files() {
    write("watches.yaml", "[]");
    write("chart/templates/a.yaml", "kind: ConfigMap");
  }
  void write(const std::string& name, std::string_view text) const { folder.write(name, text); }
  std::string times() const {
    return file_times({folder.path("watches.yaml"), folder.path("chart")});
  }
};

}  // namespace

TEST_CASE("Files that stay as they are look the same, and any change shows") {
  const Files files;
  const std::string before = files.times();
  CHECK(files.times() == before);
  SECTION("another size") { files.write("watches.yaml", "[ ]"); }
  SECTION("only another time") {
    fs::last_write_time(files.root / "watches.yaml",
                        fs::file_time_type::clock::now() + std::chrono::seconds(1));
  }
  SECTION("another file of the same size and time") {
    const fs::path old = files.root / "watches.yaml";
    files.write("new.yaml", "{}");
    fs::last_write_time(files.root / "new.yaml", fs::last_write_time(old));
    fs::rename(files.root / "new.yaml", old);
  }
  SECTION("one more") { files.write("chart/templates/b.yaml", ""); }
  SECTION("one less") { fs::remove(files.root / "chart/templates/a.yaml"); }
  SECTION("one renamed") {
    fs::rename(files.root / "chart/templates/a.yaml", files.root / "chart/templates/c.yaml");
  }
  SECTION("an empty folder") { fs::create_directory(files.root / "chart/crds"); }
  SECTION("everything gone") { fs::remove_all(files.root / "chart"); }
  CHECK(files.times() != before);
}

TEST_CASE("A file that is not below the paths does not count") {
  const Files files;
  const std::string before = files.times();
  files.write("README.md", "text");
  CHECK(files.times() == before);
}

// As the kubelet replaces a mounted ConfigMap: ..data becomes a link to another folder.
TEST_CASE("A replaced symbolic link shows") {
  const Files files;
  files.write("1/Chart.yaml", "a");
  files.write("2/Chart.yaml", "a");
  fs::last_write_time(files.root / "2/Chart.yaml",
                      fs::last_write_time(files.root / "1/Chart.yaml"));
  fs::create_directory_symlink("1", files.root / "..data");
  fs::create_symlink("../..data/Chart.yaml", files.root / "chart/Chart.yaml");
  const std::string before = files.times();
  fs::create_directory_symlink("2", files.root / "..new");
  fs::rename(files.root / "..new", files.root / "..data");
  CHECK(files.times() != before);
}

TEST_CASE("Circles of links and a chart that is not a file end") {
  const Files files;
  fs::create_directory_symlink(".", files.root / "chart/circle");
  fs::create_symlink("nothing", files.root / "chart/broken");
  REQUIRE(::mkfifo((files.root / "chart/pipe").c_str(), 0600) == 0);
  const std::string before = files.times();
  CHECK(before.size() < (size_t{kWatchedFilesMax} << 10));
  CHECK(files.times() == before);
}

}  // namespace chartwright::process
