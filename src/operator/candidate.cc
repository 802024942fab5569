// SPDX-License-Identifier: Apache-2.0
// Candidates: how they come to be, from a render or an earlier revision, and become the one in
// force.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "operator/annotations.h"
#include "operator/reconcile.h"
#include "release/keyed_digest.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// Chart.yaml as Helm's release records hold it.
Value chart_metadata(const bundle::Bundle& bundle) {
  return helm::make_chart_value(bundle.chart->chart().metadata, helm::ChartRole::kRoot,
                                helm::ChartRule::kStruct)
      .as_native()
      .to_json_value()
      .value_or(Value::dict());
}

}  // namespace

// Whoever may write Secrets in the namespace can rewrite a record; what we apply with our own
// permissions must be what we rendered.
base::Result<release::Revision> Reconcile::load(int number) {
  const auto item = std::find_if(state_.history.begin(), state_.history.end(),
                                 [number](const HistoryItem& h) { return h.revision == number; });
  if (item == state_.history.end() || !item->digest.starts_with(release::kKeyedPrefix)) {
    return Error(ErrorCode::kOwnership, "status.history has no digest of revision " +
                                            std::to_string(number) +
                                            " to tell whether its record was changed");
  }
  release::RevisionStore store = records();
  CW_TRY(release::Revision revision, store.load(number));
  CW_TRY(const std::string digest, release::keyed_digest(revision.key, revision.manifest));
  if (revision.key.empty() || item->digest != digest) {
    return Error(ErrorCode::kOwnership, "the record of revision " + std::to_string(number) +
                                            " was changed: its manifest is not the one that "
                                            "status.history has the digest of");
  }
  // CRDs of crds/ stood in our records once. They are no children, and are not replayed.
  revision.manifest = helm::without_crds(std::move(revision.manifest));
  return revision;
}

base::Result<Candidate> Reconcile::render() {
  host::ClusterLookup lookup(services_.client, call_);
  const bool reads_cluster = watch_.dry_run == bundle::DryRunMode::kServer;
  auto rendering = in_turn(host::Material::kChart, [this, &lookup, reads_cluster] {
    return services_.renderer.render(watch_.bundle, inputs_, reads_cluster ? &lookup : nullptr);
  });
  secrets_ = lookup.secrets();
  CW_TRY(RenderedRelease rendered, std::move(rendering));
  state_.skipped_hooks = std::move(rendered.skipped_hooks);
  if (!state_.skipped_hooks.empty()) {
    context_.log.warn("Chart hooks are not run", {{"hooks", state_.skipped_hooks}});
  }
  Candidate candidate;
  CW_TRY(candidate.definitions, chosen_definitions(rendered.crds));
  candidate.manifest = std::move(rendered.manifest);
  candidate.objects = std::move(rendered.objects);
  candidate.notes = secrets_.masked(rendered.notes);
  candidate.config = inputs_.config;
  candidate.chart_metadata = chart_metadata(watch_.bundle);
  candidate.description = state_.revision == 0 ? "Install complete" : "Upgrade complete";
  candidate.inputs = inputs_digest_;
  if (reads_cluster) {
    candidate.lookups = lookup.lookups();
    CW_TRY(candidate.inputs,
           digest_of(host::with_lookups(spec_key_, host::seen_versions(lookup.lookups()))));
  }
  return candidate;
}

base::Result<int> Reconcile::rollback_target(std::string_view request) const {
  if (request == "previous") {
    for (const HistoryItem& item : state_.history) {
      if (item.revision < state_.revision && item.status != "failed") {
        return item.revision;
      }
    }
    return Error(ErrorCode::kInvalidArgument, "cannot roll back: there is no revision before " +
                                                  std::to_string(state_.revision));
  }
  const auto number = base::parse_int(request);
  if (!number || *number < 1) {
    return Error(ErrorCode::kInvalidArgument,
                 std::string(kRollbackTo) + ": \"" + std::string(request) +
                     "\" is neither a revision number nor \"previous\"");
  }
  const bool known =
      std::any_of(state_.history.begin(), state_.history.end(),
                  [&number](const HistoryItem& item) { return item.revision == *number; });
  if (!known) {
    return Error(
        ErrorCode::kInvalidArgument,
        "cannot roll back: revision " + std::to_string(*number) + " is not in status.history");
  }
  return static_cast<int>(*number);
}

