// SPDX-License-Identifier: Apache-2.0
#include "chart/engine.h"

#include <algorithm>
#include <map>

#include "base/mutex.h"
#include "base/strings.h"
#include "chart/dependencies.h"
#include "chart/functions.h"
#include "chart/go_path.h"
#include "chart/go_type.h"
#include "chart/template_error.h"
#include "chart/version.h"

namespace chartwright::chart {
namespace {

using value::Value;

constexpr std::string_view kNotesFile = "NOTES.txt";

/// One template of the chart tree with the data of its chart.
struct Renderable {
  const std::string* text;
  Value scope;  ///< Shared by all files of a chart: what one sets, later ones see.
  std::string base_path;
};
using Renderables = std::map<std::string, Renderable>;

Value release_value(const Release& release) {
  return Value::dict({{"Name", Value::string(release.name)},
                      {"Namespace", Value::string(release.namespace_name)},
                      {"IsUpgrade", Value::boolean(release.action == ReleaseAction::kUpgrade)},
                      {"IsInstall", Value::boolean(release.action == ReleaseAction::kInstall)},
                      {"Revision", Value::integer(release.revision, value::IntType::kInt)},
                      {"Service", Value::string("Helm")}});
}

bool is_library(const Chart& chart) {
  return base::to_lower_ascii(chart.metadata.type) == "library";
}

/// Builds the scopes of a chart tree and collects its templates.
class ScopeBuilder {
 public:
  ScopeBuilder(const Prepared& prepared, const RenderInputs& inputs, Renderables* into)
      : profile_(prepared.profile),
        values_(prepared.values),
        release_(release_value(inputs.release)),
        capabilities_(make_capabilities_value(inputs.capabilities, profile_)),
        into_(into) {}

  /// `parent` is the scope of the chart above; nil for the root.
  Value scope(const Chart& chart, const Value& parent) {
    const bool is_root = parent.is_nil();
    const Value subcharts = Value::dict();
    Value scope = Value::dict(profile_.values_type);
    value::Dict& members = scope.mutable_dict();
    members.set("Chart",
                make_chart_value(chart.metadata, is_root ? ChartRole::kRoot : ChartRole::kSubchart,
                                 profile_.chart));
    members.set("Files", chart.content->files_value);
    members.set("Release", release_);
    members.set("Capabilities", capabilities_);
    members.set("Values", is_root ? values_ : subchart_values(parent, chart.name()));
    members.set("Subcharts", subcharts);
    for (const Chart& sub : chart.dependencies) {
      Value inner = this->scope(sub, scope);
      subcharts.mutable_dict().set(sub.name(), std::move(inner));
    }
    collect(chart, scope);
    return scope;
  }

 private:
  Value subchart_values(const Value& parent, std::string_view name) const {
    const Value* table = table_at(parent, "Values." + std::string(name));
    return table != nullptr ? *table : Value::dict(profile_.values_type);
  }

  void collect(const Chart& chart, const Value& scope) {
    if (into_ == nullptr) {
      return;
    }
    for (const File& file : chart.content->templates) {
      if (!is_library(chart) || base_name(file.name).front() == '_') {
        (*into_)[join_path(chart.path, file.name)] = {&file.data, scope,
                                                      join_path(chart.path, "templates")};
      }
    }
  }

