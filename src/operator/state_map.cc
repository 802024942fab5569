// SPDX-License-Identifier: Apache-2.0
#include "operator/state_map.h"

namespace chartwright::op {

std::shared_ptr<CrState> StateMap::get(const kube::ObjectRef& ref, const value::Value& cr) {
  base::MutexLock lock(mutex_);
  std::shared_ptr<CrState>& state = states_[ref];
  if (state == nullptr || state->uid != kube::uid_of(cr)) {
    state = std::make_shared<CrState>(state_from_status(cr));
  }
  return state;
}

void StateMap::forget(const kube::ObjectRef& ref) {
  base::MutexLock lock(mutex_);
  states_.erase(ref);
}

}  // namespace chartwright::op
