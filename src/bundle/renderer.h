// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "bundle/bundle.h"
#include "bundle/override_values.h"
#include "helm/render/capabilities.h"
#include "helm/render/cluster_reader.h"
#include "helm/render/traced_render.h"
#include "host/host.h"
#include "release/hook.h"
#include "value/value.h"

namespace chartwright::bundle {

/// A rendered desired state.
struct RenderedRelease {
  std::string manifest;  ///< The text that Helm prints and stores.
  /// The objects of the manifest in install order, v1 Lists expanded.
  std::vector<value::Value> objects;
  std::string notes;
  std::vector<helm::Crd> crds;  ///< Files of crds/, which are not part of the manifest.
  std::vector<release::Hook> hooks;
  /// The metadata that Helm records, and the values: see helm::Rendered.
  value::Value chart_metadata;
  value::Value chart_values;
  bool repeatable = true;  ///< Chance and the clock had no part in it.
};

/// Returns the hooks by name, except for tests: "Job migrate (pre-upgrade), ..."; empty: none.
std::string list_hooks(const std::vector<release::Hook>& hooks);

/// Checks that each object of a rendered document has what identifies it, as every render does.
/// Errors: kParse, kInvalidArgument.
base::Status check_document(const value::Value& document);

/// The inputs of a render beside the bundle.
struct ReleaseInputs {
  std::string name;
  std::string ns;
  int revision = 1;
  value::Value config;  ///< Spec with overrides, as given to Helm as user values.
  bool mapped = false;  ///< They were made by operator/values.yaml.
  /// The overrides among the values, to explain errors. Their owner must outlive this.
  Overrides overrides = {};
  value::Value external = {};  ///< .External; nil for a bundle without externals.
  /// .Capabilities; null: those of the renderer at the time of each call.
  std::shared_ptr<const CapabilitySet> capabilities = nullptr;
};

/// The data of the templates in a bundle's operator/ folder.
struct OperatorView {
  value::Value cr;
  ReleaseInputs release;
  std::vector<value::Value> live;                                          ///< .Live
  std::vector<std::pair<std::string, std::vector<value::Value>>> related;  ///< .Related.<name>
};

/// The data of operator/values.yaml, and of the texts in operator.yaml.
struct CrView {
  value::Value cr;
  value::Value external = {};  ///< .External; nil for a bundle without externals.
};

/// The texts of a related entry, rendered for one custom resource.
struct RelatedTexts {
  std::string ns;    ///< Empty: that of the custom resource.
  std::string name;  ///< The name of the object that is read, or of the child that selects.
  kube::LabelSelector selector;
};

/// The reason of an error of Renderer::check_known.
inline constexpr std::string_view kUnknownKinds = "UnknownKinds";

/// Renders bundles. Immutable but for the capabilities; thread-safe.
class Renderer {
 public:
  /// `clock` must outlive the renderer.
  Renderer(helm::Capabilities capabilities, base::Clock& clock);
  Renderer(std::shared_ptr<const CapabilitySet> capabilities, base::Clock& clock);

  /// Returns the capabilities of the cluster, as last read.
  std::shared_ptr<const CapabilitySet> capabilities() const CW_EXCLUDES(mutex_);
  /// Replaces them. Renders that run keep theirs.
  void set_capabilities(std::shared_ptr<const CapabilitySet> capabilities) CW_EXCLUDES(mutex_);

  /// `reader` may be null: `lookup` finds nothing.
  /// Errors: kSchema, kTemplate, kParse, kBudget, with Helm's text and the position; those of
  /// check_known.
  base::Result<RenderedRelease> render(const Bundle& bundle, const ReleaseInputs& inputs,
                                       helm::ClusterReader* reader) const;
  /// Renders again, and calls `visit` for each document, with the lines of the templates that wrote
  /// it. Errors: those of render.
  base::Status trace(const Bundle& bundle, const ReleaseInputs& inputs, helm::ClusterReader* reader,
                     const std::function<void(const helm::TracedDocument&)>& visit) const;
  /// Returns the files of crds/, of the chart and of the subcharts that take part. Errors: those of
  /// helm::prepare.
  base::Result<std::vector<helm::Crd>> crds(const Bundle& bundle,
                                            const ReleaseInputs& inputs) const;
  /// Returns the dict that operator/ templates get as dot. It takes over the objects of `view`, of
  /// which only `cr` may be shared. Errors: those of render.
  base::Result<value::Value> scope(const Bundle& bundle, OperatorView view) const;
  /// Returns the chart's values that operator/values.yaml makes of the custom resource, which has
  /// no status. The same view gives the same values. Errors: those of render, also for chance.
  base::Result<value::Value> render_values(const Bundle& bundle, const CrView& view) const;
  /// Returns the partial objects of operator/patches/. Errors: those of render.
  base::Result<std::vector<value::Value>> render_patches(const Bundle& bundle,
                                                         const value::Value& scope) const;
  /// Returns the author's status fields; nil if the bundle has no status.yaml. The template may
  /// write into `scope`. Errors: those of render.
  base::Result<value::Value> render_status(const Bundle& bundle, const value::Value& scope) const;
  /// Renders the texts of a related entry for one custom resource. Errors: those of render.
  base::Result<RelatedTexts> render_related(const RelatedConfig& related, const CrView& view) const;
  /// Returns what the predicate of a rule says about a live object. Errors: those of render, and
  /// kTemplate where it renders neither "true" nor "false"; they name rule and object.
  base::Result<bool> judge(const Predicate& predicate, const CrView& view,
                           const value::Value& object) const;
  /// Returns the environment for other templates of operator/.
  helm::RenderContext operator_context() const { return {.host = host_, .clock = clock_}; }
  /// Fails where the chart reads API versions of which nobody knows yet whether they are served: a
  /// render would take them for absent. Error: kUnavailable, with the version and the reason.
  base::Status check_known(const Bundle& bundle, const ReleaseInputs& inputs) const;
  /// Returns a digest of everything that a render depends on, except for time, chance,
  /// lookups and externals.
  std::string inputs_key(const Bundle& bundle, const ReleaseInputs& inputs) const;

  /// Returns the objects of a stored manifest. Error: kParse.
  static base::Result<std::vector<value::Value>> parse_manifest(const std::string& manifest);
  /// Fails for a document that could not be read back from the stored manifest as it is. Errors:
  /// kParse and kInvalidArgument, with its path.
  static base::Status check_recordable(const helm::Manifest& manifest);

 private:
  base::Result<std::string> render_text(const TemplateText& text, const CrView& view) const;
  static CapabilityReads reads_of(const Bundle& bundle, std::string_view config);
  std::shared_ptr<const CapabilitySet> capabilities_for(const ReleaseInputs& inputs) const;
  mutable base::Mutex mutex_;
  std::shared_ptr<const CapabilitySet> capabilities_ CW_GUARDED_BY(mutex_);
  base::Clock& clock_;
  mutable host::SystemHost
      host_;  ///< Stateless; not all hosts are, so its functions are not const.
};

}  // namespace chartwright::bundle
