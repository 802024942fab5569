// SPDX-License-Identifier: Apache-2.0
// What has to be in force before the rest can be: CRDs, and the kinds that they define. A pass that
// has to wait for them ends, and the next one goes on; no worker is held.
#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/strings.h"
#include "operator/definitions.h"
#include "operator/reconcile.h"
#include "release/definitions.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using release::Definition;
using value::Value;

// As long as Helm waits.
constexpr base::Duration kWaitMax = std::chrono::seconds(60);
constexpr base::Duration kPaceMin = std::chrono::milliseconds(250);
constexpr base::Duration kPaceMax = std::chrono::seconds(5);
// Many custom resources that wait for one kind ask for discovery together.
constexpr base::Duration kDiscoveryAge = std::chrono::milliseconds(200);

bool is_recorded_definition(const std::pair<const kube::ObjectRef, release::InventoryEntry>& item) {
  return item.second.role == release::Role::kChild &&
         release::is_definition(item.first.group_kind());
}

const Definition* definer_of(const kube::Gvk& gvk, const std::vector<Definition>& definitions) {
  const auto found = std::find_if(definitions.begin(), definitions.end(),
                                  [&gvk](const Definition& one) { return one.serves(gvk); });
  return found == definitions.end() ? nullptr : &*found;
}

std::vector<std::string> names_in(const std::string& manifest) {
  std::vector<std::string> names;
  for (const std::string& document : helm::crds_in(manifest)) {
    auto objects = Renderer::parse_manifest(document);
    for (const Value& object : std::move(objects).value_or({})) {
      names.emplace_back(kube::name_of(object));
    }
  }
  return names;
}

}  // namespace

// An error that only ends the pass: what it needs is on its way. After too long a wait it is one
// that is told.
Error Reconcile::wait_for(std::string what) {
  const base::MonotonicTime now = services_.clock.monotonic();
  if (!state_.waiting_since) {
    state_.waiting_since = now;
  }
  if (now - *state_.waiting_since >= kWaitMax) {
    return Error(ErrorCode::kTimeout, "waited for " + base::format_go_duration(kWaitMax) +
                                          " and more, without success: " + what);
  }
  waiting_ = std::move(what);
  return Error(ErrorCode::kUnavailable, *waiting_);
}

// The API server refuses a kind for a moment after it has announced it: with 429 while it makes its
// storage ready, with 404 where another replica of it has yet to hear.
base::Status Reconcile::wait_out(base::Status result) {
  if (result.ok() || waiting_) {
    return result;
  }
  const ErrorCode code = result.error().code();
  const bool may_pass = (code == ErrorCode::kTooManyRequests && brings_kinds_) ||
                        (code == ErrorCode::kNotFound && state_.waiting_since);
  return may_pass ? base::Status(wait_for(result.error().message())) : result;
}

// Soon, then less often: most waits are over in a second.
base::Duration Reconcile::pace() const {
  const base::Duration waited = services_.clock.monotonic() - *state_.waiting_since;
  return std::clamp(waited, kPaceMin, kPaceMax);
}

base::Status Reconcile::install_definitions(const std::vector<Definition>& wanted) {
  release::Definitions definitions(services_.client, call_, watch_.crds, context_.log, [this] {
    return seen_alive_ ? base::Status() : confirm_alive();
  });
  CW_TRY(const release::DefinitionReport report, definitions.install(wanted));
  state_.held_definitions = base::join(report.held, "; ");
  if (!report.awaited.empty()) {
    return wait_for("CustomResourceDefinition " + base::join(report.awaited, ", ") +
                    " is not established yet");
  }
  return {};
}

// An update that was refused may have become possible, and nobody tells us when; a child that is
// missing may be so because somebody deleted its CRD.
base::Status Reconcile::revisit_definitions() {
  const auto is_missing = [this](const auto& item) {
    return item.second.role == release::Role::kChild && !services_.caches.live(item.first);
  };
  const bool held = !state_.held_definitions.empty();
  if (!watch_.bundle.has_crds ||
      (!held && std::none_of(state_.inventory.begin(), state_.inventory.end(), is_missing))) {
    return {};
  }
  CW_TRY(const std::vector<helm::Crd> files, services_.renderer.crds(watch_.bundle, inputs_));
  CW_TRY(const std::vector<Definition> wanted, chosen_definitions(files));
  const bool misses_instance =
      std::any_of(state_.inventory.begin(), state_.inventory.end(), [&](const auto& item) {
        return is_missing(item) && definer_of(item.first.gvk, wanted) != nullptr;
      });
  return held || misses_instance ? install_definitions(wanted) : base::Status();
}

