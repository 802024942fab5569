// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/budget.h"
#include "base/clock.h"
#include "base/result.h"
#include "helm/render/capabilities.h"
#include "helm/render/cluster_reader.h"
#include "helm/render/manifest.h"
#include "helm/render/renderable_chart.h"
#include "helm/values/value_origins.h"
#include "tmpl/host.h"
#include "value/value.h"

namespace chartwright::tmpl {
class RunCounts;  // tmpl/run_counts.h
}  // namespace chartwright::tmpl

namespace chartwright::helm {

/// The action on the release. Helm's linter uses kNothing.
enum class ReleaseAction : uint8_t { kInstall, kUpgrade, kNothing };

/// The fields of `.Release`.
struct Release {
  std::string name = "release-name";
  std::string namespace_name = "default";
  int revision = 1;
  ReleaseAction action = ReleaseAction::kInstall;
};

enum class SchemaCheck : uint8_t { kValidate, kSkip };
enum class SubchartNotes : uint8_t { kOmit, kInclude };

/// The environment of a render. The references must outlive it. Objects that are thread-safe may be
/// shared by renders on several threads, but a ClusterReader serves one render at a time.
struct RenderContext {
  tmpl::Host& host;
  const base::Clock& clock;
  ClusterReader* cluster = nullptr;  ///< If nullptr, `lookup` finds nothing.
  base::BudgetLimits limits = {};
  /// Receives the messages of `required` and `fail` while a chart is linted, as Helm logs them
  /// ("engine.go:227: [INFO] Fail: ..."). If nullptr, they fail the render.
  std::vector<std::string>* complaints = nullptr;
  /// Counts which statements of the templates are executed. Not thread-safe. If nullptr, nothing is
  /// counted.
  tmpl::RunCounts* counts = nullptr;
};

struct RenderInputs {
  value::Value values;  ///< The values that the user set: a dict, or nil. Never modified.
  Release release;
  Capabilities capabilities = Capabilities::offline();
  SchemaCheck schema_check = SchemaCheck::kValidate;
  SubchartNotes subchart_notes = SubchartNotes::kOmit;
  /// Members that the dot of every template has beside Helm's: a dict, or nil.
  value::Value extra = {};
  ValueLayers layers = {};  ///< The sources of `values`, to explain errors.
};

/// A chart with its dependencies resolved and its values merged and checked, for one render.
struct PreparedChart {
  const Profile& profile;
  Chart chart;
  value::Value values;
  Warnings warnings;
};

/// The result of rendering a chart.
struct Rendered {
  std::vector<Manifest> manifests;  ///< In install order.
  std::vector<Hook> hooks;          ///< Sorted by kind.
  std::string notes;
  std::vector<Crd> crds;  ///< Files of crds/, which are not rendered.
  /// The metadata as Helm records them: with those dependencies that are enabled, and what they
  /// export.
  value::Value chart_metadata;
  value::Value chart_values;
  Warnings warnings;
};

}  // namespace chartwright::helm
