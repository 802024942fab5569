// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "observe/related_objects.h"

namespace chartwright::observe {

/// A field that one custom resource patches, and that another one has set to another value.
struct PatchConflict {
  kube::ObjectRef holder;  ///< The custom resource whose value it has.
  std::string field;       ///< "data.color of ConfigMap shop/home"
};

/// The conflicts of all custom resources: the object shows nothing of a value that was not set, so
/// the holder of a field learns here who wants it otherwise. Thread-safe.
class PatchConflicts {
 public:
  /// `trigger` gets the holders for whom something has changed.
  explicit PatchConflicts(Trigger trigger) : trigger_(std::move(trigger)) {}

  /// Replaces the conflicts of a custom resource that did not get its way.
  void set(const kube::ObjectRef& cr, const std::vector<PatchConflict>& conflicts)
      CW_EXCLUDES(mutex_);
  /// Returns what others want of a custom resource, for people: "Theme shop/b wants another value
  /// of data.color of ConfigMap shop/home".
  std::vector<std::string> about(const kube::ObjectRef& holder) const CW_EXCLUDES(mutex_);

 private:
  using Fields = std::vector<std::string>;

  const Trigger trigger_;
  mutable base::Mutex mutex_;
  /// The keys are the holder, then the custom resource that wants another value.
  std::map<kube::ObjectRef, std::map<kube::ObjectRef, Fields>> by_holder_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::observe
