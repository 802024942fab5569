// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/archive.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "archive/tar_reader.h"
#include "base/ascii.h"
#include "base/file.h"
#include "go/path.h"
#include "go/quote.h"
#include "go/url.h"
#include "helm/chart/limits.h"
#include "helm/version/semver.h"
#include "yaml/document.h"

namespace chartwright::helm {
namespace {

constexpr size_t kHeaderBytes = 512;
constexpr size_t kSniffBytes = 512;

base::Error invalid_archive(std::string message) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::move(message));
}

base::Error too_large() {
  return base::Error(
      base::ErrorCode::kBudget,
      "decompressed chart is larger than the maximum file size " + std::to_string(kChartBytesMax));
}

bool has_drive(std::string_view name) {
  return name.size() > 2 && base::is_ascii_letter(name[0]) && name[1] == ':' && name[2] == '/';
}

/// Returns the entry's name inside the chart: without its first segment, with slashes, and not
/// outside of the chart's folder.
base::Result<std::string> name_in_chart(const std::string& entry_name) {
  const char delimiter = entry_name.find('\\') != std::string::npos ? '\\' : '/';
  const size_t first = entry_name.find(delimiter);
  std::string name = first == std::string::npos ? "" : entry_name.substr(first + 1);
  for (char& c : name) {
    c = c == delimiter ? '/' : c;
  }
  if (name.starts_with('/')) {
    return invalid_archive("chart illegally contains absolute paths");
  }
  name = go::clean_path(name);
  if (name == ".") {
    return invalid_archive("chart illegally contains content outside the base directory: " +
                           go::quote(entry_name));
  }
  if (name.starts_with("..")) {
    return invalid_archive("chart illegally references parent directory");
  }
  if (has_drive(name)) {
    return invalid_archive("chart contains illegally named files");
  }
  if (entry_name.substr(0, first) == "Chart.yaml") {
    return invalid_archive("chart yaml not in base directory");
  }
  return name;
}

/// The bytes that the archive may still unpack to, and the limit for one file.
struct EntryBounds {
  size_t remaining;
  size_t file_bytes_max;
};

base::Status read_entry(archive::TarReader& reader, const archive::Entry& entry,
                        EntryBounds& bounds, std::vector<File>& files) {
  // Even an entry without data costs a header, and there may be many of them.
  if (bounds.remaining < kHeaderBytes) {
    return too_large();
  }
  bounds.remaining -= kHeaderBytes;
  if (entry.is_folder) {
    return {};
  }
  CW_TRY(std::string name, name_in_chart(entry.name));
  if (entry.size > bounds.remaining) {
    return too_large();
  }
  if (entry.size > bounds.file_bytes_max) {
    return base::Error(base::ErrorCode::kBudget, "decompressed chart file " +
                                                     go::quote(entry.name) +
                                                     " is larger than the maximum file size " +
                                                     std::to_string(bounds.file_bytes_max));
  }
  CW_TRY(std::string data, reader.read(entry.size));
  if (data.size() >= bounds.remaining) {
    return too_large();
  }
  bounds.remaining -= data.size();
  if (data.starts_with(base::kByteOrderMark)) {
    data.erase(0, base::kByteOrderMark.size());
  }
  files.push_back({std::move(name), std::move(data)});
  return {};
}

/// Reports whether `text` is a version with all its three numbers, as charts have.
bool is_whole_version(std::string_view text) {
  const std::string_view numbers = text.substr(0, text.find_first_of("-+"));
  return std::ranges::count(numbers, '.') == 2 && Version::parse(text).ok();
}

/// Takes the version off the name that `helm package` gives an archive.
std::string without_version(const std::string& name) {
  for (size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at + 1)) {
    if (is_whole_version(std::string_view(name).substr(at + 1))) {
      return name.substr(0, at);
    }
  }
  return name;
}

}  // namespace

base::Result<std::vector<File>> read_archive(std::string_view gzipped, FileSizeRule file_size) {
  CW_TRY(archive::TarReader reader, archive::TarReader::open(gzipped));
  std::vector<File> files;
  EntryBounds bounds{kChartBytesMax, file_bytes_max(file_size)};
  while (true) {
    CW_TRY(const std::optional<archive::Entry> entry, reader.next());
    if (!entry) {
      break;
    }
    CW_TRY_VOID(read_entry(reader, *entry, bounds, files));
  }
  if (files.empty()) {
    return invalid_archive("no files in chart archive");
  }
  return files;
}

bool has_archive_name(std::string_view path) {
  return path.ends_with(".tgz") || path.ends_with(".tar.gz");
}

std::string chart_name_of(std::string_view reference) {
  const auto url = go::Url::parse(reference);
  std::string name(go::base_name(url.ok() ? std::string_view(url->path) : reference));
  for (const std::string_view ending : {".tgz", ".tar.gz"}) {
    if (name.ends_with(ending)) {
      return without_version(name.substr(0, name.size() - ending.size()));
    }
  }
  return name.substr(0, name.find_first_of(":@"));
}

base::Result<std::vector<File>> read_archive_file(const std::string& path, const Profile& profile) {
  CW_TRY(const std::string data, base::read_file(path, kChartBytesMax));
  if (!data.starts_with("\x1F\x8B\x08")) {
    if (yaml::has_yaml_name(path)) {
      return invalid_archive("file '" + path +
                             "' seems to be a YAML file, but expected a gzipped archive");
    }
    // Helm examines 512 bytes. In a shorter file the missing bytes count as zeros: as binary.
    const std::string_view head = std::string_view(data).substr(0, kSniffBytes);
    const bool is_text =
        head.size() == kSniffBytes && std::none_of(head.begin(), head.end(), [](char c) {
          const auto byte = static_cast<unsigned char>(c);
          return byte < 0x09 || byte == 0x0B || (byte > 0x0D && byte < 0x20 && byte != 0x1B);
        });
    return invalid_archive("file '" + path + "' does not appear to be a gzipped archive; got '" +
                           (is_text ? "text/plain; charset=utf-8" : "application/octet-stream") +
                           "'");
  }
  auto files = read_archive(data, profile.file_size);
  if (!files.ok() && profile.loader == LoaderRule::kByApiVersion) {
    return base::Error(files.error().code(), "unable to load chart archive")
        .with_help(files.error().message());
  }
  return files;
}

}  // namespace chartwright::helm
