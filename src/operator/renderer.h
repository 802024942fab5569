// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "chart/capabilities.h"
#include "chart/cluster_reader.h"
#include "chart/engine.h"
#include "operator/bundle.h"
#include "operator/host.h"
#include "value/value.h"

namespace chartwright::op {

/// A rendered desired state.
struct RenderedRelease {
  std::string manifest;               ///< As Helm prints and stores it.
  std::vector<value::Value> objects;  ///< Its objects in install order, v1 Lists expanded.
  std::string notes;
  std::vector<chart::Crd> crds;  ///< Files of crds/, which are no part of the manifest.
  /// Hooks other than tests, which are not run: "Job migrate (pre-upgrade), ..."; empty: none.
  std::string skipped_hooks;
};

/// What a render depends on beside the bundle.
struct ReleaseInputs {
  std::string name;
  std::string ns;
  int revision = 1;
  value::Value config;  ///< Spec with overrides, as given to Helm as user values.
  /// Those overrides, to explain errors; their owner outlives this.
  std::span<const std::pair<std::string, std::string>> overrides = {};
};

/// What the templates of a bundle's operator/ folder see.
struct OperatorView {
  value::Value cr;
  ReleaseInputs release;
  std::vector<value::Value> live;                                          ///< .Live
  std::vector<std::pair<std::string, std::vector<value::Value>>> related;  ///< .Related.<name>
};

/// Renders bundles. Immutable; thread-safe.
class Renderer {
 public:
  /// `clock` must outlive the renderer.
  Renderer(chart::Capabilities capabilities, base::Clock& clock);

  /// `reader` may be null: `lookup` finds nothing.
  /// Errors: kSchema, kTemplate, kParse, kBudget, with Helm's text and the position.
  base::Result<RenderedRelease> render(const Bundle& bundle, const ReleaseInputs& inputs,
                                       chart::ClusterReader* reader) const;
  /// The files of crds/, of the chart and of the subcharts that take part. Errors: those of
  /// chart::prepare.
  base::Result<std::vector<chart::Crd>> crds(const Bundle& bundle,
                                             const ReleaseInputs& inputs) const;
  /// The dict that operator/ templates get as dot. It takes the view's objects over, which must be
  /// shared with nobody but for `cr`. Errors as render.
  base::Result<value::Value> scope(const Bundle& bundle, OperatorView view) const;
  /// The partial objects of operator/patches/. Errors as render.
  base::Result<std::vector<value::Value>> render_patches(const Bundle& bundle,
                                                         const value::Value& scope) const;
  /// The author's status fields; nil when the bundle has no status.yaml. The template may write
  /// into `scope`. Errors as render.
  base::Result<value::Value> render_status(const Bundle& bundle, const value::Value& scope) const;
  /// The label values of a related query for one custom resource. Errors as render.
  base::Result<LabelMap> render_selector(const RelatedConfig& related,
                                         const value::Value& cr) const;
  /// Digest of everything a render depends on but time, chance and lookups.
  std::string inputs_key(const Bundle& bundle, const ReleaseInputs& inputs) const;

  /// The objects of a stored manifest. Error: kParse.
  static base::Result<std::vector<value::Value>> parse_manifest(const std::string& manifest);
  /// Whether a rendered document reads from the manifest as it reads by itself. Errors: kParse and
  /// kInvalidArgument with its path.
  static base::Status check_recordable(const chart::Manifest& manifest);

 private:
  chart::RenderContext context(chart::ClusterReader* reader) const;
  const chart::Capabilities capabilities_;
  base::Clock& clock_;
  mutable SystemHost host_;  ///< Has no state; its functions are not const for hosts that do.
};

}  // namespace chartwright::op