  const Profile& profile_;
  Value values_;
  Value release_;
  Value capabilities_;
  Renderables* into_;
};

/// Deepest folders first, and in reverse order within a depth: the order of parsing, where the
/// later definition of a name wins, and of execution.
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

/// Templates of the chart tree, in the order in which they are parsed.
std::vector<TemplateSource> sources_of(const Renderables& renderables,
                                       const std::vector<std::string>& order) {
  std::vector<TemplateSource> sources;
  for (const std::string& path : order) {
    sources.push_back({path, renderables.at(path).text});
  }
  return sources;
}

/// The root chart's own templates, to be called by name: without data.
Renderables own_templates(const Chart& chart) {
  Renderables renderables;
  for (const File& file : chart.content->templates) {
    renderables[join_path(chart.name(), file.name)] = {&file.data, Value(), ""};
  }
  return renderables;
}

/// Helm's words, and as help the source lines that led to the error, the innermost last.
base::Error explain(base::Error error, const Renderables& renderables, ErrorRule rule) {
  std::string help;
  for (const base::SourcePos& frame : frames_of(error.message())) {
    const auto source = renderables.find(frame.file);
    const std::string lines =
        source != renderables.end() ? snippet(frame, *source->second.text) : "";
    if (!lines.empty()) {
      help += (help.empty() ? "" : "\n") + frame.to_string() + "\n" + lines;
    }
  }
  error = clean_exec_error(std::move(error), rule);
  return help.empty() ? error : std::move(error).with_help(std::move(help));
}

/// Renders every file that is no partial, by path.
base::Result<std::map<std::string, std::string>> render_files(const Bundle& bundle,
                                                              const Renderables& renderables,
                                                              const RenderContext& context) {
  const std::vector<std::string> order = render_order(renderables);
  CW_TRY(const auto templates, bundle.templates(sources_of(renderables, order)));
  tmpl::Budget budget(context.limits, context.clock);
  tmpl::WrittenDicts written;
  RenderState state(context.cluster, context.complaints);
  const tmpl::ExecOptions options{tmpl::MissingKey::kZero, budget, written, context.host, &state};
  std::map<std::string, std::string> files;
  for (const std::string& path : order) {
    if (base_name(path).front() == '_') {
      continue;
    }
    const Renderable& renderable = renderables.at(path);
    Value about = Value::dict(bundle.profile().values_type);
    about.mutable_dict().set("Name", Value::string(path));
    about.mutable_dict().set("BasePath", Value::string(renderable.base_path));
    renderable.scope.mutable_dict().set("Template", std::move(about));
    std::string out;
    if (auto status = templates->execute(path, renderable.scope, options, out); !status.ok()) {
      return explain(std::move(status).error(), renderables, bundle.profile().errors);
    }
    files[path] = without_no_value(out);
  }
  return files;
}

/// Takes the notes out of the rendered files.
std::string take_notes(std::map<std::string, std::string>& files, const std::string& chart_name,
                       SubchartNotes subchart_notes) {
  std::string notes;
  const std::string own = join_path(chart_name, "templates/" + std::string(kNotesFile));
  for (const auto& [path, text] : files) {
    if (path.ends_with(kNotesFile) && (subchart_notes == SubchartNotes::kInclude || path == own)) {
      notes += (notes.empty() ? "" : "\n") + text;
    }
  }
  std::erase_if(files, [](const auto& file) { return file.first.ends_with(kNotesFile); });
  return notes;
}

/// Faults of one chart's values and of its dependencies', as Helm lists them.
base::Result<std::string> schema_faults(const Bundle& bundle, const Chart& chart,
                                        const Value& values) {
  std::string faults;
  if (chart.content->schema) {
    auto schema = bundle.schema(*chart.content);
    const base::Status status =
        schema.ok() ? (*schema)->validate(values) : base::Status(schema.error());
    if (!status.ok() && status.error().code() == base::ErrorCode::kBudget) {
      return status.error();
    }
    if (!status.ok()) {
      faults += chart.name() + ":\n" + status.error().message();
    }
  }
  for (const Chart& sub : chart.dependencies) {
    const Value* inner = values.find(sub.name());
    if (inner == nullptr || inner->is_nil()) {
      continue;
    }
    if (!inner->is_dict()) {
      faults += sub.name() + ":\ninvalid type for values: expected object (map), got " +
                go_type(*inner) + "\n";
      continue;
    }
    CW_TRY(const std::string below, schema_faults(bundle, sub, *inner));
    faults += below;
  }
  return faults;
}

}  // namespace

base::Result<Prepared> prepare(const Bundle& bundle, const RenderInputs& inputs) {
  const Profile& profile = bundle.profile();
  Prepared prepared{profile, {}, Value(), {}};
  CW_TRY(prepared.chart,
         process_dependencies(bundle.chart(), inputs.values, profile, prepared.warnings));
  CW_TRY(prepared.values, coalesce_values(prepared.chart, inputs.values, {Nulls::kDelete, profile},
                                          prepared.warnings));
  if (inputs.schema_check == SchemaCheck::kValidate) {
    CW_TRY(const std::string faults, schema_faults(bundle, prepared.chart, prepared.values));
    if (!faults.empty()) {
      return base::Error(base::ErrorCode::kSchema,
                         "values don't meet the specifications of the schema(s) in the following "
                         "chart(s):\n" +
                             faults);
    }
  }
  return prepared;
}

base::Result<Rendered> render(const Bundle& bundle, Prepared prepared, const RenderInputs& inputs,
                              const RenderContext& context) {
  const Chart& chart = prepared.chart;
  const std::string& wanted = chart.metadata.kube_version;
  const KubeVersion& actual = inputs.capabilities.kube_version;
  if (!wanted.empty() && !is_compatible(wanted, actual.effective())) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       "chart requires kubeVersion: " + wanted +
                           " which is incompatible with Kubernetes " + actual.version);
  }
  CW_TRY(auto files, render_templates(bundle, prepared, inputs, context));
  Rendered rendered;
  rendered.notes = take_notes(files, chart.name(), inputs.subchart_notes);
  CW_TRY(SortedManifests sorted, sort_manifests(files, bundle.profile()));
  rendered.manifests = std::move(sorted.manifests);
  rendered.hooks = std::move(sorted.hooks);
  rendered.crds = crds_of(chart);
  rendered.warnings = std::move(prepared.warnings);
  for (std::string& warning : sorted.warnings) {
    rendered.warnings.push_back(std::move(warning));
  }
  return rendered;
}

