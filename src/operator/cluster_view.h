// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operator/records.h"

namespace chartwright::op {

/// What the caches hold around one custom resource: what the templates of operator/ see of it, and
/// whether it is as an earlier reconcile left it. The caches are read once, at the first use; what
/// is returned is valid as long as the view.
class ClusterView {
 public:
  /// All must outlive it. `inputs` are read at each use.
  ClusterView(const Subject& subject, const Inputs& inputs, RenderQueue& renders, Records& records)
      : subject_(subject), inputs_(inputs), renders_(renders), records_(records) {}

  /// Names everything that a reconcile without a new wish depends on: with equal fingerprints, the
  /// same reconcile is run again. Empty where the caches cannot tell. Errors: those of
  /// Renderer::render_selector.
  base::Result<std::string> input_fingerprint();
  /// Whether an earlier reconcile has converged with the fingerprint of now. A write changes the
  /// fingerprint, so the reconcile that follows one is not skipped.
  bool is_unchanged();
  /// Remembers for later reconciles that this one has converged; with the fingerprint that
  /// is_unchanged() took, or none.
  void mark_converged();

  /// The dict that the templates of operator/ get as dot. The release is that of the revision in
  /// force, which a pin may have given other values than the spec has. Errors: those of rendering
  /// and of Records::load.
  base::Result<const value::Value*> scope();

 private:
  using Objects = std::vector<runtime::Stored>;
  /// Empty where the bundle has no templates of operator/.
  struct Snapshot {
    value::Value cr;
    Objects owned;
    std::vector<std::pair<std::string, Objects>> related;
  };
  base::Result<const Snapshot*> snapshot();
  base::Result<Objects> related(const bundle::RelatedConfig& config, const value::Value& cr);
  base::Result<ReleaseInputs> release();

  const Subject& subject_;
  const Inputs& inputs_;
  RenderQueue& renders_;
  Records& records_;
  std::optional<Snapshot> snapshot_;
  std::optional<value::Value> scope_;
  std::string fingerprint_;
};

}  // namespace chartwright::op
