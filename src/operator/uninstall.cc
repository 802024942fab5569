// SPDX-License-Identifier: Apache-2.0
#include "operator/uninstall.h"

#include <algorithm>
#include <utility>

#include "operator/failure.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;

bool is_ours(const std::string& finalizer) {
  return finalizer == kUninstallFinalizer || finalizer == kLegacyUninstallFinalizer;
}

// Reports whether garbage collection does not follow from the custom resource to a child that is to
// go.
bool needs_uninstall(const release::Owner& owner, const release::Desired& desired) {
  return kube::owner_references_of(desired.body).empty() &&
         !release::has_keep_policy(desired.body) && !owner.uid.empty();
}

}  // namespace

base::Status Uninstall::ensure_finalizer(const std::vector<release::Desired>& desired) {
  const release::Owner& owner = subject_.owner;
  const bool needed =
      is_requested(subject_.cr, kUninstallWait) ||
      std::any_of(desired.begin(), desired.end(),
                  [&owner](const release::Desired& one) { return needs_uninstall(owner, one); });
  if (!needed) {
    return {};
  }
  return hold();
}

bool Uninstall::holds() const {
  const std::vector<std::string> finalizers = kube::finalizers_of(subject_.cr);
  return held_ || std::any_of(finalizers.begin(), finalizers.end(), is_ours);
}

base::Status Uninstall::hold() {
  if (holds()) {
    return {};
  }
  std::vector<std::string> finalizers = kube::finalizers_of(subject_.cr);
  finalizers.emplace_back(kUninstallFinalizer);
  CW_TRY_VOID(live_.write_finalizers(finalizers));
  held_ = true;
  return {};
}

// True once nothing of ours is left.
base::Result<bool> Uninstall::delete_children() {
  CW_TRY_VOID(definitions_.release_shared(Evidence::kChartAndRecord, {}));
  observe::Caches& caches = subject_.services.caches;
  CW_TRY_VOID(caches.watch_children(definitions_.recorded_kinds(), subject_.context.stop));
  bool all_gone = true;
  for (const auto& [ref, entry] : subject_.state.inventory) {
    const auto live = caches.live(ref);
    if (entry.role != release::Role::kChild || !live || live->keep_policy() ||
        live->claim(subject_.owner) != release::Claim::kOurs) {
      continue;
    }
    all_gone = false;
    if (!live->deleting()) {
      CW_TRY_VOID(delete_child(ref, *live));
    }
  }
  return all_gone;
}

// One that is gone, or another by now, needs no deletion.
base::Status Uninstall::delete_child(const kube::ObjectRef& ref, const release::Observed& live) {
  kube::DeleteOptions options;
  options.uid = live.uid();
  options.propagation = live.propagation();
  auto removed = subject_.services.client.remove(ref, options, subject_.call);
  if (!removed.ok() && removed.error().code() != ErrorCode::kNotFound &&
      removed.error().code() != ErrorCode::kConflict) {
    return std::move(removed).error();
  }
  return {};
}

runtime::Outcome Uninstall::run() {
  if (!holds()) {
    return runtime::Done{};  // Garbage collection does the rest.
  }
  auto gone = delete_children();
  if (!gone.ok()) {
    return report(gone.error());
  }
  if (!*gone && is_requested(subject_.cr, kUninstallWait)) {
    return runtime::Done{};  // The deletion of each child is an event that leads here again.
  }
  std::vector<std::string> finalizers = kube::finalizers_of(subject_.cr);
  std::erase_if(finalizers, is_ours);
  auto written = live_.write_finalizers(finalizers);
  if (!written.ok()) {
    return runtime::Failed{std::move(written).error(), runtime::Retry::kBackoff};
  }
  subject_.context.log.info("Uninstalled release", {{"release", subject_.owner.name}});
  return runtime::Done{};
}

runtime::Outcome Uninstall::report(const base::Error& error) {
  auto written = live_.write_status({.progress = classify(error.code()).progress,
                                     .failure = Failure{Phase::kUninstall, error, ""}});
  static_cast<void>(written.ok());  // The error of the deletion is the one to retry and to log.
  // A deletion has no other inputs to wait for.
  return runtime::Failed{error, runtime::Retry::kBackoff, classify(error.code()).at_most};
}

}  // namespace chartwright::op
