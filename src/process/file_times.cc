// SPDX-License-Identifier: Apache-2.0
#include "process/file_times.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace chartwright::process {
namespace {

// Symbolic links can make a circle.
constexpr int kDepthMax = 64;

// Walks files in the order of their names.
class Walk {
 public:
  void visit(const std::string& path, int depth) {
    if (++files_ > kWatchedFilesMax) {
      return;
    }
    struct stat status {};
    text_ += path;
    text_ += '\0';
    if (::stat(path.c_str(), &status) != 0) {
      text_ += "absent\n";
      return;
    }
    if (S_ISDIR(status.st_mode)) {
      text_ += "folder\n";
      visit_folder(path, depth);
      return;
    }
    for (const int64_t number :
         {int64_t{status.st_size}, int64_t{status.st_mtim.tv_sec}, int64_t{status.st_mtim.tv_nsec},
          static_cast<int64_t>(status.st_ino), static_cast<int64_t>(status.st_dev)}) {
      text_ += std::to_string(number) + ' ';
    }
    text_ += '\n';
  }

  std::string text() && { return std::move(text_); }

 private:
  void visit_folder(const std::string& path, int depth) {
    if (depth == kDepthMax) {
      return;
    }
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path, error), end;
         !error && entry != end && names.size() < kWatchedFilesMax; entry.increment(error)) {
      names.push_back(entry->path().string());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      visit(name, depth + 1);
    }
  }

  std::string text_;
  int files_ = 0;
};

}  // namespace

std::string file_times(const std::vector<std::string>& paths) {
  Walk walk;
  for (const std::string& path : paths) {
    walk.visit(path, 0);
  }
  return std::move(walk).text();
}

}  // namespace chartwright::process
