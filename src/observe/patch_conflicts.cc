// SPDX-License-Identifier: Apache-2.0
#include "observe/patch_conflicts.h"

#include <utility>

namespace chartwright::observe {

void PatchConflicts::set(const kube::ObjectRef& cr, const std::vector<PatchConflict>& conflicts) {
  std::map<kube::ObjectRef, Fields> wanted;
  for (const PatchConflict& one : conflicts) {
    wanted[one.holder].push_back(one.field);
  }
  std::vector<kube::ObjectRef> concerned;
  {
    base::MutexLock lock(mutex_);
    for (auto it = by_holder_.begin(); it != by_holder_.end();) {
      auto& [holder, by_cr] = *it;
      if (!wanted.contains(holder) && by_cr.erase(cr) > 0) {
        concerned.push_back(holder);
      }
      it = by_cr.empty() ? by_holder_.erase(it) : std::next(it);
    }
    for (auto& [holder, fields] : wanted) {
      Fields& known = by_holder_[holder][cr];
      if (known != fields) {
        known = std::move(fields);
        concerned.push_back(holder);
      }
    }
  }
  for (const kube::ObjectRef& holder : concerned) {
    trigger_(holder, Urgency::kSoon);
  }
}

std::vector<std::string> PatchConflicts::about(const kube::ObjectRef& holder) const {
  std::vector<std::string> texts;
  base::MutexLock lock(mutex_);
  const auto found = by_holder_.find(holder);
  if (found == by_holder_.end()) {
    return texts;
  }
  for (const auto& [cr, fields] : found->second) {
    for (const std::string& field : fields) {
      texts.push_back(cr.to_string() + " wants another value of " + field);
    }
  }
  return texts;
}

}  // namespace chartwright::observe
