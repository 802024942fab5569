// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "kube/object.h"
#include "runtime/informer.h"

namespace chartwright::observe {

/// The children that are watched, and how they are kept.
struct ChildSelection {
  std::vector<std::string> namespaces;  ///< One watch for each; "" is for all.
  std::string label_selector;
  runtime::Transform transform;
};

/// Reports whether a watch of that namespace ("": all) shows an object like `ref`. One of a
/// cluster-scoped kind has all its objects, for whichever namespace it was made.
bool looks_at(std::string_view watched_ns, const kube::ObjectRef& ref);

/// The watches of children: one for each kind, version and namespace, as long as a custom resource
/// has, or is about to get, children of that kind and version. An object is read in the version in
/// which its chart has it, because its fields have other names in another one. Thread-safe.
class ChildWatches {
 public:
  using InformerPtr = std::shared_ptr<runtime::Informer>;

  /// `informers` must outlive it, and may call `on_change` until they are stopped.
  ChildWatches(runtime::InformerSet& informers, ChildSelection selection,
               runtime::ChangeListener on_change);

  /// Adds `kinds` to those that `cr` needs. Returns their informers, which need not have synced.
  std::vector<InformerPtr> follow(const kube::ObjectRef& cr, const std::vector<kube::Gvk>& kinds)
      CW_EXCLUDES(mutex_);
  /// Says that `cr` needs only `kinds` from now on, and ends the watches that nobody needs.
  void keep(const kube::ObjectRef& cr, const std::set<kube::Gvk>& kinds) CW_EXCLUDES(mutex_);

  /// Returns the informers that look where `child` is: those of its version, or of the others where
  /// that one is not watched.
  std::vector<InformerPtr> looking_at(const kube::ObjectRef& child) const CW_EXCLUDES(mutex_);
  /// Returns the children with that owner, ordered by kind, version, namespace and name: once for
  /// each version of their kind that is watched.
  std::vector<runtime::Stored> owned(std::string_view owner_uid) const CW_EXCLUDES(mutex_);

 private:
  struct Watch {
    std::vector<std::pair<std::string, InformerPtr>> informers;  ///< The key is the namespace.
    std::set<kube::ObjectRef> users;
  };
  using ByVersion = std::map<std::string, Watch>;

  runtime::InformerKey key_of(const kube::Gvk& gvk, const std::string& ns) const;
  Watch open(const kube::Gvk& gvk, std::vector<InformerPtr>& opened) const;

  runtime::InformerSet& informers_;
  const ChildSelection selection_;
  const runtime::ChangeListener on_change_;
  mutable base::Mutex mutex_;
  std::map<kube::GroupKind, ByVersion> watches_ CW_GUARDED_BY(mutex_);
  std::map<kube::ObjectRef, std::set<kube::Gvk>> by_user_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::observe
