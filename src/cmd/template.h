// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "chart/engine.h"
#include "cmd/cli.h"
#include "cmd/value_flags.h"

namespace chartwright::cmd {

/// Flags of `chartwright template`, as in `helm template`.
struct TemplateOptions : ValueFlags {
  std::vector<std::string> arguments;  ///< [NAME] CHART
  std::string namespace_name;
  std::string kube_version;
  std::string helm_version = std::string(chart::default_profile().name);
  std::vector<std::string> api_versions;
  std::vector<std::string> show_only;
  std::string output_dir;
  std::string name_template;
  bool generate_name = false;
  bool include_crds = false;
  bool skip_tests = false;
  bool no_hooks = false;
  bool is_upgrade = false;
  bool use_release_name = false;
  bool skip_schema_validation = false;
  bool render_subchart_notes = false;
  bool debug = false;
  bool validate = false;
};

/// Splits [NAME] CHART and makes up the name as the flags say. Source: pkg/action/install.go
/// NameAndChart.
struct NameAndChart {
  std::string name;
  std::string chart;
};
base::Result<NameAndChart> name_and_chart(const TemplateOptions& options);

/// What `helm template` prints for a render, --show-only applied. Error: kNotFound "could not find
/// template X in chart". Source: cmd/helm/template.go.
base::Result<std::string> print_rendered(const chart::Rendered& rendered,
                                         const TemplateOptions& options);

/// Writes the documents to files below --output-dir and reports each ("wrote PATH").
base::Status write_rendered(const chart::Rendered& rendered, const TemplateOptions& options,
                            const std::string& release_name, Streams& streams);

}  // namespace chartwright::cmd
