// SPDX-License-Identifier: Apache-2.0
#include "operator/upkeep.h"

#include <utility>

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

base::Status Upkeep::keep() {
  CW_TRY_VOID(parts_.definitions.revisit(parts_.inputs.release));
  if (parts_.applier.in_sync(Applier::Extent::kAll)) {
    return parts_.children.trouble();
  }
  return repair();
}

// Repairs to the stored manifest, not to a new render, which may differ: a chart may draw random
// numbers, and a rollback may be in force.
base::Status Upkeep::repair() {
  auto revision = parts_.records.load(parts_.subject.state.revision);
  if (!revision.ok()) {
    return repair_without_record(std::move(revision).error());
  }
  CW_TRY(const auto objects, parts_.records.parse(revision->manifest));
  return repair_to(objects);
}

// A kind may have gone since the kinds were last asked for: its objects must not hold up the
// others.
base::Status Upkeep::repair_to(const std::vector<Value>& objects) {
  base::Status applied = apply_possible(objects);
  if (applied.ok() || applied.error().code() != ErrorCode::kNotFound ||
      applied.error().reason() == kube::kNoMatchReason || parts_.wait.waiting()) {
    return applied;
  }
  CW_TRY(const bool lost, parts_.children.lost_kind());
  return lost ? apply_possible(objects) : applied;
}

// Objects that cannot be brought about do not hold up the others, and are the error in the end.
base::Status Upkeep::apply_possible(const std::vector<Value>& objects) {
  CW_TRY(const auto desired, parts_.applier.possible_from(objects));
  CW_TRY_VOID(parts_.applier.announce(desired));
  return parts_.applier.execute(desired, release::Role::kChild);
}

// The same inputs give the same manifest, if the chart is repeatable. It is recorded anew, and its
// hooks do not run again.
base::Status Upkeep::repair_without_record(const Error& error) {
  // Revisions are collected with their custom resource, often before its deletion is seen here.
  if (error.code() == ErrorCode::kNotFound) {
    CW_TRY_VOID(parts_.live.confirm());
  }
  if (!is_lost(error.code()) || !parts_.history.has_inputs_in_force(parts_.inputs.digest)) {
    return error;
  }
  CW_TRY(Candidate candidate, parts_.candidates.render());
  if (!candidate.repeatable) {
    return Error(error).with_help(
        "The chart gives something else at each render. Change the spec to render it anew.");
  }
  parts_.subject.context.log.warn("The record of the revision in force is lost: recorded anew",
                                  {{"revision", parts_.subject.state.revision}});
  parts_.subject.state.key.clear();  // It was lost with the record.
  CW_TRY_VOID(parts_.digests.ensure_key());
  CW_TRY(candidate.digest,
         digest_of(parts_.subject.state.key, candidate.manifest, candidate.hooks));
  CW_TRY_VOID(repair_to(candidate.objects));
  return parts_.history.record(candidate);
}

}  // namespace chartwright::op
