// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "chart/bundle.h"
#include "chart/capabilities.h"
#include "chart/cluster_reader.h"
#include "chart/manifest.h"
#include "chart/value_origins.h"
#include "tmpl/budget.h"
#include "tmpl/host.h"
#include "value/value.h"

namespace chartwright::chart {

/// What is being done with the release; Helm's linter does nothing.
enum class ReleaseAction : uint8_t { kInstall, kUpgrade, kNothing };

/// `.Release`.
struct Release {
  std::string name = "release-name";
  std::string namespace_name = "default";
  int revision = 1;
  ReleaseAction action = ReleaseAction::kInstall;
};

enum class SchemaCheck : uint8_t { kValidate, kSkip };
enum class SubchartNotes : uint8_t { kOmit, kInclude };

/// The outside of a render. The references must outlive it; what they refer to may be shared by
/// renders on several threads if it is thread-safe, but a ClusterReader serves one at a time.
struct RenderContext {
  tmpl::Host& host;
  const base::Clock& clock;
  ClusterReader* cluster = nullptr;  ///< nullptr: `lookup` finds nothing.
  tmpl::BudgetLimits limits = {};
  /// Where what `required` and `fail` complain of goes while a chart is linted, in Helm's words
  /// ("[INFO] Fail: ..."); nullptr: it fails the render.
  std::vector<std::string>* complaints = nullptr;
};

struct RenderInputs {
  value::Value values;  ///< What the user set: a dict, or nil. Never changed.
  Release release;
  Capabilities capabilities = Capabilities::offline();
  SchemaCheck schema_check = SchemaCheck::kValidate;
  SubchartNotes subchart_notes = SubchartNotes::kOmit;
  ValueLayers layers = {};  ///< What `values` were made of, to explain errors.
};

/// A chart with its dependencies resolved and its values merged and checked, for one render.
struct Prepared {
  const Profile& profile;
  Chart chart;
  value::Value values;
  Warnings warnings;
};

/// What a chart renders to.
struct Rendered {
  std::vector<Manifest> manifests;  ///< In install order.
  std::vector<Hook> hooks;          ///< By kind.
  std::string notes;
  std::vector<Crd> crds;  ///< Files of crds/, not rendered.
  Warnings warnings;
};

/// Resolves dependencies, merges values and validates them. Errors: kInvalidArgument (values that
/// cannot be merged), kSchema ("values don't meet the specifications of the schema(s) ..."),
/// kBudget. Source: helm/helm v3 pkg/chartutil ProcessDependenciesWithMerge, ToRenderValues.
base::Result<Prepared> prepare(const Bundle& bundle, const RenderInputs& inputs);

/// What prepare says of the values and the schemas, for values that were prepared without. Errors:
/// kSchema, kBudget.
base::Status check_schemas(const Bundle& bundle, const Prepared& prepared,
                           const RenderInputs& inputs);

/// Renders what was prepared. Errors: kTemplate and kParse in Helm's words with the position in the
/// template and the source line as help, kBudget, kInvalidArgument (kubeVersion). Pure but for the
/// context. Source: helm/helm v3 pkg/engine/engine.go, pkg/action/action.go renderResources.
base::Result<Rendered> render(const Bundle& bundle, Prepared prepared, const RenderInputs& inputs,
                              const RenderContext& context);

/// The text of every template file that is no partial, by path, before documents are told apart.
/// Errors: as render, without kubeVersion. Source: helm/helm v3 pkg/engine/engine.go Render.
base::Result<std::map<std::string, std::string>> render_templates(const Bundle& bundle,
                                                                  const Prepared& prepared,
                                                                  const RenderInputs& inputs,
                                                                  const RenderContext& context);

/// prepare, then render.
base::Result<Rendered> render(const Bundle& bundle, const RenderInputs& inputs,
                              const RenderContext& context);

/// The dict that the root chart's templates get as dot: Chart, Files, Release, Capabilities, Values
/// and Subcharts.
value::Value root_scope(const Prepared& prepared, const RenderInputs& inputs);

/// A text beside the templates of a chart (one of its operator/ folder), with the functions and the
/// named templates of the chart. What it defines is seen by nobody else. Parsed on first use and
/// once, as the chart itself. Immutable as callers see it, cheap to copy, thread-safe.
class SideTemplate {
 public:
  /// `name` stands for it in errors.
  SideTemplate(std::shared_ptr<const Bundle> bundle, std::string name, std::string text);
  const std::string& name() const;
  const std::string& text() const;
  /// Evaluates it with `data` as dot. Errors: as the render of a chart.
  base::Result<std::string> render(const value::Value& data, const RenderContext& context) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace chartwright::chart
