// SPDX-License-Identifier: Apache-2.0
#include "suite/watch/file_look.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;

// Symbolic links can make a circle.
constexpr int kDepthMax = 32;

class LookWalk {
 public:
  base::Status visit(const std::string& path, int depth) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      return {};
    }
    if (S_ISDIR(status.st_mode)) {
      if (depth < kDepthMax) {
        CW_TRY_VOID(visit_folder(path, depth));
      }
      return {};
    }
    if (look_.size() == kWatchedFilesMax) {
      return base::Error(base::ErrorCode::kBudget, "more than " + std::to_string(kWatchedFilesMax) +
                                                       " files are not watched");
    }
    look_[path] = {int64_t{status.st_mtim.tv_sec}, int64_t{status.st_mtim.tv_nsec},
                   int64_t{status.st_size}, uint64_t{status.st_ino}};
    return {};
  }

  FileLook take() { return std::move(look_); }

 private:
  base::Status visit_folder(const std::string& path, int depth) {
    std::error_code error;
    // A folder that is removed meanwhile has no files.
    for (fs::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      if (!entry->path().filename().string().starts_with('.')) {
        CW_TRY_VOID(visit(entry->path().string(), depth + 1));
      }
    }
    return {};
  }

  FileLook look_;
};

}  // namespace

base::Result<FileLook> look_at(const std::set<std::string>& paths) {
  LookWalk walk;
  for (const std::string& path : paths) {
    CW_TRY_VOID(walk.visit(path, 0));
  }
  return walk.take();
}

std::vector<std::string> changed_files(const FileLook& before, const FileLook& after) {
  std::vector<std::string> changed;
  for (const auto& [path, stamp] : after) {
    const auto known = before.find(path);
    if (known == before.end() || known->second != stamp) {
      changed.push_back(path);
    }
  }
  for (const auto& [path, stamp] : before) {
    if (!after.contains(path)) {
      changed.push_back(path);
    }
  }
  return changed;
}

}  // namespace chartwright::suite
