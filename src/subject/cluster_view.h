// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "subject/records.h"
#include "subject/render_queue.h"

namespace chartwright::op {

/// A view of the caches around one custom resource. The templates of operator/ see it, and it shows
/// whether anything has changed since the last reconcile that converged. The caches are read once,
/// at the first use; pointers are valid as long as the view.
class ClusterView {
 public:
  /// All must outlive it. `inputs` are read at each use.
  ClusterView(const Subject& subject, const Inputs& inputs, RenderQueue& renders, Records& records,
              value::Packed& config)
      : subject_(subject), inputs_(inputs), renders_(renders), records_(records), config_(config) {}

  /// Names everything that a reconcile depends on whose goal is to keep the revision in force: with
  /// the same fingerprint it does the same again. Empty where the caches do not suffice. Errors:
  /// those of bundle::Renderer::render_related and of Caches::related.
  base::Result<std::string> input_fingerprint();
  /// Reports whether the last reconcile that converged had the fingerprint that is taken here. A
  /// write changes it, so the reconcile after a write is not skipped.
  bool is_unchanged();
  /// Remembers that this reconcile has converged, with the fingerprint that is_unchanged() took, or
  /// none.
  void mark_converged();

  /// Returns the related objects, all of which have watches. Errors: as input_fingerprint.
  base::Result<std::set<kube::ObjectRef>> related_refs();
  /// Reports whether the view has every recorded child that templates may see: one is missing while
  /// it is being recreated, or no cache shows it yet. Errors: as input_fingerprint.
  base::Result<bool> is_whole();
  /// Returns the dict that the templates of operator/ get as dot. With a pin, it has the values of
  /// the pinned revision, not those of the spec. Errors: those of bundle::Renderer::scope and of
  /// Records::load.
  base::Result<const value::Value*> scope();
  /// Returns the inputs of the release in force. Errors: those of Records::load.
  base::Result<bundle::ReleaseInputs> release();

 private:
  struct Memory {
    /// The fingerprint taken at the start of the last reconcile that converged; empty: it took
    /// none.
    std::string fingerprint;
  };
  using Objects = std::vector<runtime::Stored>;
  /// Empty where the bundle has no templates of operator/.
  struct Snapshot {
    value::Value cr;
    Objects owned;
    std::vector<std::pair<std::string, Objects>> related;
  };
  base::Result<const Snapshot*> snapshot();
  /// Returns all children that the caches have.
  Objects children() const;
  /// Returns the related objects of an entry, with a watch. `owned`: the children.
  base::Result<Objects> related(const bundle::RelatedConfig& config, const Objects& owned);
  base::Result<bundle::RelatedTexts> render(const bundle::RelatedConfig& config);
  /// Returns the objects that a child of that kind selects. `texts` has the namespace resolved.
  base::Result<Objects> selected_by(const kube::GroupKind& kind,
                                    const bundle::RelatedConfig& config,
                                    const bundle::RelatedTexts& texts, const Objects& owned);
  /// Returns the namespace of an entry's objects ("": the kind is cluster-scoped); nullopt if the
  /// kind is not served, so that there are none. Errors: those of the client.
  base::Result<std::optional<std::string>> namespace_of(const bundle::RelatedConfig& config,
                                                        const std::string& asked);

  const Subject& subject_;
  const Inputs& inputs_;
  RenderQueue& renders_;
  Records& records_;
  value::Packed& config_;  ///< Values of the revision that a rollback put in force, once needed.
  std::optional<Snapshot> snapshot_;
  std::optional<value::Value> scope_;
  std::string fingerprint_;
};

}  // namespace chartwright::op
