// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>

#include "base/mutex.h"
#include "kube/object.h"

namespace chartwright::observe {

/// The children of which every change concerns their custom resource: others have changed fields of
/// them, and nobody sets these back. Thread-safe.
class FollowedChildren {
 public:
  /// Replaces the children of a custom resource.
  void set(const kube::ObjectRef& cr, std::set<kube::ObjectRef> children) CW_EXCLUDES(mutex_);
  void forget(const kube::ObjectRef& cr) { set(cr, {}); }
  bool contains(const kube::ObjectRef& child) const CW_EXCLUDES(mutex_);

 private:
  mutable base::Mutex mutex_;
  std::map<kube::ObjectRef, std::set<kube::ObjectRef>> by_owner_ CW_GUARDED_BY(mutex_);
  std::set<kube::ObjectRef> all_ CW_GUARDED_BY(mutex_);  ///< A child has one owner.
};

}  // namespace chartwright::observe
