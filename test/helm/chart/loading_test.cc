// SPDX-License-Identifier: Apache-2.0
#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "helm/chart/archive.h"
#include "helm/chart/directory.h"
#include "helm/chart/limits.h"
#include "helm/chart/loader.h"

// Tests folders and archives on disk. The cases of test/cases/chart cover the contents of files.
namespace chartwright::helm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadata = "apiVersion: v2\nname: one\nversion: 0.1.0\n";

/// A chart folder that is removed at the end of the test.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "chartwright-XXXXXX").string()) {
    REQUIRE(mkdtemp(path_.data()) != nullptr);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }
  Folder& write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << text;
    return *this;
  }

 private:
  std::string path_;
};

std::vector<std::string> names_of(const std::vector<File>& files) {
  std::vector<std::string> names;
  for (const File& file : files) {
    names.push_back(file.name);
  }
  return names;
}

struct Entry {
  std::string name;
  std::string data;
};

/// Packs a .tgz with these entries, with their names unchanged.
std::string pack(const std::vector<Entry>& entries) {
  std::string out(size_t{1} << 20, '\0');
  size_t used = 0;
  archive* a = archive_write_new();
  archive_write_add_filter_gzip(a);
  archive_write_set_format_ustar(a);
  REQUIRE(archive_write_open_memory(a, out.data(), out.size(), &used) == ARCHIVE_OK);
  for (const Entry& e : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, e.name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(e.data.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    REQUIRE(archive_write_header(a, entry) == ARCHIVE_OK);
    archive_write_data(a, e.data.data(), e.data.size());
    archive_entry_free(entry);
  }
  archive_write_close(a);
  archive_write_free(a);
  out.resize(used);
  return out;
}

std::string archive_fault(const std::vector<Entry>& entries) {
  const auto files = read_archive(pack(entries));
  return files.ok() ? "" : files.error().message();
}

}  // namespace

TEST_CASE("A folder is read in sorted order without what .helmignore names") {
  Folder folder;
  folder.write(".helmignore", "*.bak\nsecret/\n")
      .write("Chart.yaml", kMetadata)
      .write("b.bak", "x")
      .write("secret/key", "x")
      .write("templates/.hidden", "x")
      .write("templates/b.yaml", "b")
      .write("templates/a.yaml", "a");
  const auto read = read_directory(folder.path(), default_profile());
  REQUIRE(read.ok());
  CHECK(names_of(read->files) == std::vector<std::string>{".helmignore", "Chart.yaml",
                                                          "templates/a.yaml", "templates/b.yaml"});
}

TEST_CASE("A byte order mark is not part of a file") {
  Folder folder;
  folder.write("Chart.yaml", std::string("\xEF\xBB\xBF") + kMetadata);
  const auto loaded = load_chart(folder.path());
  REQUIRE(loaded.ok());
  CHECK(loaded->chart.name() == "one");
}

TEST_CASE("Symbolic links are followed, with a warning") {
  Folder target;
  target.write("x.yaml", "kind: X\n");
  Folder folder;
  folder.write("Chart.yaml", kMetadata);
  fs::create_directory_symlink(target.path(), folder.at("templates"));
  const auto loaded = load_chart(folder.path());
  REQUIRE(loaded.ok());
  CHECK(names_of(loaded->chart.content->templates) == std::vector<std::string>{"templates/x.yaml"});
  REQUIRE(loaded->warnings.size() == 1);
  CHECK(loaded->warnings[0].starts_with("walk.go:75: found symbolic link in path: "));
}

TEST_CASE("Links that lead nowhere or in circles are refused") {
  Folder folder;
  folder.write("Chart.yaml", kMetadata);
  fs::create_symlink("nowhere", folder.at("dangling"));
  auto loaded = load_chart(folder.path());
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message() == "error evaluating symlink " + folder.at("dangling") +
                                        ": lstat " + folder.at("nowhere") +
                                        ": no such file or directory");
  fs::remove(folder.at("dangling"));
  fs::create_symlink("second", folder.at("first"));
  fs::create_symlink("gone/./below", folder.at("second"));
  loaded = load_chart(folder.path());
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message() == "error evaluating symlink " + folder.at("first") + ": lstat " +
                                        folder.at("gone") + ": no such file or directory");
  fs::remove(folder.at("first"));
  fs::remove(folder.at("second"));
  // By its name, the target of a/link is x, which leads back to it. By its folder, it is d/x.
  fs::create_directories(folder.at("d/real"));
  fs::create_symlink("../x", folder.at("d/real/link"));
  fs::create_directory_symlink("d/real", folder.at("a"));
  fs::create_symlink("a/link", folder.at("x"));
  loaded = load_chart(folder.path());
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message() == "error evaluating symlink " + folder.at("a/link") + ": lstat " +
                                        folder.at("d/x") + ": no such file or directory");
  for (const char* name : {"a", "d", "x"}) {
    fs::remove_all(folder.at(name));
  }
  fs::create_symlink("self", folder.at("self"));
  loaded = load_chart(folder.path());
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message() ==
        "error evaluating symlink " + folder.at("self") + ": EvalSymlinks: too many links");
  fs::remove(folder.at("self"));
  fs::create_directory_symlink(folder.path(), folder.at("loop"));
  loaded = load_chart(folder.path());
  REQUIRE_FALSE(loaded.ok());
}

