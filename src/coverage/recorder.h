// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "coverage/changed_values.h"
#include "coverage/chart_coverage.h"
#include "coverage/template_file.h"
#include "helm/render/renderable_chart.h"
#include "tmpl/run_counts.h"

namespace chartwright::coverage {

/// The statements that some tests of a chart run, and the values that they give it. Not
/// thread-safe.
struct Recording {
  tmpl::RunCounts counts;
  ChangedValues values;
};

/// Adds up what the suites of a chart run. Thread-safe. Its size depends on the chart alone.
class Recorder {
 public:
  /// `chart` must outlive it.
  Recorder(const helm::RenderableChart& chart, Subcharts subcharts);

  /// Returns an empty recording, to be used on one thread.
  Recording begin() const;
  void add(const Recording& recording) CW_EXCLUDES(mutex_);

  /// Returns the coverage by all that was added. `folder` is that of the chart on the disk.
  ChartCoverage coverage(const std::string& folder) const CW_EXCLUDES(mutex_);

 private:
  const helm::RenderableChart& chart_;
  const std::vector<TemplateFile> files_;
  const std::set<std::string> names_;
  mutable base::Mutex mutex_;
  Recording all_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::coverage
