// SPDX-License-Identifier: Apache-2.0
#include "coverage/recorder.h"

#include "go/path.h"
#include "helm/analysis/usage_collector.h"
#include "helm/render/functions.h"

namespace chartwright::coverage {
namespace {

std::set<std::string> names_of_files(const std::vector<TemplateFile>& files) {
  std::set<std::string> names;
  for (const TemplateFile& file : files) {
    names.insert(file.name);
  }
  return names;
}

}  // namespace

Recorder::Recorder(const helm::RenderableChart& chart, Subcharts subcharts)
    : chart_(chart),
      files_(template_files(chart.chart(), subcharts)),
      names_(names_of_files(files_)),
      all_(begin()) {}

Recording Recorder::begin() const {
  return {tmpl::RunCounts(names_), ChangedValues(chart_.chart().values)};
}

void Recorder::add(const Recording& recording) {
  const base::MutexLock lock(mutex_);
  all_.counts.add(recording.counts);
  all_.values.add(recording.values);
}

ChartCoverage Recorder::coverage(const std::string& folder) const {
  ChartCoverage coverage{.name = chart_.chart().name(), .folder = folder};
  const auto functions = helm::helm_functions(chart_.profile());
  const auto usage = helm::analysis::usage_of(helm::analysis::scopes_of(chart_.chart()));
  const base::MutexLock lock(mutex_);
  for (const TemplateFile& file : files_) {
    FileCoverage& covered =
        coverage.files.emplace_back(cover_file(file, *all_.counts.of(file.name), functions));
    covered.path = go::join_path(folder, file.path);
  }
  if (usage.ok()) {
    coverage.defaults = read_defaults(all_.values, usage->root);
  }
  return coverage;
}

}  // namespace chartwright::coverage