base::Result<std::map<std::string, std::string>> render_templates(const Bundle& bundle,
                                                                  const Prepared& prepared,
                                                                  const RenderInputs& inputs,
                                                                  const RenderContext& context) {
  Renderables renderables;
  ScopeBuilder(prepared, inputs, &renderables).scope(prepared.chart, Value());
  return render_files(bundle, renderables, context);
}

base::Result<Rendered> render(const Bundle& bundle, const RenderInputs& inputs,
                              const RenderContext& context) {
  CW_TRY(Prepared prepared, prepare(bundle, inputs));
  return render(bundle, std::move(prepared), inputs, context);
}

Value root_scope(const Prepared& prepared, const RenderInputs& inputs) {
  return ScopeBuilder(prepared, inputs, nullptr).scope(prepared.chart, Value());
}

struct SideTemplate::Shared {
  const std::shared_ptr<const Bundle> bundle;
  const std::string name;
  const std::string text;
  base::Mutex mutex;
  std::shared_ptr<const tmpl::Template> parsed CW_GUARDED_BY(mutex) = nullptr;

  base::Result<std::shared_ptr<const tmpl::Template>> templates() CW_EXCLUDES(mutex) {
    const base::MutexLock lock(mutex);
    if (parsed == nullptr) {
      const Renderables renderables = own_templates(bundle->chart());
      CW_TRY(const auto named,
             bundle->templates(sources_of(renderables, render_order(renderables))));
      auto all = std::make_shared<tmpl::Template>(*named);
      if (auto status = all->parse(name, text); !status.ok()) {
        return clean_parse_error(std::move(status).error(), text);
      }
      parsed = std::move(all);
    }
    return parsed;
  }
};

SideTemplate::SideTemplate(std::shared_ptr<const Bundle> bundle, std::string name, std::string text)
    : shared_(new Shared{std::move(bundle), std::move(name), std::move(text), {}}) {}

const std::string& SideTemplate::name() const { return shared_->name; }
const std::string& SideTemplate::text() const { return shared_->text; }

base::Result<std::string> SideTemplate::render(const Value& data,
                                               const RenderContext& context) const {
  CW_TRY(const auto templates, shared_->templates());
  tmpl::Budget budget(context.limits, context.clock);
  tmpl::WrittenDicts written;
  RenderState state(context.cluster, context.complaints);
  std::string out;
  const tmpl::ExecOptions options{tmpl::MissingKey::kZero, budget, written, context.host, &state};
  if (auto status = templates->execute(name(), data, options, out); !status.ok()) {
    Renderables renderables = own_templates(shared_->bundle->chart());
    renderables[name()] = {&text(), Value(), ""};
    return explain(std::move(status).error(), renderables, shared_->bundle->profile().errors);
  }
  return without_no_value(out);
}

}  // namespace chartwright::chart
