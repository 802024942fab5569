// SPDX-License-Identifier: Apache-2.0
#include "operator/definition_stage.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/strings.h"
#include "helm/render/stored_manifest.h"
#include "history/chart_definitions.h"
#include "release/definitions.h"
#include "release/desired.h"
#include "subject/verdicts.h"

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

const Definition* definer_of(const kube::Gvk& gvk, const std::vector<Definition>& definitions) {
  const auto found = std::find_if(definitions.begin(), definitions.end(),
                                  [&gvk](const Definition& one) { return one.serves(gvk); });
  return found == definitions.end() ? nullptr : &*found;
}

std::vector<std::string> names_of_crds_in(const std::string& manifest) {
  std::vector<std::string> names;
  for (const std::string& document : helm::crds_in(manifest)) {
    auto objects = bundle::Renderer::parse_manifest(document);
    for (const Value& object : std::move(objects).value_or({})) {
      names.emplace_back(kube::name_of(object));
    }
  }
  return names;
}

bool is_recorded_definition(const std::pair<const kube::ObjectRef, release::InventoryEntry>& item) {
  return item.second.role == release::Role::kChild &&
         release::is_definition(item.first.group_kind());
}

}  // namespace

Error Wait::wait_for(std::string what) {
  const base::MonotonicTime now = subject_.services.clock.monotonic();
  if (!since_) {
    since_ = now;
  }
  if (now - *since_ >= kWaitMax) {
    return Error(ErrorCode::kTimeout, "waited for " + base::format_go_duration(kWaitMax) +
                                          " and more, without success: " + what);
  }
  waiting_ = std::move(what);
  return Error(ErrorCode::kUnavailable, *waiting_);
}

Error Wait::wait_for_event(std::string what, base::Duration pace, std::string cause) {
  cause_ = std::move(cause);
  waiting_ = std::move(what);
  pace_ = pace;
  return Error(ErrorCode::kUnavailable, *waiting_);
}

// The API server refuses a kind for a moment after it has announced it: with 429 while it prepares
// its storage, with 404 where another replica of it has not heard of the kind.
base::Status Wait::wait_out(base::Status result) {
  if (result.ok() || waiting_) {
    return result;
  }
  const ErrorCode code = result.error().code();
  const bool may_pass = (code == ErrorCode::kTooManyRequests && expects_kinds_) ||
                        (code == ErrorCode::kNotFound && since_);
  if (!may_pass) {
    return result;
  }
  return wait_for(result.error().message());
}

// Most waits are over in a second, so the first intervals are short.
base::Duration Wait::pace() const {
  if (pace_) {
    return *pace_;
  }
  const base::Duration waited = subject_.services.clock.monotonic() - *since_;
  return std::clamp(waited, kPaceMin, kPaceMax);
}

