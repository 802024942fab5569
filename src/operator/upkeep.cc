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
  LaterRecord& later = parts_.subject.state.later_record;
  if (later == LaterRecord::kPossible && parts_.applier.in_sync(Applier::Extent::kDigested)) {
    later = LaterRecord::kNone;  // It would have changed something.
  }
  CW_TRY_VOID(repair_to(objects));
  parts_.subject.state.unrecorded = false;
  return parts_.history.confirm(*std::move(revision));
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

base::Status Upkeep::repair_without_record(const Error& error) {
  // Revisions are collected with their custom resource, often before its deletion is seen here.
  if (error.code() == ErrorCode::kNotFound) {
    CW_TRY_VOID(parts_.live.confirm());
  }
  if (!is_lost(error.code())) {
    return error;
  }
  const bool has_same_inputs = parts_.history.has_inputs_in_force(parts_.inputs.digest);
  auto candidate = parts_.candidates.render();
  if (!candidate.ok()) {
    return has_same_inputs ? std::move(candidate).error() : error;
  }
  if (has_same_inputs && candidate->repeatable && !parts_.subject.state.attempt) {
    return record_anew(*std::move(candidate), error);
  }
  return repair_unchanged(candidate->objects, error);
}

// The same inputs have given the same manifest. Its hooks do not run again.
base::Status Upkeep::record_anew(Candidate candidate, const Error& error) {
  parts_.subject.context.log.warn(
      "The record of the revision in force is lost: recorded anew",
      {{"revision", parts_.subject.state.revision}, {"reason", error.message()}});
  parts_.subject.state.key.clear();  // It was lost with the record.
  CW_TRY_VOID(parts_.digests.ensure_key());
  CW_TRY(candidate.digest,
         digest_of(parts_.subject.state.key, candidate.manifest, candidate.hooks));
  CW_TRY_VOID(repair_to(candidate.objects));
  return parts_.history.record(candidate);
}

// The manifest cannot be had again: the chart gives something else at each render, or a rollback is
// in force. But what has the digest of the object last applied is that object.
base::Status Upkeep::repair_unchanged(const std::vector<Value>& objects, const Error& error) {
  CW_TRY(auto desired, parts_.applier.possible_from(objects));
  std::erase_if(desired, [this](const release::Desired& one) {
    const auto known = parts_.subject.state.inventory.find(one.ref);
    return known == parts_.subject.state.inventory.end() || known->second.desired != one.digest;
  });
  CW_TRY_VOID(parts_.applier.execute(desired, release::Role::kChild, Applier::Others::kKeep));
  if (parts_.applier.in_sync(Applier::Extent::kAll)) {
    return {};
  }
  return Error(error).with_help(
      "Without this record, objects that another render would change are not repaired. Change the "
      "spec to render it anew.");
}

}  // namespace chartwright::op
