// SPDX-License-Identifier: Apache-2.0
// Deletion: what garbage collection cannot reach is removed by us, under a finalizer that is there
// only if something needs it.
#include <algorithm>
#include <utility>

#include "operator/annotations.h"
#include "operator/failure.h"
#include "operator/reconcile.h"

namespace chartwright::op {
namespace {

using value::Value;

bool is_ours(const std::string& finalizer) {
  return finalizer == kUninstallFinalizer || finalizer == kLegacyUninstallFinalizer;
}

bool waits_for_children(const Value& cr) {
  return kube::annotation_of(cr, kUninstallWait) == "true";
}

// Ours, and not to be followed by garbage collection from the custom resource.
bool needs_uninstall(const release::Owner& owner, const release::Desired& desired) {
  return kube::owner_references_of(desired.body).empty() &&
         !release::has_keep_policy(desired.body) && !owner.uid.empty();
}

}  // namespace

base::Status Reconcile::ensure_finalizer(const std::vector<release::Desired>& desired) {
  const bool needed = waits_for_children(cr_) || std::any_of(desired.begin(), desired.end(),
                                                             [this](const release::Desired& one) {
                                                               return needs_uninstall(owner_, one);
                                                             });
  std::vector<std::string> finalizers = kube::finalizers_of(cr_);
  if (!needed || std::any_of(finalizers.begin(), finalizers.end(), is_ours)) {
    return {};
  }
  finalizers.emplace_back(kUninstallFinalizer);
  return write_finalizers(finalizers);
}

base::Status Reconcile::write_finalizers(const std::vector<std::string>& finalizers) {
  std::vector<Value> items;
  for (const std::string& finalizer : finalizers) {
    items.push_back(Value::string(finalizer));
  }
  // The whole list is replaced, so only over the version it was read from.
  Value metadata = Value::dict({{"finalizers", Value::list(std::move(items))},
                                {"resourceVersion", Value::string(kube::resource_version_of(cr_))},
                                {"uid", Value::string(owner_.uid)}});
  kube::WriteOptions options;
  options.field_manager = release::kFieldManager;
  auto patched = services_.client.patch(
      owner_.ref(), {kube::PatchType::kMerge, Value::dict({{"metadata", metadata}})}, options,
      call_);
  if (!patched.ok()) {
    return std::move(patched).error().wrap("write finalizers");
  }
  return {};
}

// Deletes what is ours and still there. True once nothing of it is left.
base::Result<bool> Reconcile::delete_children() {
  CW_TRY_VOID(release_definitions(Evidence::kChartAndRecord, {}));
  CW_TRY_VOID(services_.caches.watch_children(recorded_kinds(), context_.stop));
  bool all_gone = true;
  for (const auto& [ref, entry] : state_.inventory) {
    const auto live = services_.caches.live(ref);
    if (entry.role != release::Role::kChild || !live || live->keep_policy() ||
        live->claim(owner_) != release::Claim::kOurs) {
      continue;
    }
    all_gone = false;
    if (live->deleting()) {
      continue;
    }
    kube::DeleteOptions options;
    options.uid = live->uid();
    auto removed = services_.client.remove(ref, options, call_);
    if (!removed.ok() && removed.error().code() != base::ErrorCode::kNotFound &&
        removed.error().code() != base::ErrorCode::kConflict) {
      return std::move(removed).error();
    }
  }
  return all_gone;
}

runtime::Outcome Reconcile::remove() {
  std::vector<std::string> finalizers = kube::finalizers_of(cr_);
  if (std::none_of(finalizers.begin(), finalizers.end(), is_ours)) {
    return runtime::Done{};  // Garbage collection does the rest; nothing may be created any more.
  }
  phase_ = Phase::kUninstall;
  auto gone = delete_children();
  if (!gone.ok()) {
    const Failure failure{phase_, gone.error(), ""};
    auto written = write_status(classify(failure.error.code()).progress, Value(), failure);
    static_cast<void>(written.ok());  // The deletion's own error is what is retried and logged.
    return runtime::Failed{failure.error, runtime::Retry::kBackoff};
  }
  if (!*gone && waits_for_children(cr_)) {
    return runtime::Done{};  // Each child's deletion is an event that brings us back.
  }
  std::erase_if(finalizers, is_ours);
  auto written = write_finalizers(finalizers);
  if (!written.ok()) {
    return runtime::Failed{std::move(written).error(), runtime::Retry::kBackoff};
  }
  context_.log.info("Uninstalled release", {{"release", owner_.name}});
  return runtime::Done{};
}

}  // namespace chartwright::op
