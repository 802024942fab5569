// SPDX-License-Identifier: Apache-2.0
#include "helm/render/rendering.h"

#include <algorithm>
#include <utility>

#include "go/path.h"
#include "helm/render/diagnosis.h"
#include "helm/render/template_error.h"
#include "helm/version/compatible.h"

namespace chartwright::helm {
namespace {

using value::Value;

/// Returns paths in the order of parsing, where the later definition of a name wins, and of
/// execution: deepest folders first, and in reverse order within a depth.
std::vector<std::string> render_order(const Renderables& renderables) {
  std::vector<std::string> paths;
  for (const auto& [path, renderable] : renderables) {
    paths.push_back(path);
  }
  const auto depth = [](const std::string& path) {
    return std::count(path.begin(), path.end(), '/');
  };
  std::sort(paths.begin(), paths.end(), [&](const std::string& a, const std::string& b) {
    return depth(a) != depth(b) ? depth(a) > depth(b) : a > b;
  });
  return paths;
}

void collect(const Chart& chart, const std::string& path, Renderables& into) {
  for (const File& file : chart.content->templates) {
    if (is_parsed(chart, file)) {
      into[go::join_path(path, file.name)] = {&file.data, Value(), ""};
    }
  }
  for (const Chart& sub : chart.dependencies) {
    collect(sub, path + "/charts/" + sub.name(), into);
  }
}

}  // namespace

Renderables callable_templates(const Chart& chart) {
  Renderables renderables;
  collect(chart, chart.name(), renderables);
  return renderables;
}

std::vector<TemplateSource> sources_of(const Renderables& renderables) {
  std::vector<TemplateSource> sources;
  for (const std::string& path : render_order(renderables)) {
    sources.push_back({path, renderables.at(path).text});
  }
  return sources;
}

base::Status check_kube_version(const RenderableChart& loaded, const Chart& chart,
                                const Capabilities& capabilities) {
  const std::string& wanted = chart.metadata.kube_version;
  const KubeVersion& actual = capabilities.kube_version;
  if (wanted.empty() || is_compatible(wanted, actual.effective(), loaded.profile().semver,
                                      loaded.caches().constraints)) {
    return {};
  }
  return base::Error(base::ErrorCode::kInvalidArgument,
                     "chart requires kubeVersion: " + wanted +
                         " which is incompatible with Kubernetes " + actual.version);
}

Rendering::Rendering(const RenderableChart& loaded, const PreparedChart& prepared,
                     const RenderInputs& inputs, const RenderContext& context)
    : loaded_(loaded),
      prepared_(prepared),
      inputs_(inputs),
      context_(context),
      scope_(build_scope(prepared, inputs, &renderables_)),
      budget_(context.limits, context.clock),
      state_(loaded.caches(), context.cluster, context.complaints, loaded.profile()) {}

base::Status Rendering::parse() {
  CW_TRY(templates_, loaded_.templates(sources_of(renderables_)));
  return {};
}

std::vector<std::string> Rendering::files() const {
  std::vector<std::string> paths = render_order(renderables_);
  std::erase_if(paths, [](const std::string& path) { return go::base_name(path).front() == '_'; });
  return paths;
}

base::Result<std::string> Rendering::execute(const std::string& path, tmpl::OutputTrace* trace) {
  const Renderable& renderable = renderables_.at(path);
  Value about = Value::dict(loaded_.profile().values_type);
  about.mutable_dict().set("Name", Value::string(path));
  about.mutable_dict().set("BasePath", Value::string(renderable.base_path));
  renderable.scope.mutable_dict().set("Template", std::move(about));
  failure_ = {};
  const tmpl::ExecOptions options{
      tmpl::MissingKey::kZero, budget_, written_, context_.host, &state_, &failure_, trace,
      context_.counts};
  std::string out;
  if (auto status = templates_->execute(path, renderable.scope, options, out); !status.ok()) {
    return clean_exec_error(std::move(status).error().with_help(help_for(failure_)),
                            loaded_.profile().errors);
  }
  return without_no_value(out);
}

ValueOrigins Rendering::origins() const { return origins_of(loaded_, prepared_.chart, inputs_); }

std::string Rendering::help_for(const tmpl::Failure& failure) const {
  const ValueOrigins known = origins();
  const auto source = [this](std::string_view file) -> const std::string* {
    const auto found = renderables_.find(std::string(file));
    return found != renderables_.end() ? found->second.text : nullptr;
  };
  return diagnose(failure, {source, scope_, known});
}

ValueOrigins origins_of(const RenderableChart& loaded, const Chart& chart,
                        const RenderInputs& inputs) {
  const auto given = [&inputs] {
    return std::vector<ValueLayer>{{"the values given", inputs.values, "", ""}};
  };
  const bool unnamed = !inputs.layers && inputs.values.is_dict();
  return {chart, loaded.profile().values, unnamed ? ValueLayers(given) : inputs.layers};
}

base::Result<std::map<std::string, std::string>> render_templates(const RenderableChart& loaded,
                                                                  const PreparedChart& prepared,
                                                                  const RenderInputs& inputs,
                                                                  const RenderContext& context) {
  Rendering rendering(loaded, prepared, inputs, context);
  CW_TRY_VOID(rendering.parse());
  std::map<std::string, std::string> files;
  for (const std::string& path : rendering.files()) {
    CW_TRY(files[path], rendering.execute(path));
  }
  return files;
}

}  // namespace chartwright::helm
