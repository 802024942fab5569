// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "coverage/recorder.h"
#include "helm/render/inputs.h"
#include "helm/render/traced_render.h"
#include "suite/compat.h"
#include "suite/post_render.h"
#include "suite/suite.h"
#include "suite/template_filter.h"

namespace chartwright::suite {

/// Reads a file. Error: as base::read_file.
using FileReader = std::function<base::Result<std::string>(const std::string& path)>;

/// Gets each rendered file. An error ends the job.
using RenderSink = std::function<base::Status(const std::string& path, const std::string& text)>;

/// The chart of some suites, and all that its renders share. The references must outlive it.
struct ChartUnderTest {
  const helm::RenderableChart& chart;
  std::string route;  ///< The route to the suite's chart: "parent", or "parent/charts/child".
  const helm::RenderContext& context;
  const FileReader& read_file;
  helm::SchemaCheck schema_check = helm::SchemaCheck::kValidate;
  Compat* compat = nullptr;  ///< nullptr: no mistake is copied, and failures are explained.
  coverage::Recording* recording = nullptr;  ///< nullptr: nothing is recorded.
  PostRender post_render = {};               ///< Empty: post-renderers are refused.
  RenderSink keep_render = {};               ///< Empty: renders are not kept.
  Compat left_behind = {};  ///< The state that helm-unittest would have before the suite.
};

/// The documents of each rendered file by its path, "chart/templates/x.yaml".
using ManifestsByFile = std::map<std::string, std::vector<value::Value>>;

/// The outcome of rendering for a job.
struct JobRender {
  ManifestsByFile manifests;
  std::vector<std::string> files;    ///< The paths of all rendered files, and of CRDs.
  bool succeeded = false;            ///< False also if the failure is a document of `manifests`.
  std::optional<std::string> error;  ///< Why there is no such document.
  std::string help;                  ///< The help of the error, or "".
  bool is_post_rendered = false;
};

/// Returns the path of a values file that a suite names.
std::string values_file(const Suite& suite, const std::string& name);

/// Renders the chart for a job, and runs its post-renderer. If the job expects a failure, the
/// document {raw: MESSAGE} of the template that failed takes its place. Error: kParse if a rendered
/// file is not YAML, or a values file cannot be read; those of post_rendered. Source: helm-unittest
/// pkg/unittest/test_job.go.
base::Result<JobRender> render_job(const Suite& suite, const Job& job, const ChartUnderTest& under,
                                   TemplateFilter& filter);

/// The files of a render that are looked at.
struct FileVisit {
  std::function<bool(const std::string& path)> wants;
  std::function<void(const helm::TracedFile&)> visit;
};

/// Renders a job once more, to find which lines of templates wrote what. Errors: those of
/// render_job and helm::trace_files.
base::Status trace_job(const Suite& suite, const Job& job, const ChartUnderTest& under,
                       TemplateFilter& filter, const FileVisit& files);

}  // namespace chartwright::suite
