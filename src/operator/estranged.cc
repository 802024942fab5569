// SPDX-License-Identifier: Apache-2.0
#include "operator/estranged.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "kube/label_selector.h"
#include "resource/annotations.h"

namespace chartwright::op {
namespace {

// An operator that selects it begins at once.
constexpr base::Duration kGrace = std::chrono::seconds(10);

bool is_held(const value::Value& cr) {
  const std::vector<std::string> finalizers = kube::finalizers_of(cr);
  return kube::is_deleting(cr) && std::ranges::any_of(finalizers, is_uninstall_finalizer);
}

}  // namespace

Estranged::Estranged(const bundle::Watch& watch, const Services& services)
    : watch_(watch), services_(services) {}

base::Result<Estranged::Sight> Estranged::look(const kube::ObjectRef& key,
                                               const runtime::ReconcileContext& context) {
  const runtime::Stored seen = services_.caches.unselected(key);
  if (seen == nullptr || !is_held(*seen)) {
    return Sight();
  }
  if (const base::Duration left = time_left(key); left > base::Duration::zero()) {
    return Sight{.again = left};
  }
  auto live = services_.client.get(key, {.stop = context.stop});
  if (!live.ok() && live.error().code() != base::ErrorCode::kNotFound) {
    return std::move(live).error();
  }
  if (!live.ok() || !is_held(*live) || !is_ours(*live, context)) {
    return Sight();
  }
  return Sight{.cr = *std::move(live)};
}

void Estranged::forget(const kube::ObjectRef& key) {
  base::MutexLock lock(mutex_);
  since_.erase(key);
}

base::Duration Estranged::time_left(const kube::ObjectRef& key) {
  const base::MonotonicTime now = services_.clock.monotonic();
  base::MutexLock lock(mutex_);
  return since_.try_emplace(key, now).first->second + kGrace - now;
}

bool Estranged::is_ours(const value::Value& live, const runtime::ReconcileContext& context) const {
  const std::string_view last = live.string_at({"status", kSelectedBy});
  if (last.empty()) {
    context.log.warn(
        "A custom resource that is being deleted has the operator's finalizer, but not the labels "
        "that its selector asks for, and its status does not say which operator has looked after "
        "it",
        {{"selector", watch_.label_selector}});
  }
  const auto selector = kube::LabelSelector::parse(watch_.label_selector);
  return last == watch_.label_selector && selector.ok() && !selector->matches(live);
}

}  // namespace chartwright::op
