// SPDX-License-Identifier: Apache-2.0
#include "history/trial.h"

#include <algorithm>
#include <utility>

#include "history/candidates.h"
#include "resource/failure_policy.h"
#include "revision/keyed_digest.h"
#include "subject/render_queue.h"

namespace chartwright::op {
namespace {

using base::Error;

bool lacks_ids(const bundle::Watch& watch, const external::Records& records) {
  return std::ranges::any_of(watch.bundle.externals, [&records](const external::External& one) {
    const auto record = records.find(one.name);
    return record == records.end() || record->second.id.empty();
  });
}

// With a key of its own and no history, the trial has no use for records.
base::Result<CrState> state_for(const value::Value& cr) {
  CrState state = state_from_status(cr);
  state.history.clear();
  CW_TRY(state.key, release::make_key());
  return state;
}

base::Result<Trial> trial_of(Error error) {
  if (classify(error.code()).retry == runtime::Retry::kNever) {
    return error;
  }
  return Trial::kUnknown;
}

}  // namespace

base::Result<Trial> try_chart(const bundle::Watch& watch, const Services& services,
                              const runtime::ReconcileContext& context, const value::Value& cr) {
  if (kube::is_deleting(cr)) {
    return Trial::kUnneeded;
  }
  auto known = state_for(cr);
  if (!known.ok() || lacks_ids(watch, known->externals)) {
    return Trial::kUnknown;  // The chart may need the ids.
  }
  CrState state = *std::move(known);
  const Subject subject(watch, services, context, cr, state);
  Inputs inputs;
  RenderQueue renders(subject, inputs);
  Records records(subject, renders);
  InputDigests digests(subject, renders, records, inputs, state.key);
  if (base::Status prepared = digests.prepare(); !prepared.ok()) {
    return trial_of(std::move(prepared).error());
  }
  if (inputs.digest == state.progress.inputs()) {
    return Trial::kUnneeded;
  }
  Candidates candidates(subject, digests, renders, records, state.skipped_hooks);
  const auto rendered = candidates.render();
  if (!rendered.ok()) {
    return trial_of(candidates.secrets().masked(rendered.error()));
  }
  return Trial::kRenders;
}

}  // namespace chartwright::op
