// SPDX-License-Identifier: Apache-2.0
#include "observe/endings.h"

#include <utility>

namespace chartwright::observe {

void Endings::note(const kube::ObjectRef& cr, const kube::ObjectRef& child, runtime::Stored last) {
  base::MutexLock lock(mutex_);
  auto& children = by_owner_[cr];
  if (children.size() < kEndedMax || children.contains(child)) {
    children.insert_or_assign(child, std::move(last));
  }
}

std::map<kube::ObjectRef, runtime::Stored> Endings::take(const kube::ObjectRef& cr) {
  base::MutexLock lock(mutex_);
  auto taken = by_owner_.extract(cr);
  return taken.empty() ? std::map<kube::ObjectRef, runtime::Stored>() : std::move(taken.mapped());
}

}  // namespace chartwright::observe
