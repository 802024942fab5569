// SPDX-License-Identifier: Apache-2.0
#include "observe/followed_children.h"

#include <utility>

namespace chartwright::observe {

void FollowedChildren::set(const kube::ObjectRef& cr, std::set<kube::ObjectRef> children) {
  base::MutexLock lock(mutex_);
  if (const auto before = by_owner_.extract(cr)) {
    for (const kube::ObjectRef& child : before.mapped()) {
      all_.erase(child);
    }
  }
  all_.insert(children.begin(), children.end());
  if (!children.empty()) {
    by_owner_.emplace(cr, std::move(children));
  }
}

bool FollowedChildren::contains(const kube::ObjectRef& child) const {
  base::MutexLock lock(mutex_);
  return all_.contains(child);
}

}  // namespace chartwright::observe
