// SPDX-License-Identifier: Apache-2.0
#include "operator/history.h"

#include <algorithm>
#include <utility>

namespace chartwright::op {
namespace {

std::string_view event_of(const Candidate& candidate, bool is_first) {
  if (candidate.pin) {
    return "Rolled back release";
  }
  return is_first ? "Installed release" : "Upgraded release";
}

}  // namespace

bool History::is_in_force(const std::string& digest) const {
  const CrState& state = subject_.state;
  return !state.history.empty() && state.history.front().digest == digest &&
         state.history.front().revision == state.revision;
}

base::Status History::record(const Candidate& candidate) {
  CrState& state = subject_.state;
  if (is_in_force(candidate.digest) && !candidate.pin) {
    state.inputs = candidate.inputs;  // Other inputs, same objects.
    state.lookups = candidate.lookups;
    state.pin.reset();
    return {};
  }
  release::RevisionStore store = records_.store();
  CW_TRY(const int number, store.append(next_revision(candidate)));
  if (state.revision > 0) {
    CW_TRY_VOID(store.supersede(state.revision));
  }
  const std::string_view event = event_of(candidate, state.revision == 0);
  enter(number, candidate);
  set_in_force(number, candidate);
  subject_.context.log.info(event, {{"release", subject_.owner.name}, {"revision", number}});
  return trim(store);
}

release::Revision History::next_revision(const Candidate& candidate) const {
  const CrState& state = subject_.state;
  release::Revision revision;
  revision.number = state.revision + 1;
  for (const HistoryItem& item : state.history) {
    revision.number = std::max(revision.number, item.revision + 1);
  }
  revision.description = candidate.description;
  revision.manifest = candidate.manifest;
  revision.notes = candidate.notes;
  revision.config = candidate.config;
  revision.chart_metadata = candidate.chart_metadata;
  revision.key = state.key;
  revision.last_deployed = subject_.services.clock.wall();
  revision.first_deployed = revision.last_deployed;
  if (!state.history.empty()) {
    revision.first_deployed =
        base::parse_rfc3339(state.history.back().deployed_at).value_or(revision.last_deployed);
  }
  return revision;
}

void History::enter(int number, const Candidate& candidate) {
  CrState& state = subject_.state;
  for (HistoryItem& item : state.history) {
    if (item.status == release::to_string(release::RevisionStatus::kDeployed)) {
      item.status = release::to_string(release::RevisionStatus::kSuperseded);
    }
  }
  HistoryItem item;
  item.revision = number;
  item.status = release::to_string(release::RevisionStatus::kDeployed);
  item.description = candidate.description;
  item.chart = subject_.watch.bundle.chart_version();
  item.digest = candidate.digest;
  item.deployed_at = base::format_rfc3339(subject_.services.clock.wall());
  state.history.insert(state.history.begin(), std::move(item));
}

void History::set_in_force(int number, const Candidate& candidate) {
  CrState& state = subject_.state;
  state.revision = number;
  state.inputs = candidate.inputs;
  state.notes = candidate.notes;
  state.lookups = candidate.lookups;
  state.pin = candidate.pin;
  state.config = value::Packed();  // Those of the spec, unless a rollback is in force.
  if (state.pin) {
    state.config = value::Packed(candidate.config);
    state.pin->revision = number;
    state.handled_rollback = requested_rollback(subject_.cr).value_or("");
    state.rollback_refusal.clear();
  }
}

base::Status History::trim(release::RevisionStore& store) {
  std::vector<HistoryItem>& history = subject_.state.history;
  while (history.size() > static_cast<size_t>(subject_.services.history_max)) {
    CW_TRY_VOID(store.remove(history.back().revision));
    history.pop_back();
  }
  return {};
}

}  // namespace chartwright::op