base::Result<Candidate> Reconcile::replay(std::string_view request) {
  CW_TRY(const int target, rollback_target(request));
  CW_TRY(release::Revision revision, load(target));
  Candidate candidate;
  CW_TRY(candidate.objects, parse(revision.manifest));
  candidate.manifest = std::move(revision.manifest);
  candidate.notes = std::move(revision.notes);
  candidate.config = std::move(revision.config);
  candidate.chart_metadata = std::move(revision.chart_metadata);
  candidate.description = "Rollback to " + std::to_string(target);
  candidate.inputs = inputs_digest_;
  candidate.pin = Pin{0, spec_digest_};
  return candidate;
}

base::Status Reconcile::record(const Candidate& candidate) {
  if (is_in_force(candidate.digest) && !candidate.pin) {
    // Other inputs, same objects: the revision in force says it all.
    state_.inputs = candidate.inputs;
    state_.lookups = candidate.lookups;
    state_.pin.reset();
    return {};
  }
  release::RevisionStore store = records();
  CW_TRY(const int number, store.append(next_revision(candidate)));
  if (state_.revision > 0) {
    CW_TRY_VOID(store.supersede(state_.revision));
  }
  std::string_view event = state_.revision == 0 ? "Installed release" : "Upgraded release";
  if (candidate.pin) {
    event = "Rolled back release";
  }
  enter_history(number, candidate);
  context_.log.info(event, {{"release", owner_.name}, {"revision", number}});
  return trim_history(store);
}

release::Revision Reconcile::next_revision(const Candidate& candidate) const {
  release::Revision revision;
  revision.number = state_.revision + 1;
  for (const HistoryItem& item : state_.history) {
    revision.number = std::max(revision.number, item.revision + 1);
  }
  revision.description = candidate.description;
  revision.manifest = candidate.manifest;
  revision.notes = candidate.notes;
  revision.config = candidate.config;
  revision.chart_metadata = candidate.chart_metadata;
  revision.key = state_.key;
  revision.last_deployed = services_.clock.wall();
  revision.first_deployed =
      state_.history.empty()
          ? revision.last_deployed
          : base::parse_rfc3339(state_.history.back().deployed_at).value_or(revision.last_deployed);
  return revision;
}

void Reconcile::enter_history(int number, const Candidate& candidate) {
  for (HistoryItem& item : state_.history) {
    if (item.status == release::to_string(release::RevisionStatus::kDeployed)) {
      item.status = release::to_string(release::RevisionStatus::kSuperseded);
    }
  }
  HistoryItem item;
  item.revision = number;
  item.status = release::to_string(release::RevisionStatus::kDeployed);
  item.description = candidate.description;
  item.chart = watch_.bundle.chart_version();
  item.digest = candidate.digest;
  item.deployed_at = base::format_rfc3339(services_.clock.wall());
  state_.history.insert(state_.history.begin(), std::move(item));
  state_.revision = number;
  state_.inputs = candidate.inputs;
  // Without a rollback in force they are what the spec gives.
  state_.config = candidate.pin ? value::Packed(candidate.config) : value::Packed();
  state_.notes = candidate.notes;
  state_.lookups = candidate.lookups;
  state_.pin = candidate.pin;
  if (state_.pin) {
    state_.pin->revision = number;
    state_.handled_rollback = requested_rollback().value_or("");
    state_.rollback_refusal.clear();
  }
}

base::Status Reconcile::trim_history(release::RevisionStore& store) {
  while (state_.history.size() > static_cast<size_t>(services_.history_max)) {
    CW_TRY_VOID(store.remove(state_.history.back().revision));
    state_.history.pop_back();
  }
  return {};
}

}  // namespace chartwright::op
