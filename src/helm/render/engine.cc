// SPDX-License-Identifier: Apache-2.0
#include "helm/render/engine.h"

#include "base/memory_limit.h"
#include "go/path.h"
#include "helm/render/failed_render.h"
#include "helm/render/rendering.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr std::string_view kNotesFile = "NOTES.txt";

/// Removes the notes from the rendered files and returns them.
std::string take_notes(std::map<std::string, std::string>& files, const std::string& chart_name,
                       SubchartNotes subchart_notes) {
  std::string notes;
  const std::string own = go::join_path(chart_name, "templates/" + std::string(kNotesFile));
  for (const auto& [path, text] : files) {
    if (path.ends_with(kNotesFile) && (subchart_notes == SubchartNotes::kInclude || path == own)) {
      notes += (notes.empty() ? "" : "\n") + text;
    }
  }
  std::erase_if(files, [](const auto& file) { return file.first.ends_with(kNotesFile); });
  return notes;
}

base::Result<Rendered> render_prepared(const RenderableChart& loaded, PreparedChart prepared,
                                       const RenderInputs& inputs, const RenderContext& context) {
  const Chart& chart = prepared.chart;
  CW_TRY_VOID(check_kube_version(loaded, chart, inputs.capabilities));
  CW_TRY(auto files, render_templates(loaded, prepared, inputs, context));
  Rendered rendered;
  rendered.notes = take_notes(files, chart.name(), inputs.subchart_notes);
  auto sort = sort_manifests(files, loaded.profile());
  if (!sort.ok()) {
    return explain_yaml(std::move(sort).error(), files, {loaded, inputs, context});
  }
  SortedManifests sorted = *std::move(sort);
  rendered.manifests = std::move(sorted.manifests);
  rendered.hooks = std::move(sorted.hooks);
  rendered.crds = crds_of(chart);
  CW_TRY(rendered.chart_metadata, recorded_metadata(chart.metadata));
  rendered.chart_values = chart.values;
  rendered.warnings = std::move(prepared.warnings);
  for (std::string& warning : sorted.warnings) {
    rendered.warnings.push_back(std::move(warning));
  }
  return rendered;
}

}  // namespace

base::Result<Rendered> render(const RenderableChart& loaded, PreparedChart prepared,
                              const RenderInputs& inputs, const RenderContext& context) {
  return base::within_memory(context.limits.memory_bytes_max, [&] {
    return render_prepared(loaded, std::move(prepared), inputs, context);
  });
}

base::Result<Rendered> render(const RenderableChart& loaded, const RenderInputs& inputs,
                              const RenderContext& context) {
  return base::within_memory(context.limits.memory_bytes_max, [&]() -> base::Result<Rendered> {
    CW_TRY(PreparedChart prepared, prepare(loaded, inputs));
    return render_prepared(loaded, std::move(prepared), inputs, context);
  });
}

Value root_scope(const PreparedChart& prepared, const RenderInputs& inputs) {
  return build_scope(prepared, inputs, nullptr);
}

}  // namespace chartwright::helm
