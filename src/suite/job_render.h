// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/render/inputs.h"
#include "suite/suite.h"
#include "suite/template_filter.h"

namespace chartwright::suite {

/// Reads a file. Error: as base::read_file.
using FileReader = std::function<base::Result<std::string>(const std::string& path)>;

/// The chart of some suites, and all that its renders share. The references must outlive it.
struct ChartUnderTest {
  const helm::RenderableChart& chart;
  std::string route;  ///< The route to the suite's chart: "parent", or "parent/charts/child".
  const helm::RenderContext& context;
  const FileReader& read_file;
  helm::SchemaCheck schema_check = helm::SchemaCheck::kValidate;
};

/// The documents of each rendered file by its path, "chart/templates/x.yaml".
using ManifestsByFile = std::map<std::string, std::vector<value::Value>>;

/// The outcome of rendering for a job.
struct JobRender {
  ManifestsByFile manifests;
  std::vector<std::string> files;    ///< The paths of all rendered files, and of CRDs.
  bool succeeded = false;            ///< False also if the failure is a document of `manifests`.
  std::optional<std::string> error;  ///< Why there is no such document.
};

/// Renders the chart for a job. If the job expects a failure, the document {raw: MESSAGE} of the
/// template that failed takes its place. Error: kParse if a rendered file is not YAML, or a values
/// file cannot be read.
/// Source: helm-unittest pkg/unittest/test_job.go.
base::Result<JobRender> render_job(const Suite& suite, const Job& job, const ChartUnderTest& under,
                                   TemplateFilter& filter);

}  // namespace chartwright::suite
