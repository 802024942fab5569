// SPDX-License-Identifier: Apache-2.0
#include "observe/child_watches.h"

#include <algorithm>
#include <iterator>

namespace chartwright::observe {

bool looks_at(std::string_view watched_ns, const kube::ObjectRef& ref) {
  return watched_ns.empty() || ref.ns.empty() || watched_ns == ref.ns;
}

ChildWatches::ChildWatches(runtime::InformerSet& informers, ChildSelection selection,
                           runtime::ChangeListener on_change)
    : informers_(informers), selection_(std::move(selection)), on_change_(std::move(on_change)) {}

runtime::InformerKey ChildWatches::key_of(const kube::Gvk& gvk, const std::string& ns) const {
  return {gvk, {ns, selection_.label_selector, ""}, "children"};
}

ChildWatches::Watch ChildWatches::open(const kube::Gvk& gvk,
                                       std::vector<InformerPtr>& opened) const {
  Watch watch;
  for (const std::string& ns : selection_.namespaces) {
    opened.push_back(informers_.get(key_of(gvk, ns), selection_.transform));
    watch.informers.emplace_back(ns, opened.back());
  }
  return watch;
}

std::vector<ChildWatches::InformerPtr> ChildWatches::follow(const kube::ObjectRef& cr,
                                                            const std::vector<kube::Gvk>& kinds) {
  std::vector<InformerPtr> followed;
  std::vector<InformerPtr> opened;
  {
    base::MutexLock lock(mutex_);
    for (const kube::Gvk& gvk : kinds) {
      ByVersion& versions = watches_[gvk.group_kind()];
      auto watch = versions.find(gvk.version);
      if (watch == versions.end()) {
        watch = versions.emplace(gvk.version, open(gvk, opened)).first;
      }
      watch->second.users.insert(cr);
      by_user_[cr].insert(gvk);
      for (const auto& [ns, informer] : watch->second.informers) {
        followed.push_back(informer);
      }
    }
  }
  // Without the lock: what the stores have already is reported at once, on this thread.
  for (const InformerPtr& informer : opened) {
    informer->store().add_listener(on_change_);
  }
  return followed;
}

void ChildWatches::keep(const kube::ObjectRef& cr, const std::set<kube::Gvk>& kinds) {
  std::vector<Watch> unused;  // Ended without the lock: that waits for their threads.
  base::MutexLock lock(mutex_);
  const auto mine = by_user_.find(cr);
  if (mine == by_user_.end()) {
    return;
  }
  std::erase_if(mine->second, [&](const kube::Gvk& gvk) CW_REQUIRES(mutex_) {
    if (kinds.contains(gvk)) {
      return false;
    }
    const auto versions = watches_.find(gvk.group_kind());
    const auto watch = versions->second.find(gvk.version);
    watch->second.users.erase(cr);
    if (watch->second.users.empty()) {
      for (const auto& [ns, informer] : watch->second.informers) {
        informers_.end(key_of(gvk, ns));
      }
      unused.push_back(std::move(watch->second));
      versions->second.erase(watch);
    }
    if (versions->second.empty()) {
      watches_.erase(versions);
    }
    return true;
  });
  if (mine->second.empty()) {
    by_user_.erase(mine);
  }
}

std::vector<ChildWatches::InformerPtr> ChildWatches::looking_at(
    const kube::ObjectRef& child) const {
  std::vector<InformerPtr> found;
  const auto add = [&found, &child](const Watch& watch) {
    for (const auto& [ns, informer] : watch.informers) {
      if (looks_at(ns, child)) {
        found.push_back(informer);
      }
    }
  };
  base::MutexLock lock(mutex_);
  const auto versions = watches_.find(child.group_kind());
  if (versions == watches_.end()) {
    return found;
  }
  if (const auto exact = versions->second.find(child.gvk.version);
      exact != versions->second.end()) {
    add(exact->second);
    return found;
  }
  for (const auto& [version, watch] : versions->second) {
    add(watch);
  }
  return found;
}

std::vector<runtime::Stored> ChildWatches::owned(std::string_view owner_uid) const {
  std::vector<runtime::Stored> all;
  base::MutexLock lock(mutex_);
  for (const auto& [kind, versions] : watches_) {
    for (const auto& [version, watch] : versions) {
      for (const auto& [ns, informer] : watch.informers) {
        std::ranges::move(informer->store().by_owner(owner_uid), std::back_inserter(all));
      }
    }
  }
  return all;
}

}  // namespace chartwright::observe
