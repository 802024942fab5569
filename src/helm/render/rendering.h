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

// One execution of a chart's templates, file by file, for a render and for the explanation of a
// failed one.
namespace chartwright::helm {

/// Returns the templates of a chart and its dependencies without data, to be called by name.
Renderables callable_templates(const Chart& chart);

/// Returns the templates in parse order: deepest folders first. If a name is defined twice, the
/// later definition wins.
std::vector<TemplateSource> sources_of(const Renderables& renderables);

/// Checks the kubeVersion constraint of `chart`, a copy of the loaded one. Error: kInvalidArgument
/// "chart requires kubeVersion:
/// ...". Source: helm/helm v3 pkg/action/action.go renderResources.
base::Status check_kube_version(const RenderableChart& loaded, const Chart& chart,
                                const Capabilities& capabilities);

/// Returns the origins of a render's values. `chart` must have only the dependencies that are
/// enabled.
ValueOrigins origins_of(const RenderableChart& loaded, const Chart& chart,
                        const RenderInputs& inputs);

/// An execution of all templates of a chart. The references must outlive it. Templates that set
/// values modify `prepared`.
class Rendering {
 public:
  Rendering(const RenderableChart& loaded, const PreparedChart& prepared,
            const RenderInputs& inputs, const RenderContext& context);

  /// Parses all templates; must be called first. Error: kParse in Helm's words.
  base::Status parse();
  /// Returns all files that are not partials, in execution order. Later files see the values that
  /// earlier ones set.
  std::vector<std::string> files() const;
  /// Executes one of the files and returns its text. Errors: as render, with help.
  base::Result<std::string> execute(const std::string& path, tmpl::OutputTrace* trace = nullptr);
  /// Lets failing calls of the template function `required` pass, up to the given number, in the
  /// file that is executed next.
  void skip_required(int required) { state_.skip_required(required); }

  /// Returns the message of the `required` that ended the last execution; nullopt if none did.
  const std::optional<std::string>& failed_required() const { return state_.failed_required(); }
  const Renderables& renderables() const { return renderables_; }
  /// Returns the details of the last failed execution.
  const tmpl::Failure& failure() const { return failure_; }
  /// Returns the dot of the root chart.
  const value::Value& scope() const { return scope_; }
  /// Returns where the values come from.
  ValueOrigins origins() const;
  /// Returns the help of `diagnose` for any place in the chart's templates.
  std::string help_for(const tmpl::Failure& failure) const;

 private:
  const RenderableChart& loaded_;
  const PreparedChart& prepared_;
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

/// Returns the rendered text of all template files that are not partials, by path, before it is
/// split into documents. Errors: as render, except kubeVersion.
/// Source: helm/helm v3 pkg/engine/engine.go Render.
base::Result<std::map<std::string, std::string>> render_templates(const RenderableChart& loaded,
                                                                  const PreparedChart& prepared,
                                                                  const RenderInputs& inputs,
                                                                  const RenderContext& context);

}  // namespace chartwright::helm
