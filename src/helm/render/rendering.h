// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/render/functions.h"
#include "helm/render/inputs.h"
#include "helm/render/scope.h"
#include "tmpl/output_trace.h"
#include "tmpl/template.h"

// One execution of a chart's templates, file by file: what a render does, and what those do that
// look closer at a render that failed.
namespace chartwright::helm {

/// The root chart's own templates, to be called by name: without data.
Renderables own_templates(const Chart& chart);

/// The templates in the order in which they are parsed: deepest folders first, where the later
/// definition of a name wins.
std::vector<TemplateSource> sources_of(const Renderables& renderables);

/// Error: kInvalidArgument "chart requires kubeVersion: ...". Source: helm/helm v3
/// pkg/action/action.go renderResources.
base::Status check_kube_version(const Chart& chart, const Capabilities& capabilities,
                                const Profile& profile);

/// Where the values of a render come from. `chart` has its dependencies as they take part.
ValueOrigins origins_of(const Bundle& bundle, const Chart& chart, const RenderInputs& inputs);

/// The references must outlive it; `prepared` is written by templates that set values.
class Rendering {
 public:
  Rendering(const Bundle& bundle, const Prepared& prepared, const RenderInputs& inputs,
            const RenderContext& context);

  /// To be called first. Error: kParse in Helm's words.
  base::Status parse();
  /// Every file that is no partial, in the order of execution. What one sets, later ones see.
  std::vector<std::string> files() const;
  /// Executes one of them and returns its text. Errors: as render, explained.
  base::Result<std::string> execute(const std::string& path, tmpl::OutputTrace* trace = nullptr);
  /// The next so many failing calls of `required` in the file that is executed next let their value
  /// pass.
  void waive(int required) { state_.waive(required); }

  /// What the `required` said that ended the last execution; nullopt when it was none.
  const std::optional<std::string>& refusal() const { return state_.refusal(); }
  const Renderables& renderables() const { return renderables_; }
  /// What the last failed execution knew.
  const tmpl::Failure& failure() const { return failure_; }
  /// As diagnose, about any place in the chart's templates.
  std::string help_for(const tmpl::Failure& failure) const;

 private:
  const Bundle& bundle_;
  const Prepared& prepared_;
  const RenderInputs& inputs_;
  const RenderContext& context_;
  Renderables renderables_;
  value::Value scope_;
  std::shared_ptr<const tmpl::Template> templates_;
  base::Budget budget_;
  tmpl::WrittenDicts written_;
  RenderState state_;
  tmpl::Failure failure_;
};

/// The text of every template file that is no partial, by path, before documents are told apart.
/// Errors: as render, without kubeVersion. Source: helm/helm v3 pkg/engine/engine.go Render.
base::Result<std::map<std::string, std::string>> render_templates(const Bundle& bundle,
                                                                  const Prepared& prepared,
                                                                  const RenderInputs& inputs,
                                                                  const RenderContext& context);

}  // namespace chartwright::helm
