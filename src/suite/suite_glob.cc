// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_glob.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/strings.h"
#include "go/path.h"

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;
using Parts = std::span<const std::string_view>;

constexpr size_t kFilesMax = 10'000;

// NOLINTNEXTLINE(misc-no-recursion): once for each part of a pattern.
bool matches(Parts pattern, Parts path) {
  if (pattern.empty() || path.empty()) {
    return path.empty() && std::ranges::all_of(pattern, [](auto part) { return part == "**"; });
  }
  if (pattern.front() == "**") {
    return matches(pattern.subspan(1), path) || matches(pattern, path.subspan(1));
  }
  return go::match_path(pattern.front(), path.front()).value_or(false) &&
         matches(pattern.subspan(1), path.subspan(1));
}

/// Returns the paths of all files below a folder, relative to it. Error: kBudget.
base::Result<std::vector<std::string>> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      continue;
    }
    if (files.size() == kFilesMax) {
      return base::Error(base::ErrorCode::kBudget, "the chart " + folder + " has more than " +
                                                       std::to_string(kFilesMax) + " files");
    }
    files.push_back(at->path().lexically_relative(folder).string());
  }
  // The original walks the folders, and looks for files in each before it goes on.
  std::ranges::sort(files, {}, [](const fs::path& file) {
    return std::pair(file.parent_path(), file.filename());
  });
  return files;
}

}  // namespace

base::Result<std::vector<std::string>> find_suite_files(const std::string& folder,
                                                        const std::vector<std::string>& patterns) {
  CW_TRY(const std::vector<std::string> files, files_below(folder));
  std::vector<std::string> found;
  for (const std::string& pattern : patterns) {
    if (pattern.starts_with('/')) {
      found.push_back(pattern);
      continue;
    }
    const std::string clean = go::clean_path(pattern);
    const auto parts = base::split(clean, '/');
    for (const std::string& file : files) {
      if (matches(parts, base::split(file, '/'))) {
        found.push_back(go::join_path(folder, file));
      }
    }
  }
  return found;
}

}  // namespace chartwright::suite
