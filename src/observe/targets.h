// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "observe/related_objects.h"
#include "runtime/informer.h"

namespace chartwright::observe {

/// The number of objects of one kind that all custom resources together may patch, or read, by
/// name. Each costs a watch with its thread; objects that `related` selects by label cost none of
/// their own.
inline constexpr size_t kTargetsMax = 100;
/// How long a reconcile waits for a new cache to be complete.
inline constexpr base::Duration kSyncTimeout = std::chrono::seconds(20);

/// Objects that bundles patch, or read by name. Each is watched by its name, in the version that is
/// patched or read, while a custom resource does that. Thread-safe.
class Targets {
 public:
  /// `informers` must outlive it, and may call `trigger` until they are stopped.
  Targets(runtime::InformerSet& informers, Trigger trigger)
      : informers_(informers), trigger_(std::move(trigger)) {}

  /// Replaces the targets of `reader`, and waits until the cluster has been asked for each. From
  /// now on, their changes trigger `reader`. Errors: kBudget with the reason
  /// runtime::kTooManyWatches (more than kTargetsMax of a kind; `reader` is triggered when others
  /// have ended some), those of a list (kForbidden, kNotFound, ...), kTimeout, kCancelled.
  base::Status set(const Reader& reader, const std::set<kube::ObjectRef>& targets,
                   std::stop_token stop) CW_EXCLUDES(mutex_);
  /// Ends the watches for a custom resource.
  void forget(const kube::ObjectRef& cr) CW_EXCLUDES(mutex_);

  /// Returns a target as last seen, condensed; null if it does not exist or is not watched.
  runtime::Stored find(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  /// Returns the resourceVersion up to which the watch of `ref` is complete; "" if there is none.
  std::string seen_version(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);

 private:
  using InformerPtr = std::shared_ptr<runtime::Informer>;
  struct Key {
    kube::ObjectRef ref;
    std::string version;  ///< The version of `ref`, which its own comparison ignores.
    auto operator<=>(const Key&) const = default;
  };
  static Key key_of(const kube::ObjectRef& ref) { return {ref, ref.gvk.version}; }
  struct Target {
    InformerPtr informer;
    std::set<Reader> readers;
  };

  /// Returns the informer of a target, with `reader` among its readers; opens it if there is none,
  /// and then adds it to `opened`.
  base::Result<InformerPtr> follow(const Reader& reader, const Key& key,
                                   std::vector<InformerPtr>& opened) CW_REQUIRES(mutex_);
  /// Returns the informers that have no reader any more.
  std::vector<InformerPtr> drop(const Reader& reader, const std::set<Key>& but) CW_REQUIRES(mutex_);
  /// Returns how many more objects of that kind may be watched.
  size_t room_for(const kube::GroupKind& kind) const CW_REQUIRES(mutex_);
  void stop_waiting(const std::function<bool(const Reader&)>& is_over) CW_REQUIRES(mutex_);
  /// Returns those that have waited, as far as there is room now; they wait no more.
  std::set<kube::ObjectRef> admit() CW_REQUIRES(mutex_);
  void tell(const std::set<kube::ObjectRef>& crs) const CW_EXCLUDES(mutex_);
  void on_change(const runtime::Change& change) const CW_EXCLUDES(mutex_);

  runtime::InformerSet& informers_;
  const Trigger trigger_;
  mutable base::Mutex mutex_;
  std::map<Key, Target> targets_ CW_GUARDED_BY(mutex_);
  std::map<Reader, std::set<Key>> by_reader_ CW_GUARDED_BY(mutex_);
  /// Readers that were refused a watch of that kind.
  std::map<kube::GroupKind, std::set<Reader>> waiting_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::observe
