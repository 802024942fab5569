// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/check.h"
#include "base/file.h"

namespace chartwright::cmd::testing {

/// Returns the text of a file, which must exist.
inline std::string text_of(const std::string& path) {
  return CW_MUST(base::read_file(path, size_t{1} << 20));
}

/// An empty folder with a chart in charts/shop, which is the current folder until the end.
class ProjectFolder {
 public:
  ProjectFolder() : before_(std::filesystem::current_path()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "cw-project-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    std::filesystem::current_path(path_);
    write("charts/shop/Chart.yaml", "apiVersion: v2\nname: web-shop\nversion: 0.1.0\n");
    write("charts/shop/templates/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  }
  ~ProjectFolder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  ProjectFolder(const ProjectFolder&) = delete;
  ProjectFolder& operator=(const ProjectFolder&) = delete;

  static void write(const std::filesystem::path& name, const std::string& text) {
    std::filesystem::create_directories(name.parent_path().empty() ? "." : name.parent_path());
    std::ofstream(name, std::ios::binary) << text;
  }

 private:
  std::filesystem::path before_;
  std::filesystem::path path_;
};

}  // namespace chartwright::cmd::testing
