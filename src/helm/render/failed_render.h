// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/render/inputs.h"

// A closer look at a render that failed. All of it renders again, from the same inputs: nothing is
// recorded while all goes well.
namespace chartwright::helm {

/// What was rendered; the references must outlive it.
struct RenderRequest {
  const Bundle& bundle;
  const RenderInputs& inputs;
  const RenderContext& context;
};

/// Gives an error of sort_manifests the place in the template that wrote the offending line of
/// `files`, and help about it. What the file's own lines say is not shown: they may hold secrets.
base::Error explain_yaml(base::Error error, const std::map<std::string, std::string>& files,
                         const RenderRequest& request);

/// Every error that a render of this chart meets, one that `render` returns first: schemas,
/// templates that do not parse, the first failure of each template file and further values that it
/// requires, documents that are no YAML. What fails at one place of a partial, called by several
/// files, is told once. At most kErrorsMax; empty when nothing fails.
inline constexpr size_t kErrorsMax = 100;
std::vector<base::Error> all_errors(const RenderRequest& request);

/// What `helm template --debug` prints of a render that failed because of its YAML.
struct UnsortedText {
  std::string files;        ///< All rendered files, each under its "# Source:".
  std::vector<Hook> hooks;  ///< Those before the document that failed.
};
/// Empty where no template could be executed. Files are in order of their paths, which Helm leaves
/// to chance. Source: helm/helm v3 pkg/action/action.go renderResources, cmd/helm/template.go.
UnsortedText unsorted_text(const RenderRequest& request);

}  // namespace chartwright::helm
