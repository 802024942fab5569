// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/loader.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>

#include "base/file.h"
#include "base/strings.h"
#include "go/path.h"
#include "helm/chart/archive.h"
#include "helm/chart/directory.h"
#include "helm/chart/limits.h"
#include "helm/chart/values_file.h"
#include "helm/version/log_line.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr int kSubchartDepthMax = 32;

base::Error invalid(std::string message) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::move(message));
}

/// Adds the file name to an error in one of the chart's own YAML files.
base::Error in_file(base::Error error, const std::string& name) {
  const int line = error.pos() ? error.pos()->line : 0;
  const int column = error.pos() ? error.pos()->column : 0;
  return std::move(error).wrap("cannot load " + name).at({name, line, column});
}

/// Sorts the files of one chart into its parts, and loads its subcharts at the end.
class ChartBuilder {
 public:
  ChartBuilder(int depth, const Profile& profile)
      : depth_(depth), profile_(profile), content_(std::make_shared<ChartContent>()) {}

  base::Result<LoadedChart> build(std::vector<File> files) {
    for (const File& file : files) {
      if (file.name == "Chart.yaml") {
        CW_TRY_VOID(read_chart_yaml(file));
      }
    }
    for (File& file : files) {
      CW_TRY_VOID(place(std::move(file)));
    }
    if (!has_metadata_) {
      return invalid("Chart.yaml file is missing");
    }
    CW_TRY_VOID(validate_metadata(loaded_.chart.metadata, profile_));
    content_->files_value = make_files_value(content_->files);
    loaded_.chart.content = content_;
    CW_TRY_VOID(load_subcharts());
    return std::move(loaded_);
  }

 private:
  Metadata& metadata() { return loaded_.chart.metadata; }

  base::Status read_chart_yaml(const File& file) {
    has_metadata_ = true;
    if (auto status = read_metadata(file.data, metadata(), profile_); !status.ok()) {
      return in_file(std::move(status).error(), file.name);
    }
    if (metadata().api_version.empty()) {
      metadata().api_version = "v1";
    }
    return {};
  }

  base::Status place(File file) {
    if (file.name == "Chart.yaml") {
      return {};
    }
    if (file.name == "values.yaml") {
      auto values = decode_values_file(file.data, profile_.values);
      if (!values.ok()) {
        return in_file(std::move(values).error(), file.name);
      }
      loaded_.chart.values = std::move(values).value();
      content_->values_text = std::move(file.data);
    } else if (file.name == "values.schema.json") {
      content_->schema = std::move(file.data);
    } else if (file.name == "requirements.yaml" || file.name == "requirements.lock" ||
               file.name == "Chart.lock") {
      return place_dependencies(std::move(file));
    } else if (file.name.starts_with("templates/")) {
      content_->templates.push_back(std::move(file));
    } else if (file.name.starts_with("charts/") && go::extension(file.name) != ".prov") {
      file.name.erase(0, std::strlen("charts/"));
      const std::string folder = file.name.substr(0, file.name.find('/'));
      subcharts_[folder].push_back(std::move(file));
    } else {
      content_->files.push_back(std::move(file));
    }
    return {};
  }

  base::Status read_dependencies(const File& file) {
    if (file.name == "requirements.yaml") {
      return read_metadata(file.data, metadata(), profile_);
    }
    CW_TRY(content_->lock, read_lock(file.data, profile_));
    return {};
  }

  void warn(int line, std::string text) {
    loaded_.warnings.push_back(log_line({{"load.go", line, line}, std::move(text), {}}, profile_));
  }

  /// Reads requirements.yaml over Chart.yaml. Of two lock files the last counts.
  base::Status place_dependencies(File file) {
    if (auto status = read_dependencies(file); !status.ok()) {
      return in_file(std::move(status).error(), file.name);
    }
    if (file.name == "Chart.lock") {
      return {};
    }
    has_metadata_ = true;
    if (metadata().api_version == "v1") {
      content_->files.push_back(std::move(file));
    } else if (file.name == "requirements.yaml") {
      warn(120,
           "Warning: Dependencies are handled in Chart.yaml since apiVersion \"v2\". We recommend "
           "migrating dependencies to Chart.yaml.");
    } else {
      warn(138,
           "Warning: Dependency locking is handled in Chart.lock since apiVersion \"v2\". We "
           "recommend migrating to Chart.lock.");
    }
    return {};
  }

