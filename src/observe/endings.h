// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>

#include "base/mutex.h"
#include "runtime/store.h"

namespace chartwright::observe {

/// The number of children of one custom resource that are kept.
inline constexpr size_t kEndedMax = 100;

/// The children that ended (health/ending.h) and were removed, as they were seen last, until the
/// reconcile that they trigger has taken them: a child may go before its end was read. Thread-safe.
class Endings {
 public:
  /// Notes a child of `cr` that is gone, in place of an earlier one of its name. Of more than
  /// kEndedMax, only the first ones count.
  void note(const kube::ObjectRef& cr, const kube::ObjectRef& child, runtime::Stored last)
      CW_EXCLUDES(mutex_);
  /// Returns the children of `cr`, and forgets them.
  std::map<kube::ObjectRef, runtime::Stored> take(const kube::ObjectRef& cr) CW_EXCLUDES(mutex_);

 private:
  base::Mutex mutex_;
  std::map<kube::ObjectRef, std::map<kube::ObjectRef, runtime::Stored>> by_owner_
      CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::observe
