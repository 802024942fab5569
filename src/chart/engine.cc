// SPDX-License-Identifier: Apache-2.0
#include "chart/engine.h"

#include "base/memory_limit.h"
#include "base/mutex.h"
#include "chart/coalesce.h"
#include "chart/dependencies.h"
#include "chart/diagnosis.h"
#include "chart/failed_render.h"
#include "chart/functions.h"
#include "chart/go_path.h"
#include "chart/go_type.h"
#include "chart/rendering.h"
#include "chart/template_error.h"

namespace chartwright::chart {
namespace {

using value::Value;

constexpr std::string_view kNotesFile = "NOTES.txt";

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

/// Collects what the schemas of a chart tree object to, as Helm lists it.
class SchemaFaults {
 public:
  explicit SchemaFaults(const Bundle& bundle) : bundle_(bundle) {}

  /// `at` leads to the chart's `values`. Error: kBudget.
  base::Status check(const Chart& chart, const Value& values,
                     const std::vector<value::Path::Step>& at = {}) {
    if (chart.content->schema) {
      CW_TRY_VOID(check_own(chart, values, at));
    }
    for (const Chart& sub : chart.dependencies) {
      const Value* inner = values.find(sub.name());
      if (inner == nullptr || inner->is_nil()) {
        continue;
      }
      std::vector<value::Path::Step> below = at;
      below.emplace_back(sub.name());
      if (!inner->is_dict()) {
        text_ += sub.name() + ":\ninvalid type for values: expected object (map), got " +
                 go_type(*inner) + "\n";
        members_.push_back({std::move(below), ""});
        continue;
      }
      CW_TRY_VOID(check(sub, *inner, below));
    }
    return {};
  }

  const std::string& text() const { return text_; }
  const std::vector<FaultyMember>& members() const { return members_; }

 private:
  base::Status check_own(const Chart& chart, const Value& values,
                         const std::vector<value::Path::Step>& at) {
    std::vector<FaultyMember> faulty;
    auto schema = bundle_.schema(*chart.content);
    const base::Status status =
        schema.ok() ? (*schema)->validate(values, &faulty) : base::Status(schema.error());
    if (!status.ok() && status.error().code() == base::ErrorCode::kBudget) {
      return status.error();
    }
    if (!status.ok()) {
      text_ += chart.name() + ":\n" + status.error().message();
    }
    for (FaultyMember& member : faulty) {
      member.path.insert(member.path.begin(), at.begin(), at.end());
      members_.push_back(std::move(member));
    }
    return {};
  }

