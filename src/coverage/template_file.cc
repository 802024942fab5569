// SPDX-License-Identifier: Apache-2.0
#include "coverage/template_file.h"

#include <algorithm>

#include "go/path.h"
#include "helm/render/scope.h"

namespace chartwright::coverage {
namespace {

using helm::Chart;

/// Collects the templates of a chart tree.
class FileCollector {
 public:
  explicit FileCollector(Subcharts subcharts) : subcharts_(subcharts) {}

  /// `name` is the chart's folder as renders name it, and `path` the one in the root's folder.
  void collect(const Chart& chart, const std::string& name, const std::string& path) {
    for (const helm::File& file : chart.content->templates) {
      if (files.size() < kFilesMax && helm::is_parsed(chart, file)) {
        files.push_back({go::join_path(name, file.name), go::join_path(path, file.name),
                         std::shared_ptr<const std::string>(chart.content, &file.data)});
      }
    }
    if (subcharts_ == Subcharts::kLeaveOut) {
      return;
    }
    for (const Chart& sub : chart.dependencies) {
      for (const std::string& alias : names_of_dependency(sub, chart)) {
        if (files.size() < kFilesMax) {
          collect(sub, name + "/charts/" + alias, go::join_path(path, "charts/" + sub.name()));
        }
      }
    }
  }

  std::vector<TemplateFile> files;

 private:
  static std::vector<std::string> names_of_dependency(const Chart& sub, const Chart& parent) {
    std::vector<std::string> names;
    for (const helm::Dependency& dependency : parent.metadata.dependencies) {
      const std::string& name = dependency.alias.empty() ? dependency.name : dependency.alias;
      if (dependency.name == sub.name() && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
    return names.empty() ? std::vector<std::string>{sub.name()} : names;
  }

  const Subcharts subcharts_;
};

}  // namespace

std::vector<TemplateFile> template_files(const Chart& chart, Subcharts subcharts) {
  FileCollector collector(subcharts);
  collector.collect(chart, chart.name(), "");
  std::ranges::sort(collector.files, {}, &TemplateFile::name);
  return std::move(collector.files);
}

}  // namespace chartwright::coverage
