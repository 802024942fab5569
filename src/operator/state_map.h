// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>

#include "base/mutex.h"
#include "kube/object.h"
#include "operator/cr_state.h"
#include "value/value.h"

namespace chartwright::op {

/// What is remembered per custom resource between reconciles. The map is thread-safe; a state is
/// used by the one worker that has its key.
class StateMap {
 public:
  /// The state of `cr`, read from its status when it is new to us or was created anew.
  std::shared_ptr<CrState> get(const kube::ObjectRef& ref, const value::Value& cr)
      CW_EXCLUDES(mutex_);
  void forget(const kube::ObjectRef& ref) CW_EXCLUDES(mutex_);

 private:
  base::Mutex mutex_;
  std::unordered_map<kube::ObjectRef, std::shared_ptr<CrState>> states_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::op
