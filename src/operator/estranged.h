// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "base/mutex.h"
#include "bundle/watch.h"
#include "runtime/controller.h"
#include "subject/services.h"

namespace chartwright::op {

/// Custom resources that the selector of their watch does not select any more, and that are being
/// deleted: one that this operator holds by its finalizer is still its work. Of several operators
/// that divide a kind by selectors, it is that of the one that has looked after it last, as its
/// status says, unless another one, which selects it now, has begun within ten seconds.
/// Thread-safe for different keys.
class Estranged {
 public:
  /// The references must outlive it.
  Estranged(const bundle::Watch& watch, const Services& services);

  struct Sight {
    std::optional<value::Value> cr = {};       ///< The one on the API server, to be uninstalled.
    std::optional<base::Duration> again = {};  ///< When to look again.
  };
  /// Looks at a custom resource that the cache of the selected ones does not have. Errors: those of
  /// the client.
  base::Result<Sight> look(const kube::ObjectRef& key, const runtime::ReconcileContext& context)
      CW_EXCLUDES(mutex_);
  void forget(const kube::ObjectRef& key) CW_EXCLUDES(mutex_);

 private:
  base::Duration time_left(const kube::ObjectRef& key) CW_EXCLUDES(mutex_);
  bool is_ours(const value::Value& live, const runtime::ReconcileContext& context) const;

  const bundle::Watch& watch_;
  const Services& services_;
  base::Mutex mutex_;
  /// When each was seen first.
  std::map<kube::ObjectRef, base::MonotonicTime> since_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::op
