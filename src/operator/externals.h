// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "external/runner.h"
#include "operator/uninstall.h"
#include "subject/cluster_view.h"
#include "subject/external_copy.h"
#include "subject/live_resource.h"
#include "subject/render_queue.h"

namespace chartwright::op {

/// The objects outside the cluster that belong to a custom resource (external::Runner), with what
/// they need of the reconcile. Blocks.
class Externals final : private external::Surroundings {
 public:
  /// The parts of the reconcile that it uses. All must outlive it.
  struct Parts {
    const Subject& subject;
    const Inputs& inputs;
    RenderQueue& renders;
    LiveResource& live;
    Uninstall& uninstall;
    ClusterView& view;
    external::Records& records;
    external::Memory& memory;
  };

  explicit Externals(const Parts& parts) : parts_(parts) {}

  /// Notes which of them may exist although the status does not know them, as far as the custom
  /// resource shows it; once in a process. Comes before any write of the status.
  void look_back();
  /// Creates, finds and updates them, unless that was done a short time ago for the same inputs.
  /// Errors: those of external::Runner, and kCancelled where the custom resource is gone.
  base::Status bring_about();
  /// Deletes them, unless a person or the bundle wants them left; that gets a warning. Errors: as
  /// bring_about.
  base::Status remove();
  /// Reports whether one that the bundle has is not known by an id.
  bool lack_ids() const;
  /// Returns when they have to be looked at again; nullopt: the bundle has none.
  std::optional<base::Duration> due_in() const;
  /// Returns the longest wait before a failed run is repeated.
  base::Duration patience() const;

 private:
  base::Result<value::Value> scope() override;
  base::Status in_turn(const Work& work) override;
  base::Result<value::Value> secret(const std::string& name) override;
  base::Status hold() override { return parts_.uninstall.hold(); }
  base::Status save() override { return parts_.live.write_externals(); }
  base::Result<external::Copied> copy(const std::string& external,
                                      external::Surprise surprise) override {
    return copy_.write(external, surprise);
  }
  base::Result<std::optional<external::Record>> vouched(const std::string& external) override {
    return copy_.vouched(external);
  }
  std::set<std::string> ids_of_others(const std::string& external) override;
  std::optional<std::string> decided_id(const std::string& external) override;
  bool trusts_author() const override;

  bool may_have_begun(const external::External& external) const;
  bool is_believed(const value::Value& cr) const;
  bool any() const { return !parts_.subject.watch.bundle.externals.empty(); }
  std::string inputs_key() const;
  void warn_of(const std::string& reason, const std::string& message) const;
  external::Runner runner();

  const Parts parts_;
  ExternalCopy copy_{parts_.subject, parts_.memory};
  std::optional<base::Duration> resync_;
};

}  // namespace chartwright::op