std::string hold_back(release::Plan& plan) {
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

release::DefinitionSource DefinitionStage::source() const {
  return {subject_.watch.crds, subject_.watch.bundle.chart_label, subject_.owner};
}

base::Status DefinitionStage::install(const std::vector<Definition>& wanted) {
  release::Definitions definitions(subject_.services.client, subject_.call, source(),
                                   subject_.context.log,
                                   [this] { return parts_.live.confirm_once(); });
  CW_TRY(const release::DefinitionReport report, definitions.install(wanted));
  parts_.held = base::join(report.held, "; ");
  if (!report.awaited.empty()) {
    return parts_.wait.wait_for("CustomResourceDefinition " + base::join(report.awaited, ", ") +
                                " is not established yet");
  }
  return {};
}

bool DefinitionStage::is_missing(const kube::ObjectRef& ref,
                                 const release::InventoryEntry& entry) const {
  return entry.role == release::Role::kChild && !live_of(subject_, ref);
}

bool DefinitionStage::misses_any() const {
  const release::Inventory& inventory = subject_.state.inventory;
  return std::any_of(inventory.begin(), inventory.end(),
                     [this](const auto& item) { return is_missing(item.first, item.second); });
}

bool DefinitionStage::misses_instance_of(const std::vector<Definition>& definitions) const {
  const release::Inventory& inventory = subject_.state.inventory;
  return std::any_of(inventory.begin(), inventory.end(), [&](const auto& item) {
    return is_missing(item.first, item.second) &&
           definer_of(item.first.gvk, definitions) != nullptr;
  });
}

base::Status DefinitionStage::revisit(const bundle::ReleaseInputs& inputs) {
  const bundle::Bundle& bundle = subject_.watch.bundle;
  const bool held = !subject_.state.held_definitions.empty();
  if (!bundle.has_crds || (!held && !misses_any())) {
    return {};
  }
  CW_TRY(const std::vector<helm::Crd> files, subject_.services.renderer.crds(bundle, inputs));
  CW_TRY(const std::vector<Definition> wanted, chosen_definitions(files, subject_.watch.crds));
  if (!held && !misses_instance_of(wanted)) {
    return {};
  }
  return install(wanted);
}

base::Result<Mapped> DefinitionStage::map_kind(const kube::Gvk& gvk,
                                               const std::vector<Definition>& coming) {
  kube::Client& client = subject_.services.client;
  auto mapping = client.mapping_for(gvk, subject_.call);
  if (mapping.ok()) {
    return Mapped{mapping->scope, release::Serving::kYes};
  }
  const Definition* definition = definer_of(gvk, coming);
  if (mapping.error().reason() != kube::kNoMatchReason || definition == nullptr) {
    return std::move(mapping).error();
  }
  CW_TRY_VOID(client.refresh_kinds(kDiscoveryAge, subject_.call));
  mapping = client.mapping_for(gvk, subject_.call);
  if (mapping.ok()) {
    return Mapped{mapping->scope, release::Serving::kYes};
  }
  return Mapped{definition->scope, release::Serving::kNotYet};
}

base::Status DefinitionStage::release_shared(Evidence evidence,
                                             const std::vector<release::Desired>& kept) {
  std::vector<kube::ObjectRef> dropped;
  for (const auto& item : subject_.state.inventory) {
    const bool stays = std::any_of(kept.begin(), kept.end(), [&item](const release::Desired& one) {
      return one.ref == item.first;
    });
    if (is_recorded_definition(item) && !stays) {
      dropped.push_back(item.first);
    }
  }
  for (const kube::ObjectRef& ref : dropped) {
    CW_TRY(const bool shared, came_from_crds(ref.name, evidence));
    if (shared) {
      release::Definitions definitions(subject_.services.client, subject_.call, source(),
                                       subject_.context.log, nullptr);
      CW_TRY_VOID(definitions.release(ref));
      parts_.inventory.erase(ref);
    }
  }
  return {};
}

bool DefinitionStage::is_in_chart(std::string_view name) const {
  const bundle::Bundle& bundle = subject_.watch.bundle;
  return bundle.has_crds && bring_definition(helm::crds_of(bundle.chart->chart()), name);
}

// The chart decides, unless its CRDs are skipped: then the same CRD may be a child as well, and the
// record of the revision in force decides. It also does where another version of the chart had the
// CRD.
base::Result<bool> DefinitionStage::came_from_crds(const std::string& name, Evidence evidence) {
  const bool in_chart = is_in_chart(name);
  if (in_chart && subject_.watch.crds != release::DefinitionPolicy::kSkip) {
    return true;
  }
  if ((!in_chart && evidence == Evidence::kChart) || subject_.progress.revision() == 0) {
    return false;
  }
  return record_has_crd(name);
}

// True where the record is lost: then the CRD is not deleted.
base::Result<bool> DefinitionStage::record_has_crd(const std::string& name) {
  CW_TRY(const release::Finding<release::Revision> finding,
         parts_.records.store().find(subject_.progress.revision()));
  if (!finding.found()) {
    return true;
  }
  const std::vector<std::string> names = names_of_crds_in(finding.thing().manifest);
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool DefinitionStage::is_shared(const Value& object) const {
  return release::is_definition(kube::gvk_of(object).group_kind()) &&
         subject_.watch.crds != release::DefinitionPolicy::kSkip &&
         is_in_chart(kube::name_of(object));
}

}  // namespace chartwright::op
