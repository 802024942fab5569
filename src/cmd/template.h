// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cmd/cli.h"
#include "cmd/cluster.h"
#include "cmd/post_renderer.h"
#include "cmd/value_flags.h"
#include "helm/render/engine.h"
#include "helm/render/failed_render.h"
#include "helm/render/rendered_text.h"

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

/// Splits [NAME] CHART and makes up the name as the flags say. Source: pkg/action/install.go
/// NameAndChart.
struct NameAndChart {
  std::string name;
  std::string chart;
};
base::Result<NameAndChart> name_and_chart(const TemplateOptions& options);

/// Where one render goes: to standard output, or to files below --output-dir, each of which is
/// reported ("wrote PATH"). What it is made with must outlive it. Errors of both steps: kForbidden
/// (a file cannot be written). Source: helm/helm v3 cmd/helm/template.go.
class TemplateOutput {
 public:
  TemplateOutput(const TemplateOptions& options, const NameAndChart& target, Streams& streams);

  /// The text of CRDs and manifests: what --post-renderer made of it if that is given. With
  /// --output-dir they are written here, and there is no text for the post-renderer either. Errors:
  /// of post_render. Source: helm/helm v3 pkg/action/action.go renderResources.
  base::Result<std::string> manifests(const helm::Rendered& rendered);
  /// Prints that text and the hooks, --show-only applied. Error: kNotFound "could not find template
  /// X in chart".
  base::Status print(const helm::Rendered& rendered, const std::string& manifests);

 private:
  base::Status write(const std::string& folder, const std::string& path,
                     const std::string& content);

  const TemplateOptions& options_;
  Streams& streams_;
  const helm::PrintOptions print_;
  const std::string folder_;       ///< Of templates; CRDs go to --output-dir itself.
  std::set<std::string> written_;  ///< Files that this render has begun.
};

/// One run of the command.
struct TemplateRun {
  const TemplateOptions& options;
  const NameAndChart& target;
  Streams& streams;
};

enum class FailedStage : uint8_t {
  kPrepare,  ///< Dependencies, values, schemas.
  kRender,
};

/// What is left to say when a render has failed: the text under --debug or a hint at that flag, and
/// under --all-errors all errors but the last one, which is returned.
/// Source: helm/helm v3 cmd/helm/template.go.
base::Error template_failure(base::Error error, FailedStage stage,
                             const helm::RenderRequest& request, const TemplateRun& run);

/// The error with a hint at --debug, unless that is given. Errors after the values are known come
/// with it.
base::Error with_debug_hint(const base::Error& error, const TemplateOptions& options);

}  // namespace chartwright::cmd