TEST_CASE("Irregular and oversized files are refused") {
  Folder folder;
  folder.write("Chart.yaml", kMetadata);
  REQUIRE(mkfifo(folder.at("pipe").c_str(), 0600) == 0);
  auto loaded = load_chart(folder.path());
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message() ==
        "cannot load irregular file " + folder.at("pipe") + " as it has file mode type bits set");
  fs::remove(folder.at("pipe"));
  folder.write("big", "");
  fs::resize_file(folder.at("big"), file_bytes_max(FileSizeRule::kBounded) + 1);
  loaded = load_chart(folder.path());
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().code() == base::ErrorCode::kBudget);
  CHECK(loaded.error().message() ==
        "chart file \"big\" is larger than the maximum file size 5242880");
}

TEST_CASE("A folder without metadata or that is not there is refused") {
  const Folder folder;
  auto loaded = load_chart(folder.path());
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message() == "Chart.yaml file is missing");
  loaded = load_chart(folder.at("none"));
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().code() == base::ErrorCode::kNotFound);
  CHECK(loaded.error().message() == "stat " + folder.at("none") + ": no such file or directory");
}

TEST_CASE("An archive is unpacked without its first folder") {
  const auto files =
      read_archive(pack({{"one/Chart.yaml", kMetadata}, {"one/templates/a.yaml", "a: 1\n"}}));
  REQUIRE(files.ok());
  CHECK(names_of(*files) == std::vector<std::string>{"Chart.yaml", "templates/a.yaml"});
  Folder folder;
  folder.write("one.tgz", pack({{"one/Chart.yaml", kMetadata}}));
  const auto loaded = load_chart(folder.at("one.tgz"));
  REQUIRE(loaded.ok());
  CHECK(loaded->chart.name() == "one");
}

TEST_CASE("Archive entries that leave the chart are refused") {
  CHECK(archive_fault({{"one//etc/passwd", "x"}}) == "chart illegally contains absolute paths");
  CHECK(archive_fault({{"one/../../x", "x"}}) == "chart illegally references parent directory");
  CHECK(archive_fault({{"one/C:/x", "x"}}) == "chart contains illegally named files");
  CHECK(archive_fault({{"Chart.yaml", kMetadata}}) ==
        "chart illegally contains content outside the base directory: \"Chart.yaml\"");
  CHECK(archive_fault({{"Chart.yaml/x", "x"}}) == "chart yaml not in base directory");
  CHECK(archive_fault({}) == "no files in chart archive");
}

TEST_CASE("An entry above the size limit is refused before it is read") {
  const std::string zeros(file_bytes_max(FileSizeRule::kBounded) + 1, '\0');
  CHECK(archive_fault({{"one/big", zeros}}) ==
        "decompressed chart file \"one/big\" is larger than the maximum file size 5242880");
}

TEST_CASE("A file that is not an archive is refused with what it is instead") {
  Folder folder;
  folder.write("x.yaml", "a: 1\n").write("x.txt", "short").write("y.txt", std::string(600, 'a'));
  const auto fault = [&](const std::string& name) {
    const auto files = read_archive_file(folder.at(name), default_profile());
    return files.ok() ? "" : files.error().message();
  };
  CHECK(fault("x.yaml") == "file '" + folder.at("x.yaml") +
                               "' seems to be a YAML file, but expected a gzipped archive");
  CHECK(fault("x.txt") == "file '" + folder.at("x.txt") +
                              "' does not appear to be a gzipped archive; got "
                              "'application/octet-stream'");
  CHECK(fault("y.txt") == "file '" + folder.at("y.txt") +
                              "' does not appear to be a gzipped archive; got 'text/plain; "
                              "charset=utf-8'");
}

TEST_CASE("The name of a chart is read from what is pulled") {
  const std::vector<std::pair<std::string, std::string>> references = {
      {"https://charts.example.com/shop-1.2.3.tgz", "shop"},
      {"https://charts.example.com/a/my-shop-v1.2.3-rc.1+b4.tar.gz", "my-shop"},
      {"https://charts.example.com/shop-1.2.3%2Bb4.tgz?token=a/b-1.2.3.tgz#c", "shop"},
      {"https://charts.example.com:8443/log4-2-0.10.0.tgz", "log4-2"},
      {"https://charts.example.com/shop.tgz", "shop"},
      {"https://charts.example.com/shop-latest.tgz", "shop-latest"},
      {"https://charts.example.com/shop-2.tgz", "shop-2"},
      {"https://charts.example.com/%zz/shop-1.2.3.tgz", "shop"},
      {"oci://r.example.com:5000/charts/shop", "shop"},
      {"oci://r.example.com:5000/charts/shop:1.2.3", "shop"},
      {"oci://r.example.com/charts/shop-1.2.3:4.5.6@sha256:0a", "shop-1.2.3"},
      {"bitnami/shop", "shop"},
      {"shop", "shop"},
  };
  for (const auto& [reference, name] : references) {
    INFO(reference);
    CHECK(chart_name_of(reference) == name);
  }
}

}  // namespace chartwright::helm
