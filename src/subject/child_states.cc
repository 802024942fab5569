// SPDX-License-Identifier: Apache-2.0
#include "subject/child_states.h"

#include <string>
#include <utility>

#include "subject/causes.h"
#include "subject/verdicts.h"

namespace chartwright::op {
namespace {

using health::ReadyState;

// The cache may still have the child as it was before our last write, when it was ready.
ChildState child_state(const Subject& subject, const kube::ObjectRef& ref,
                       const release::InventoryEntry& entry) {
  const auto live = judged_live(subject, ref);
  if ((!live || live->deleting()) && is_over(entry, subject.services.clock.wall())) {
    return entry.ending->failed
               ? ChildState{ref, ReadyState::kFailed, "failed, and was removed after that"}
               : ChildState{ref, ReadyState::kReady, ""};
  }
  if (!live && entry.drift.stays()) {
    return {
        ref, ReadyState::kFailed,
        std::string(release::kDeletedByOthers) + ", and not created again by its policy for drift"};
  }
  const bool behind = release::is_behind(
      live ? std::string(live->resource_version()) : seen_version_of(subject, ref), entry);
  if (live && (!behind || live->deleting())) {
    return {ref, live->ready_state(), std::string(live->ready_message())};
  }
  if (behind && !subject.watch.bundle.rules.judge_children()) {
    return {ref, entry.written.state, entry.written.message};
  }
  return {ref, ReadyState::kProgressing, live ? "just written" : "not there yet"};
}

void explain(const Subject& subject, ChildState& child) {
  if (child.state != ReadyState::kProgressing && child.state != ReadyState::kFailed) {
    return;
  }
  if (auto cause = known_cause(subject, child.ref, child.message)) {
    child.cause = std::move(cause->code);
    child.message = std::move(cause->text);
  }
}

}  // namespace

std::vector<ChildState> child_states(const Subject& subject) {
  std::vector<ChildState> states;
  for (const auto& [ref, entry] : subject.state.inventory) {
    if (entry.role == release::Role::kChild) {
      ChildState state = child_state(subject, ref, entry);
      explain(subject, state);
      state.message = subject.overrides.texts().masked_cut(state.message);
      states.push_back(std::move(state));
    }
  }
  return states;
}

}  // namespace chartwright::op
