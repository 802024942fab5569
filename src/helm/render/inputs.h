// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/budget.h"
#include "base/clock.h"
#include "base/result.h"
#include "helm/render/bundle.h"
#include "helm/render/capabilities.h"
#include "helm/render/cluster_reader.h"
#include "helm/render/manifest.h"
#include "helm/values/value_origins.h"
#include "tmpl/host.h"
#include "value/value.h"

namespace chartwright::helm {

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
  base::BudgetLimits limits = {};
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

}  // namespace chartwright::helm
