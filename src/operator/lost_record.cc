// SPDX-License-Identifier: Apache-2.0
#include "operator/lost_record.h"

#include <algorithm>
#include <set>
#include <utility>

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

base::Status LostRecord::repair(const Error& proof) {
  // Revisions are collected with their custom resource, often before its deletion is seen here.
  if (proof.code() == ErrorCode::kNotFound) {
    CW_TRY_VOID(parts_.live.confirm());
  }
  const bool has_same_inputs = parts_.history.has_inputs_in_force(parts_.inputs.digest);
  auto candidate = parts_.candidates.render();
  if (!candidate.ok()) {
    return has_same_inputs ? std::move(candidate).error() : proof;
  }
  if (has_same_inputs && !parts_.subject.progress.attempt()) {
    CW_TRY(const bool is_same, gives_same_objects(*candidate));
    if (is_same) {
      return record_anew(*std::move(candidate), proof);
    }
  }
  return repair_unchanged(candidate->objects, proof);
}

// Chance may have a part in notes or tests alone. An object with the digest of the one last applied
// is that object.
base::Result<bool> LostRecord::gives_same_objects(const Candidate& candidate) {
  if (candidate.repeatable) {
    return true;
  }
  CW_TRY(const auto desired, parts_.applier.possible_from(candidate.objects));
  std::set<kube::ObjectRef> same;
  const release::Inventory& inventory = parts_.subject.state.inventory;
  for (const release::Desired& one : desired) {
    const auto known = inventory.find(one.ref);
    if (known != inventory.end() &&
        release::is_same_as(one, known->second.desired, parts_.subject.owner)) {
      same.insert(one.ref);
    }
  }
  return desired.size() == candidate.objects.size() && same.size() == desired.size() &&
         std::ranges::all_of(inventory, [&same](const auto& item) {
           return item.second.role != release::Role::kChild || same.contains(item.first);
         });
}

// The same inputs have given the same manifest. Its hooks do not run again.
base::Status LostRecord::record_anew(Candidate candidate, const Error& proof) {
  parts_.subject.context.log.warn(
      "The record of the revision in force is lost: recorded anew",
      {{"revision", parts_.subject.progress.revision()},
       {"reason", parts_.subject.overrides.texts().masked(proof).message()}});
  parts_.key.clear();  // It was lost with the record.
  CW_TRY_VOID(parts_.digests.ensure_key());
  CW_TRY(candidate.digest,
         digest_of(parts_.subject.state.key, candidate.manifest, candidate.hooks));
  CW_TRY_VOID(parts_.applier.restore(candidate.objects));
  return parts_.history.record(candidate);
}

// The manifest cannot be had again: the chart gives something else at each render, or a rollback is
// in force. But what has the digest of the object last applied is that object.
base::Status LostRecord::repair_unchanged(const std::vector<Value>& objects, const Error& proof) {
  CW_TRY(auto desired, parts_.applier.possible_from(objects));
  std::erase_if(desired, [this](const release::Desired& one) {
    const auto known = parts_.subject.state.inventory.find(one.ref);
    return known == parts_.subject.state.inventory.end() ||
           !release::is_same_as(one, known->second.desired, parts_.subject.owner);
  });
  CW_TRY_VOID(parts_.applier.execute(desired, release::Role::kChild, Applier::Others::kKeep));
  if (parts_.applier.in_sync(Applier::Extent::kAll)) {
    return {};
  }
  return Error(proof).with_help(
      "Without this record, objects that another render would change are not repaired. Change the "
      "spec to render it anew.");
}

}  // namespace chartwright::op