  base::Status load_subcharts() {
    if (!subcharts_.empty() && depth_ >= kSubchartDepthMax) {
      return base::Error(base::ErrorCode::kBudget, "charts are nested more than " +
                                                       std::to_string(kSubchartDepthMax) + " deep");
    }
    for (auto& [folder, files] : subcharts_) {
      if (folder.front() == '_' || folder.front() == '.') {
        continue;
      }
      auto sub = load_subchart(folder, std::move(files));
      if (!sub.ok()) {
        return std::move(sub).error().wrap("error unpacking subchart " + folder + " in " +
                                           loaded_.chart.name());
      }
      for (std::string& warning : sub->warnings) {
        loaded_.warnings.push_back(std::move(warning));
      }
      loaded_.chart.dependencies.push_back(std::move(sub->chart));
    }
    return {};
  }

  base::Result<LoadedChart> load_subchart(const std::string& folder, std::vector<File> files) {
    if (go::extension(folder) == ".tgz") {
      if (files.front().name != folder) {
        return invalid("error unpacking subchart tar in " + loaded_.chart.name() + ": expected " +
                       folder + ", got " + files.front().name);
      }
      CW_TRY(files, read_archive(files.front().data, profile_.file_size));
      return ChartBuilder(depth_ + 1, profile_).build(std::move(files));
    }
    std::vector<File> inner;
    for (File& file : files) {
      if (file.name.find('/') != std::string::npos) {
        file.name.erase(0, folder.size() + 1);
        inner.push_back(std::move(file));
      }
    }
    return ChartBuilder(depth_ + 1, profile_).build(std::move(inner));
  }

  int depth_;
  const Profile& profile_;
  bool has_metadata_ = false;
  LoadedChart loaded_{{{}, Value::dict(), nullptr, {}, ""}, {}, {}};
  std::shared_ptr<ChartContent> content_;
  std::map<std::string, std::vector<File>> subcharts_;
};

/// The format of a chart, by its apiVersion.
enum class Format : uint8_t { kKnown, kV3 };

/// Source: helm/helm v4 pkg/chart/loader/load.go.
base::Result<Format> format_of(std::string_view chart_yaml) {
  auto api_version = read_api_version(chart_yaml);
  if (!api_version.ok()) {
    return in_file(std::move(api_version).error(), "Chart.yaml");
  }
  if (api_version->empty() || *api_version == "v1" || *api_version == "v2") {
    return Format::kKnown;
  }
  if (*api_version == "v3") {
    return Format::kV3;
  }
  return invalid("unsupported chart version");
}

base::Result<Format> format_of_files(const std::vector<File>& files) {
  for (const File& file : files) {
    if (file.name == "Chart.yaml") {
      return format_of(file.data);
    }
  }
  return invalid("unable to detect chart version, no Chart.yaml found");
}

/// Reads Chart.yaml beside .helmignore, which does not apply here.
base::Result<Format> format_of_folder(const std::string& path, const Profile& profile) {
  const std::string name = chart_folder(path) + "/Chart.yaml";
  auto text = base::read_file(name, file_bytes_max(profile.file_size));
  if (!text.ok()) {
    return std::move(text).error().wrap("unable to detect chart at " + name);
  }
  return format_of(*text);
}

base::Result<LoadedChart> build_chart(std::vector<File> files, Format format,
                                      const Profile& profile) {
  std::vector<File> all = files;
  CW_TRY(LoadedChart loaded, ChartBuilder(0, profile).build(std::move(files)));
  if (format == Format::kV3) {
    return invalid("invalid chart apiVersion");  // Helm loads such a chart, and installs none.
  }
  loaded.all_files = std::move(all);
  return loaded;
}

}  // namespace

base::Result<LoadedChart> load_chart_files(std::vector<File> files, const Profile& profile) {
  Format format = Format::kKnown;
  if (profile.loader == LoaderRule::kByApiVersion) {
    CW_TRY(format, format_of_files(files));
  }
  return build_chart(std::move(files), format, profile);
}

base::Result<LoadedChart> load_chart(const std::string& path, const Profile& profile) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    const int code = errno;
    return base::Error(
        code == EACCES ? base::ErrorCode::kForbidden : base::ErrorCode::kNotFound,
        "stat " + path + ": " + base::to_lower_ascii(std::generic_category().message(code)));
  }
  if (S_ISDIR(info.st_mode)) {
    Format format = Format::kKnown;
    if (profile.loader == LoaderRule::kByApiVersion) {
      CW_TRY(format, format_of_folder(path, profile));
    }
    CW_TRY(DirectoryFiles read, read_directory(path, profile));
    CW_TRY(LoadedChart loaded, build_chart(std::move(read.files), format, profile));
    loaded.warnings.insert(loaded.warnings.begin(), read.warnings.begin(), read.warnings.end());
    return loaded;
  }
  CW_TRY(std::vector<File> files, read_archive_file(path, profile));
  return load_chart_files(std::move(files), profile);
}

}  // namespace chartwright::helm
