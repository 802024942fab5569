// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/directory.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/ascii.h"
#include "base/file.h"
#include "go/quote.h"
#include "helm/chart/ignore.h"
#include "helm/chart/limits.h"
#include "helm/version/log_line.h"

namespace chartwright::helm {
namespace {

namespace fs = std::filesystem;

constexpr int kDepthMax = 128;
constexpr int kLinksMax = 40;  // As many as Linux follows.

base::Error system_error(std::string_view call, const std::string& path, int code) {
  const auto kind = code == EACCES ? base::ErrorCode::kForbidden : base::ErrorCode::kNotFound;
  std::string reason = std::generic_category().message(code);
  reason[0] = static_cast<char>(reason[0] | 0x20);  // Go's messages are in lower case
  return base::Error(kind, std::string(call) + " " + path + ": " + reason);
}

/// Returns the error for a link that leads nowhere. It names the first path on the way that is
/// missing. Source: Go path/filepath/symlink.go.
base::Error link_error(const std::string& path, int code) {
  const std::string what = "error evaluating symlink " + path;
  if (code == ELOOP) {
    return base::Error(base::ErrorCode::kInvalidArgument, what + ": EvalSymlinks: too many links");
  }
  std::error_code error;
  fs::path end = path;
  for (int links = 0; links < kLinksMax; ++links) {
    // A target is relative to the folder that the link is in, which links may lead to.
    const fs::path target = fs::read_symlink(end, error);
    const fs::path folder = error ? fs::path() : fs::canonical(end.parent_path(), error);
    if (error) {
      break;
    }
    end = (folder / target).lexically_normal();
  }
  fs::path missing;
  for (const fs::path& part : end) {
    missing /= part;
    if (!fs::exists(fs::symlink_status(missing, error))) {
      break;
    }
  }
  return system_error("lstat", missing.string(), code).wrap(what);
}

/// Walks a chart folder. Keeps each path both as on disk and relative to the chart.
class DirectoryReader {
 public:
  DirectoryReader(std::string root, IgnoreRules rules, const Profile& profile)
      : root_(std::move(root)),
        rules_(std::move(rules)),
        profile_(profile),
        file_bytes_max_(file_bytes_max(profile.file_size)) {}

  base::Result<DirectoryFiles> run() {
    CW_TRY_VOID(directory(root_, "", 0));
    return std::move(found_);
  }

 private:
  base::Status directory(const std::string& path, const std::string& relative, int depth) {
    if (depth > kDepthMax) {
      return base::Error(base::ErrorCode::kBudget, "folders are nested more than " +
                                                       std::to_string(kDepthMax) + " deep at " +
                                                       path + " (a symbolic link loop?)");
    }
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      names.push_back(it->path().filename().string());
    }
    if (error) {
      return system_error("open", path, error.value());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      CW_TRY_VOID(entry(path + "/" + name, relative.empty() ? name : relative + "/" + name, depth));
    }
    return {};
  }

  base::Status entry(const std::string& path, const std::string& relative, int depth) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) {
      return system_error("lstat", path, errno);
    }
    if (S_ISLNK(info.st_mode)) {
      std::error_code error;
      const fs::path resolved = fs::canonical(path, error);
      if (error || ::stat(path.c_str(), &info) != 0) {
        return link_error(path, error ? error.value() : errno);
      }
      warn_of_link(path, resolved.string());
    }
    if (S_ISDIR(info.st_mode)) {
      if (rules_.ignores(relative, EntryType::kDirectory)) {
        return {};
      }
      return directory(path, relative, depth + 1);
    }
    if (rules_.ignores(relative, EntryType::kFile)) {
      return {};
    }
    return file(path, relative, info);
  }

  void warn_of_link(const std::string& path, const std::string& resolved) {
    found_.warnings.push_back(
        log_line({{"walk.go", 75, 75},
                  "found symbolic link in path: " + path + " resolves to " + resolved +
                      ". Contents of linked file included and used",
                  {{"INFO",
                    "found symbolic link in path. Contents of linked file included and used",
                    {{"path", path}, {"resolved", resolved}}}}},
                 profile_));
  }

  base::Status file(const std::string& path, const std::string& relative, const struct stat& info) {
    if (!S_ISREG(info.st_mode)) {
      return base::Error(
          base::ErrorCode::kInvalidArgument,
          "cannot load irregular file " + path + " as it has file mode type bits set");
    }
    if (static_cast<size_t>(info.st_size) > file_bytes_max_) {
      return base::Error(base::ErrorCode::kBudget,
                         "chart file " + go::quote(fs::path(path).filename().string()) +
                             " is larger than the maximum file size " +
                             std::to_string(file_bytes_max_));
    }
    auto data = base::read_file(path, file_bytes_max_);
    if (!data.ok()) {
      return std::move(data).error().wrap("error reading " + relative);
    }
    total_bytes_ += data->size();
    if (total_bytes_ > kChartBytesMax) {
      return base::Error(base::ErrorCode::kBudget,
                         "chart is larger than the maximum size " + std::to_string(kChartBytesMax));
    }
    if (data->starts_with(base::kByteOrderMark)) {
      data->erase(0, base::kByteOrderMark.size());
    }
    found_.files.push_back({relative, std::move(data).value()});
    return {};
  }

  std::string root_;
  IgnoreRules rules_;
  const Profile& profile_;
  size_t file_bytes_max_;
  DirectoryFiles found_;
  size_t total_bytes_ = 0;
};

}  // namespace

std::string chart_folder(const std::string& path) {
  std::error_code error;
  std::string root = fs::absolute(path, error).lexically_normal().string();
  if (root.size() > 1 && root.back() == '/') {
    root.pop_back();
  }
  return root;
}

base::Result<DirectoryFiles> read_directory(const std::string& path, const Profile& profile) {
  std::error_code error;
  std::string root = chart_folder(path);
  IgnoreRules rules;
  const std::string ignore_file = root + "/.helmignore";
  if (fs::exists(ignore_file, error)) {
    CW_TRY(const std::string text, base::read_file(ignore_file, file_bytes_max(profile.file_size)));
    CW_TRY(rules, IgnoreRules::parse(text));
  }
  return DirectoryReader(std::move(root), std::move(rules), profile).run();
}

}  // namespace chartwright::helm
