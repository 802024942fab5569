// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "helm/render/traced_render.h"

// Explains a failed render. Every function here renders again from the same inputs.
namespace chartwright::helm {

/// Adds to an error of sort_manifests the place in the template that wrote the faulty line of
/// `files`, and help about it. The rendered lines themselves are not shown, as they may contain
/// secrets.
base::Error explain_yaml(base::Error error, const std::map<std::string, std::string>& files,
                         const RenderRequest& request);

/// Returns every error that a render of this chart meets, the one that `render` returns first:
/// schemas, templates that do not parse, the first failure of each template file and the other
/// values that it requires, and documents that are not YAML. A failure at one place of a partial
/// that several files call is reported once. At most kErrorsMax errors; empty if nothing fails.
inline constexpr size_t kErrorsMax = 100;
std::vector<base::Error> all_errors(const RenderRequest& request);

/// The output of `helm template --debug` for a render that failed because of its YAML.
struct UnsortedText {
  std::string files;        ///< All rendered files, each under its "# Source:".
  std::vector<Hook> hooks;  ///< Hooks before the document that failed.
};
/// Renders again without sorting. The result is empty if the templates cannot be executed. Files
/// are in the order of their paths, which is random in Helm.
/// Source: helm/helm v3 pkg/action/action.go renderResources, cmd/helm/template.go.
UnsortedText unsorted_text(const RenderRequest& request);

}  // namespace chartwright::helm
