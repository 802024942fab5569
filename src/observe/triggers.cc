// SPDX-License-Identifier: Apache-2.0
#include "observe/triggers.h"

#include "kube/object.h"
#include "value/compare.h"
#include "value/packed.h"

namespace chartwright::observe {
namespace {

bool same(const value::Value* a, const value::Value* b) {
  return a == nullptr || b == nullptr ? a == b : value::json_equal(*a, *b);
}

bool same_metadata(const value::Value& a, const value::Value& b, std::string_view key) {
  return same(a.find_path({"metadata", key}), b.find_path({"metadata", key}));
}

bool has_revision(const value::Value& cr) {
  const value::Value* status = cr.find("status");
  if (status != nullptr && status->is_bytes()) {
    return value::Packed::unpack_bytes(*status).find("revision") != nullptr;
  }
  return status != nullptr && status->find("revision") != nullptr;
}

bool lost_revision(const value::Value& before, const value::Value& after) {
  return !same(before.find("status"), after.find("status")) && has_revision(before) &&
         !has_revision(after);
}

}  // namespace

bool concerns_reconcile(const runtime::Change& change) {
  if (!change.before || !change.after) {
    return true;
  }
  const value::Value& before = *change.before;
  const value::Value& after = *change.after;
  // Without the status subresource there is no generation: compare the specs.
  const bool same_spec = kube::generation_of(after) != 0
                             ? kube::generation_of(before) == kube::generation_of(after)
                             : same(before.find("spec"), after.find("spec"));
  return !same_spec || kube::uid_of(before) != kube::uid_of(after) ||
         kube::deletion_timestamp_of(before) != kube::deletion_timestamp_of(after) ||
         !same_metadata(before, after, "annotations") || !same_metadata(before, after, "labels") ||
         !same_metadata(before, after, "finalizers") || lost_revision(before, after);
}

}  // namespace chartwright::observe