base::Result<std::vector<Definition>> Reconcile::chosen_definitions(
    const std::vector<helm::Crd>& files) const {
  return watch_.crds == release::DefinitionPolicy::kSkip ? std::vector<Definition>()
                                                         : read_definitions(files);
}

// How an object's kind is addressed. One that is not served yet, but that a CRD of the same release
// defines, is known from that CRD.
base::Result<Reconcile::Mapped> Reconcile::map_kind(const kube::Gvk& gvk,
                                                    const std::vector<Definition>& coming) {
  auto mapping = services_.client.mapping_for(gvk, call_);
  if (mapping.ok()) {
    return Mapped{mapping->scope, release::Serving::kYes};
  }
  const Definition* definition = definer_of(gvk, coming);
  if (mapping.error().reason() != kube::kNoMatchReason || definition == nullptr) {
    return std::move(mapping).error();
  }
  CW_TRY_VOID(services_.client.refresh_kinds(kDiscoveryAge, call_));
  mapping = services_.client.mapping_for(gvk, call_);
  return mapping.ok() ? Mapped{mapping->scope, release::Serving::kYes}
                      : Mapped{definition->scope, release::Serving::kNotYet};
}

// Leaves of a plan with objects of kinds to come only what brings these. Returns the kinds; none:
// the plan is as it was.
std::string Reconcile::hold_back(release::Plan& plan) const {
  std::set<std::string> kinds;
  for (const release::Step& step : plan) {
    if (step.desired != nullptr && step.desired->serving == release::Serving::kNotYet) {
      kinds.insert(step.ref.group_kind().to_string());
    }
  }
  if (kinds.empty()) {
    return {};
  }
  std::erase_if(plan, [](const release::Step& step) {
    return step.desired == nullptr || step.desired->serving == release::Serving::kNotYet ||
           release::stage_of(step.ref.group_kind()) != release::Stage::kDefinitions;
  });
  return base::join({kinds.begin(), kinds.end()}, ", ");
}

// CRDs of crds/ were children once. They are everybody's: whoever has one in his inventory lets go
// of it. Called for those that nothing asks for as children any more.
base::Status Reconcile::release_definitions(Evidence evidence,
                                            const std::vector<release::Desired>& kept) {
  std::vector<kube::ObjectRef> dropped;
  for (const auto& item : state_.inventory) {
    const bool stays = std::any_of(kept.begin(), kept.end(), [&item](const release::Desired& one) {
      return one.ref == item.first;
    });
    if (is_recorded_definition(item) && !stays) {
      dropped.push_back(item.first);
    }
  }
  for (const kube::ObjectRef& ref : dropped) {
    CW_TRY(const bool everybodys, is_everybodys(ref.name, evidence));
    if (everybodys) {
      release::Definitions definitions(services_.client, call_, watch_.crds, context_.log, nullptr);
      CW_TRY_VOID(definitions.release(ref, owner_));
      state_.inventory.erase(ref);
    }
  }
  return {};
}

// The chart says it or, if another version of the chart brought the CRD, the record of the revision
// in force. What the chart only skips may be a child as well: there the record decides. Without one
// that could be read, nothing is deleted.
base::Result<bool> Reconcile::is_everybodys(const std::string& name, Evidence evidence) {
  const bool named =
      watch_.bundle.has_crds && bring_definition(helm::crds_of(watch_.bundle.chart->chart()), name);
  if (named && watch_.crds != release::DefinitionPolicy::kSkip) {
    return true;
  }
  if ((!named && evidence == Evidence::kChart) || state_.revision == 0) {
    return false;
  }
  release::RevisionStore store = records();
  auto revision = store.load(state_.revision);
  if (!revision.ok()) {
    const ErrorCode code = revision.error().code();
    const bool lost =
        code == ErrorCode::kNotFound || code == ErrorCode::kParse || code == ErrorCode::kBudget;
    return lost ? base::Result<bool>(true) : std::move(revision).error();
  }
  const std::vector<std::string> names = names_in(revision->manifest);
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A CRD that stands in crds/ is nobody's child, whatever an earlier revision took it for.
bool Reconcile::is_no_child(const Value& object) const {
  return release::is_definition(kube::gvk_of(object).group_kind()) && watch_.bundle.has_crds &&
         watch_.crds != release::DefinitionPolicy::kSkip &&
         bring_definition(helm::crds_of(watch_.bundle.chart->chart()), kube::name_of(object));
}

}  // namespace chartwright::op
