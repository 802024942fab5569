// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cmd/post_renderer.h"
#include "cmd/value_flags.h"
#include "helm/render/engine.h"
#include "helm/render/failed_render.h"
#include "helm/render/rendered_text.h"
#include "project/cluster.h"

namespace chartwright::cmd {

/// Flags of `chartwright template`, as in `helm template`.
struct TemplateOptions : ValueFlags {
  std::vector<std::string> arguments;  ///< [NAME] CHART
  std::string namespace_name;
  std::string kube_version;
  std::string helm_version = std::string(helm::default_profile().name);
  std::vector<std::string> api_versions;
  std::vector<std::string> show_only;
  std::string output_dir;
  std::string name_template;
  PostRenderer post_renderer;
  bool generate_name = false;
  bool include_crds = false;
  bool skip_tests = false;
  bool no_hooks = false;
  bool is_upgrade = false;
  bool use_release_name = false;
  bool skip_schema_validation = false;
  bool render_subchart_notes = false;
  bool debug = false;
  bool all_errors = false;
  bool validate = false;
  bool disable_openapi_validation = false;
  bool take_ownership = false;
  bool enable_dns = false;
  std::string dry_run = "client";
  ClusterFlags cluster;
};

/// The release name and the chart path of [NAME] CHART; the flags may determine the name. Source:
/// pkg/action/install.go NameAndChart.
struct NameAndChart {
  std::string name;
  std::string chart;
};
base::Result<NameAndChart> name_and_chart(const TemplateOptions& options);

/// One run of the command.
struct TemplateRun {
  const TemplateOptions& options;
  const NameAndChart& target;
  Streams& streams;
};

/// Writes the output of one render: to standard output, or to files below --output-dir, each of
/// which is reported ("wrote PATH"). The constructor's arguments must outlive it. Error of both
/// steps: kForbidden (a file cannot be written). Source: helm/helm v3 cmd/helm/template.go.
class TemplateOutput {
 public:
  /// `split` is the rule by which --show-only finds the documents.
  TemplateOutput(const TemplateRun& run, helm::SplitRule split);

  /// Returns CRDs and manifests as YAML, passed through --post-renderer if that is set. With
  /// --output-dir, writes them to files, and the post-renderer gets empty input. Errors: those of
  /// post_render. Source: helm/helm v3 pkg/action/action.go renderResources.
  base::Result<std::string> manifests(const helm::Rendered& rendered);
  /// Prints `manifests` and the hooks, filtered by --show-only. Error: kNotFound "could not find
  /// template X in chart".
  base::Status print(const helm::Rendered& rendered, const std::string& manifests);

 private:
  base::Status write(const std::string& folder, const std::string& path,
                     const std::string& content);

  const TemplateOptions& options_;
  Streams& streams_;
  const helm::SplitRule split_;
  const helm::PrintOptions print_;
  const std::string folder_;       ///< For templates; CRDs go to --output-dir itself.
  std::set<std::string> written_;  ///< Files that this render has created.
};

enum class FailedStage : uint8_t {
  kPrepare,  ///< Dependencies, values, schemas.
  kRender,
};

/// Reports a failed render and returns the error that remains to be printed. With --debug, prints
/// the rendered text; without it, adds a hint at that flag. With --all-errors, prints all errors
/// but the last.
/// Source: helm/helm v3 cmd/helm/template.go.
base::Error template_failure(base::Error error, FailedStage stage,
                             const helm::RenderRequest& request, const TemplateRun& run);

/// Returns the error with a hint at --debug, unless that flag is given. Errors that occur once the
/// values are known have this hint.
base::Error with_debug_hint(const base::Error& error, const TemplateOptions& options);

}  // namespace chartwright::cmd