  const Bundle& bundle_;
  std::string text_;
  std::vector<FaultyMember> members_;
};

}  // namespace

base::Result<Prepared> prepare(const Bundle& bundle, const RenderInputs& inputs) {
  const Profile& profile = bundle.profile();
  Prepared prepared{profile, {}, Value(), {}};
  CW_TRY(prepared.chart,
         process_dependencies(bundle.chart(), inputs.values, profile, prepared.warnings));
  CW_TRY(prepared.values, coalesce_values(prepared.chart, inputs.values, {Nulls::kDelete, profile},
                                          prepared.warnings));
  if (inputs.schema_check == SchemaCheck::kValidate) {
    CW_TRY_VOID(check_schemas(bundle, prepared, inputs));
  }
  return prepared;
}

base::Status check_schemas(const Bundle& bundle, const Prepared& prepared,
                           const RenderInputs& inputs) {
  SchemaFaults faults(bundle);
  CW_TRY_VOID(faults.check(prepared.chart, prepared.values));
  if (faults.text().empty()) {
    return {};
  }
  return base::Error(base::ErrorCode::kSchema,
                     "values don't meet the specifications of the schema(s) in the following "
                     "chart(s):\n" +
                         faults.text())
      .with_help(note_faulty(faults.members(), origins_of(bundle, prepared.chart, inputs)));
}

namespace {

base::Result<Rendered> render_prepared(const Bundle& bundle, Prepared prepared,
                                       const RenderInputs& inputs, const RenderContext& context) {
  const Chart& chart = prepared.chart;
  CW_TRY_VOID(check_kube_version(chart, inputs.capabilities, bundle.profile()));
  CW_TRY(auto files, render_templates(bundle, prepared, inputs, context));
  Rendered rendered;
  rendered.notes = take_notes(files, chart.name(), inputs.subchart_notes);
  auto sort = sort_manifests(files, bundle.profile());
  if (!sort.ok()) {
    return explain_yaml(std::move(sort).error(), files, {bundle, inputs, context});
  }
  SortedManifests sorted = *std::move(sort);
  rendered.manifests = std::move(sorted.manifests);
  rendered.hooks = std::move(sorted.hooks);
  rendered.crds = crds_of(chart);
  rendered.warnings = std::move(prepared.warnings);
  for (std::string& warning : sorted.warnings) {
    rendered.warnings.push_back(std::move(warning));
  }
  return rendered;
}

}  // namespace

base::Result<Rendered> render(const Bundle& bundle, Prepared prepared, const RenderInputs& inputs,
                              const RenderContext& context) {
  return base::within_memory(context.limits.memory_bytes_max, [&] {
    return render_prepared(bundle, std::move(prepared), inputs, context);
  });
}

base::Result<std::map<std::string, std::string>> render_templates(const Bundle& bundle,
                                                                  const Prepared& prepared,
                                                                  const RenderInputs& inputs,
                                                                  const RenderContext& context) {
  Rendering rendering(bundle, prepared, inputs, context);
  CW_TRY_VOID(rendering.parse());
  std::map<std::string, std::string> files;
  for (const std::string& path : rendering.files()) {
    CW_TRY(files[path], rendering.execute(path));
  }
  return files;
}

base::Result<Rendered> render(const Bundle& bundle, const RenderInputs& inputs,
                              const RenderContext& context) {
  return base::within_memory(context.limits.memory_bytes_max, [&]() -> base::Result<Rendered> {
    CW_TRY(Prepared prepared, prepare(bundle, inputs));
    return render_prepared(bundle, std::move(prepared), inputs, context);
  });
}

Value root_scope(const Prepared& prepared, const RenderInputs& inputs) {
  return build_scope(prepared, inputs, nullptr);
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
      CW_TRY(const auto named, bundle->templates(sources_of(renderables)));
      auto all = std::make_shared<tmpl::Template>(*named);
      if (auto status = all->parse(name, text); !status.ok()) {
        return clean_parse_error(std::move(status).error(), text);
      }
      parsed = std::move(all);
    }
    return parsed;
  }

  base::Result<std::string> render(const Value& data, const RenderContext& context)
      CW_EXCLUDES(mutex) {
    CW_TRY(const auto parsed_with, templates());
    tmpl::Budget budget(context.limits, context.clock);
    tmpl::WrittenDicts written;
    RenderState state(context.cluster, context.complaints);
    std::string out;
    tmpl::Failure failure;
    const tmpl::ExecOptions options{
        tmpl::MissingKey::kZero, budget, written, context.host, &state, &failure};
    if (auto status = parsed_with->execute(name, data, options, out); !status.ok()) {
      return clean_exec_error(std::move(status).error().with_help(help_for(failure, data)),
                              bundle->profile().errors);
    }
    return without_no_value(out);
  }

  // Nobody knows here which values the user gave: no place is told rather than a wrong one.
  std::string help_for(const tmpl::Failure& failure, const Value& data) const {
    const Renderables renderables = own_templates(bundle->chart());
    const auto source = [&](std::string_view file) -> const std::string* {
      const auto found = renderables.find(std::string(file));
      return file == name ? &text : found != renderables.end() ? found->second.text : nullptr;
    };
    return diagnose(failure, {source, data, ValueOrigins()});
  }
};

SideTemplate::SideTemplate(std::shared_ptr<const Bundle> bundle, std::string name, std::string text)
    : shared_(new Shared{std::move(bundle), std::move(name), std::move(text), {}}) {}

const std::string& SideTemplate::name() const { return shared_->name; }
const std::string& SideTemplate::text() const { return shared_->text; }

base::Result<std::string> SideTemplate::render(const Value& data,
                                               const RenderContext& context) const {
  return base::within_memory(context.limits.memory_bytes_max,
                             [&] { return shared_->render(data, context); });
}

}  // namespace chartwright::chart
