// SPDX-License-Identifier: Apache-2.0
#include "operator/triggers.h"

#include "kube/object.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

bool same_member(const value::Value& a, const value::Value& b, std::string_view key) {
  const value::Value* x = a.find_path({"metadata", key});
  const value::Value* y = b.find_path({"metadata", key});
  if (x == nullptr || y == nullptr) {
    return x == y;
  }
  return value::json_equal(*x, *y);
}

}  // namespace

bool concerns_reconcile(const runtime::Change& change) {
  if (!change.before || !change.after) {
    return true;
  }
  const value::Value& before = *change.before;
  const value::Value& after = *change.after;
  // Without a generation (no status subresource) the spec itself tells.
  const bool same_spec = kube::generation_of(after) != 0
                             ? kube::generation_of(before) == kube::generation_of(after)
                             : before.find("spec") != nullptr && after.find("spec") != nullptr &&
                                   value::json_equal(*before.find("spec"), *after.find("spec"));
  return !same_spec || kube::uid_of(before) != kube::uid_of(after) ||
         kube::deletion_timestamp_of(before) != kube::deletion_timestamp_of(after) ||
         !same_member(before, after, "annotations") || !same_member(before, after, "finalizers");
}

}  // namespace chartwright::op
