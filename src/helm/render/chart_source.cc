// SPDX-License-Identifier: Apache-2.0
#include "helm/render/chart_source.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "go/path.h"
#include "helm/chart/archive.h"
#include "helm/chart/limits.h"
#include "helm/chart/metadata.h"

namespace chartwright::helm {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

constexpr std::string_view kChartFile = "Chart.yaml";

std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return go::clean_path(error ? path : whole.string());
}

/// Source: Go compress/gzip Reader.readHeader.
base::Status check_gzip(std::string_view bytes) {
  constexpr size_t kHeaderBytes = 10;
  if (bytes.size() < kHeaderBytes) {
    return Error(ErrorCode::kParse, bytes.empty() ? "EOF" : "unexpected EOF");
  }
  if (!bytes.starts_with("\x1f\x8b\x08")) {
    return Error(ErrorCode::kParse, "gzip: invalid header");
  }
  return {};
}

/// Checks that the chart has a name, as Helm unpacks an archive into a folder of that name.
/// Source: helm/helm v3 pkg/chartutil/expand.go.
base::Status check_unpackable(const ChartSource::Files& files) {
  helm::Metadata metadata;
  if (const auto found = files.find(kChartFile); found != files.end()) {
    if (auto status = helm::read_metadata(found->second, metadata); !status.ok()) {
      return std::move(status).error().wrap("cannot load Chart.yaml");
    }
  }
  if (metadata.name.empty()) {
    return Error(ErrorCode::kInvalidArgument, "chart name not specified");
  }
  return {};
}

}  // namespace

base::Result<ChartSource> ChartSource::open(const std::string& path) {
  ChartSource source;
  source.root_ = absolute(path);
  if (helm::has_archive_name(path)) {
    CW_TRY_VOID(source.unpack(path));
  } else if (source.entry(kChartFile) == Entry::kMissing) {
    return Error(ErrorCode::kNotFound, "unable to check Chart.yaml file in chart: stat " +
                                           go::join_path(path, kChartFile) +
                                           ": no such file or directory");
  }
  return source;
}

ChartSource ChartSource::from_files(std::string root, Files files) {
  ChartSource source;
  source.root_ = std::move(root);
  source.archive_ = std::move(files);
  return source;
}

base::Status ChartSource::unpack(const std::string& path) {
  auto read = base::read_file(path, helm::kChartBytesMax);
  if (!read.ok()) {
    return std::move(read).error().wrap("unable to open tarball");
  }
  const base::Status gzip = check_gzip(*read);
  auto files = gzip.ok() ? helm::read_archive(*read) : gzip.error();
  if (!files.ok()) {
    return std::move(files).error().wrap("unable to extract tarball");
  }
  archive_.emplace();
  for (helm::File& file : *files) {
    archive_->emplace(std::move(file.name), std::move(file.data));
  }
  if (auto status = check_unpackable(*archive_); !status.ok()) {
    return std::move(status).error().wrap("unable to extract tarball");
  }
  return {};
}

ChartSource::Entry ChartSource::entry(std::string_view name) const {
  if (archive_) {
    if (archive_->find(name) != archive_->end()) {
      return Entry::kFile;
    }
    const std::string folder = std::string(name) + "/";
    const auto inside = archive_->lower_bound(folder);
    return inside != archive_->end() && inside->first.starts_with(folder) ? Entry::kFolder
                                                                          : Entry::kMissing;
  }
  std::error_code error;
  const fs::file_status status = fs::status(go::join_path(root_, name), error);
  if (!fs::exists(status)) {
    return Entry::kMissing;
  }
  return fs::is_directory(status) ? Entry::kFolder : Entry::kFile;
}

base::Result<std::string> ChartSource::read(std::string_view name) const {
  if (!archive_) {
    return base::read_file(go::join_path(root_, name), helm::kChartBytesMax);
  }
  const auto found = archive_->find(name);
  if (found == archive_->end()) {
    return Error(ErrorCode::kNotFound, "open " + std::string(name) + ": no such file or directory");
  }
  return found->second;
}

std::vector<std::string> ChartSource::files_in(std::string_view folder) const {
  std::vector<std::string> names;
  if (archive_) {
    const std::string prefix = std::string(folder) + "/";
    for (const auto& [name, data] : *archive_) {
      if (name.starts_with(prefix) && name.find('/', prefix.size()) == std::string::npos) {
        names.push_back(name);
      }
    }
    return names;
  }
  std::error_code error;
  for (fs::directory_iterator at(go::join_path(root_, folder), error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) {
      names.push_back(go::join_path(folder, at->path().filename().string()));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

base::Result<std::shared_ptr<const RenderableChart>> ChartSource::load(
    const Profile& profile, SchemaSources schemas) const {
  if (!archive_) {
    return RenderableChart::load(root_, profile, std::move(schemas));
  }
  std::vector<helm::File> files;
  for (const auto& [name, data] : *archive_) {
    files.push_back({name, data});
  }
  return RenderableChart::from_files(std::move(files), profile, std::move(schemas));
}

}  // namespace chartwright::helm
