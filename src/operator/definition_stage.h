// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "release/definition.h"
#include "release/plan.h"
#include "subject/live_resource.h"
#include "subject/records.h"

namespace chartwright::op {

/// Leaves in a plan with objects of kinds to come only the CRDs that define them. Returns those
/// kinds; empty: the plan is unchanged.
std::string hold_back(release::Plan& plan);

/// How soon to look again at something that has an event, for events that are lost on the way.
inline constexpr base::Duration kLookAgain = std::chrono::seconds(10);

/// The wait for a CRD, or for a kind that it defines. No worker is held: a reconcile that has to
/// wait ends, and comes back soon.
class Wait {
 public:
  /// Both must outlive it. `since` is when the first of the reconciles began that wait.
  Wait(const Subject& subject, std::optional<base::MonotonicTime>& since)
      : subject_(subject), since_(since) {}

  /// Begins to wait, or goes on. Returns the error that ends the reconcile: kUnavailable, or, after
  /// too long a wait, a kTimeout to be reported.
  base::Error wait_for(std::string what);
  /// Waits for something that has an event and a limit of its own, and looks again after `pace`
  /// without an event. `cause`: the code of why it takes so long; empty: unknown. Returns the error
  /// that ends the reconcile, kUnavailable.
  base::Error wait_for_event(std::string what, base::Duration pace, std::string cause = {});
  /// CRDs are part of the release, so the API server may refuse their kinds for a moment.
  void expect_new_kinds() { expects_kinds_ = true; }
  /// Returns `result`, or begins the wait that it calls for.
  base::Status wait_out(base::Status result);
  /// Ends the wait.
  void end() { since_.reset(); }

  /// Returns the reason why this reconcile waits; nullopt: it does not.
  const std::optional<std::string>& waiting() const { return waiting_; }
  const std::string& cause() const { return cause_; }
  /// Returns how soon to come back while waiting.
  base::Duration pace() const;

 private:
  const Subject& subject_;
  std::optional<base::MonotonicTime>& since_;
  bool expects_kinds_ = false;
  std::optional<std::string> waiting_;
  std::string cause_;
  std::optional<base::Duration> pace_;  ///< Given; nullopt: by the time waited so far.
};

/// How a kind is addressed.
struct Mapped {
  kube::Scope scope;
  release::Serving serving;
};

/// Where to look for the origin of a recorded CRD.
enum class Evidence : uint8_t {
  kChart,           ///< The chart as it is; costs no request.
  kChartAndRecord,  ///< The chart, and the revision in force, which another version may have
                    ///< made.
};

/// Installs and updates the CRDs of a release, and says how the kinds that they define are
/// addressed. CRDs of crds/ are shared: they are installed, and never owned or deleted. Blocks.
class DefinitionStage {
 public:
  struct Parts {
    Records& records;
    LiveResource& live;
    Wait& wait;
    release::Inventory& inventory;
    std::string& held;  ///< Updates of CRDs that were refused, for people.
  };

  /// All must outlive it.
  DefinitionStage(const Subject& subject, const Parts& parts) : subject_(subject), parts_(parts) {}

  /// Installs CRDs of crds/. Errors: a wait until they are established, and those of
  /// release::Definitions::install.
  base::Status install(const std::vector<release::Definition>& wanted);
  /// Installs them again where that may help a release in force: an update was refused, or a child
  /// is missing whose CRD may have been deleted. Neither has an event.
  base::Status revisit(const bundle::ReleaseInputs& inputs);
  /// Lets go of the CRDs in the inventory that came from crds/ and are not in `kept`: they were
  /// children once.
  base::Status release_shared(Evidence evidence, const std::vector<release::Desired>& kept);
  /// Reports whether a rendered object is not a child, because it is a CRD that is also in crds/.
  bool is_shared(const value::Value& object) const;

  /// Returns how a kind is addressed. One that is not served yet is known from its definition in
  /// `coming`. Errors: those of the client, kNoMatchReason among them.
  base::Result<Mapped> map_kind(const kube::Gvk& gvk,
                                const std::vector<release::Definition>& coming);

 private:
  release::DefinitionSource source() const;
  bool is_missing(const kube::ObjectRef& ref, const release::InventoryEntry& entry) const;
  bool misses_any() const;
  bool misses_instance_of(const std::vector<release::Definition>& definitions) const;
  bool is_in_chart(std::string_view name) const;
  base::Result<bool> came_from_crds(const std::string& name, Evidence evidence);
  base::Result<bool> record_has_crd(const std::string& name);

  const Subject& subject_;
  const Parts parts_;
};

}  // namespace chartwright::op
