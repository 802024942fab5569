// SPDX-License-Identifier: Apache-2.0
#include "observe/triggers.h"

#include "kube/object.h"
#include "value/compare.h"

namespace chartwright::observe {
namespace {

bool same(const value::Value* a, const value::Value* b) {
  return a == nullptr || b == nullptr ? a == b : value::json_equal(*a, *b);
}

bool same_metadata(const value::Value& a, const value::Value& b, std::string_view key) {
  return same(a.find_path({"metadata", key}), b.find_path({"metadata", key}));
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
         !same_metadata(before, after, "finalizers");
}

}  // namespace chartwright::observe
