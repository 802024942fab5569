// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "bundle/watch.h"
#include "fields/spec_change.h"
#include "kube/names.h"
#include "observe/child_watches.h"
#include "observe/endings.h"
#include "observe/followed_children.h"
#include "observe/patch_conflicts.h"
#include "observe/related_objects.h"
#include "observe/targets.h"
#include "release/observed.h"
#include "runtime/informer.h"

namespace chartwright::observe {

/// The number of selections of related objects of one kind that are watched, each by a thread for
/// every watched namespace.
inline constexpr size_t kSelectionsMax = 100;

struct CacheOptions {
  std::vector<std::string> namespaces;     ///< Watched; empty: all.
  std::vector<kube::LabelValue> charts;    ///< Names of all charts: children are found by label.
  std::set<std::string> charts_with_live;  ///< Those whose templates read `.Live`.
  /// Kinds of custom resources whose annotations templates read. Of others, only those remain that
  /// ask the operator for something.
  std::set<kube::GroupKind> kinds_with_annotations = {};
};

/// Returns the options that serve all watches.
CacheOptions cache_options(const std::vector<std::string>& namespaces,
                           const std::vector<bundle::Watch>& watches);

/// The objects that reconciles read, kept current by watches: custom resources, children
/// (condensed, found by the chart label), related objects and targets. A change of one of these
/// triggers the custom resources that it concerns. Thread-safe.
class Caches {
 public:
  /// `informers` must outlive the caches, and may call `trigger` until they are stopped.
  Caches(runtime::InformerSet& informers, CacheOptions options, Trigger trigger);

  /// Watches custom resources of `gvk` that match `label_selector`. `on_change` gets every change.
  void watch_custom_resources(const kube::Gvk& gvk, const std::string& label_selector,
                              const runtime::ChangeListener& on_change);
  /// Watches the custom resources of `gvk` that do not match `label_selector`, of which no more is
  /// kept than whether they are being deleted, and their finalizers.
  void watch_unselected(const kube::Gvk& gvk, const std::string& label_selector,
                        const runtime::ChangeListener& on_change) CW_EXCLUDES(mutex_);
  /// Returns such a custom resource; null if there is none.
  runtime::Stored unselected(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  /// Returns the custom resource as it is stored, see unpack_custom_resource; null if there is
  /// none.
  runtime::Stored custom_resource(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  /// Reports whether the cache that has this custom resource is complete: it may have an older one
  /// while it is listed anew.
  bool is_current(const kube::ObjectRef& custom_resource) const CW_EXCLUDES(mutex_);
  std::vector<runtime::Stored> custom_resources(const kube::Gvk& gvk) const CW_EXCLUDES(mutex_);

  /// Returns how often a cache was filled anew after the API server's storage was restored from a
  /// backup: versions that were noted before are void. Once one has proven that, the others are
  /// filled anew as well.
  size_t follow_setbacks() { return informers_.follow_setbacks(); }
  /// Says that the storage was restored: all caches are filled anew.
  void note_restore() { informers_.relist(runtime::Outdated::kRestored); }

  /// Watches the kinds of these children from now on, and waits until the caches are complete that
  /// these children are in: a namespace that cannot be read concerns only those who have some
  /// there. Errors: those of a list (kForbidden, kNotFound, ...), kTimeout, kCancelled.
  base::Status watch_children(const kube::ObjectRef& cr,
                              const std::vector<kube::ObjectRef>& children, std::stop_token stop);
  /// Says that `cr` has children of these kinds only: watches that no custom resource needs end.
  void keep_children(const kube::ObjectRef& cr, const std::set<kube::Gvk>& kinds) {
    children_.keep(cr, kinds);
  }
  /// Says of which children every change concerns `cr`, also of fields that it has not set.
  void follow_closely(const kube::ObjectRef& cr, std::set<kube::ObjectRef> children) {
    followed_.set(cr, std::move(children));
  }
  /// Begins to watch the objects of `query`, without waiting for them. Idempotent. Error: kBudget
  /// (more than kSelectionsMax of a kind).
  base::Status watch_related(const bundle::RelatedQuery& query) CW_EXCLUDES(setup_mutex_, mutex_);

  /// Watches the objects that `cr` patches, see Targets::set.
  base::Status watch_targets(const kube::ObjectRef& cr, const std::set<kube::ObjectRef>& targets,
                             std::stop_token stop) {
    return targets_.set({cr, ""}, targets, std::move(stop));
  }

  /// Reports whether a watch that works shows the children of this kind and namespace, as far as
  /// they have the label of their chart.
  bool covers(const kube::ObjectRef& child) const;
  /// Returns a child, related object or target as last seen, in the version that `ref` names: a
  /// child in another one where that one is not watched.
  std::optional<release::Observed> live(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  /// Returns the resourceVersion up to which the cache that would hold `ref` is complete; "" if
  /// unknown.
  std::string seen_version(const kube::ObjectRef& ref) const CW_EXCLUDES(mutex_);
  /// Returns the children with that owner, see ChildWatches::owned.
  std::vector<runtime::Stored> owned(std::string_view owner_uid) const {
    return children_.owned(owner_uid);
  }
  /// Returns the objects of `query` in `ns` ("": cluster-scoped) that `selector` selects,
  /// watching them from now on, once their cache is complete. From now on, their changes trigger
  /// `reader`, see RelatedSource::read.
  /// Errors: those of watch_related, of a list (kForbidden, ...), kTimeout, kCancelled.
  base::Result<std::vector<runtime::Stored>> related(bundle::RelatedQuery query,
                                                     const Reader& reader, const std::string& ns,
                                                     const kube::LabelSelector& selector,
                                                     std::stop_token stop)
      CW_EXCLUDES(setup_mutex_, mutex_);
  /// Returns the only object that `reader` reads; null if it does not exist, or if `name` has no
  /// name. From now on, its changes trigger `reader`. Errors: as Targets::set.
  base::Result<runtime::Stored> named(const Reader& reader, const kube::ObjectRef& name,
                                      std::stop_token stop);
  /// Returns the children of `cr` that have ended and are gone, as they were seen last, and forgets
  /// them.
  std::map<kube::ObjectRef, runtime::Stored> take_ended(const kube::ObjectRef& cr) {
    return endings_.take(cr);
  }
  void forget(const kube::ObjectRef& cr) CW_EXCLUDES(mutex_);

  /// Returns the custom resource that a child, condensed, names as its owner; nullopt if it names
  /// none.
  std::optional<kube::ObjectRef> owner_of_child(const kube::ObjectRef& child,
                                                const value::Value& condensed) const
      CW_EXCLUDES(mutex_);
  /// Returns the custom resource whose field manager this is (fields::manager_of_owner), as far as
  /// it is watched. Looks at all of them.
  std::optional<kube::ObjectRef> custom_resource_of(std::string_view manager) const
      CW_EXCLUDES(mutex_);
  /// The conflicts between patches of custom resources.
  PatchConflicts& patch_conflicts() { return patch_conflicts_; }

 private:
  struct Source {
    std::string ns;  ///< "" for all namespaces.
    std::shared_ptr<runtime::Informer> informer;
  };
  struct Related {
    std::unique_ptr<RelatedSource> source;
    std::vector<std::shared_ptr<runtime::Informer>> informers;
  };

  bool is_watched(const std::string& ns) const;
  base::Result<const Related*> follow_related(const bundle::RelatedQuery& query)
      CW_EXCLUDES(setup_mutex_, mutex_);
  void on_child_change(const runtime::Change& change) CW_EXCLUDES(mutex_);
  /// Returns the custom resource that `owner` names: cluster-scoped if only such a one exists.
  kube::ObjectRef resolve(kube::ObjectRef owner) const CW_EXCLUDES(mutex_);
  /// Returns the informers of children and related objects that look where `ref` is.
  std::vector<std::shared_ptr<runtime::Informer>> informers_for(const kube::ObjectRef& ref) const
      CW_EXCLUDES(mutex_);

  runtime::InformerSet& informers_;
  const CacheOptions options_;
  const Trigger trigger_;
  base::Mutex setup_mutex_;  ///< Held while informers are set up.
  mutable base::Mutex mutex_;
  std::map<kube::GroupKind, std::vector<Source>> custom_resources_ CW_GUARDED_BY(mutex_);
  std::map<kube::GroupKind, std::vector<Source>> unselected_ CW_GUARDED_BY(mutex_);
  std::map<kube::Gvk, std::vector<Source>> related_informers_ CW_GUARDED_BY(mutex_);
  std::map<bundle::RelatedQuery, Related> related_ CW_GUARDED_BY(mutex_);
  Endings endings_;
  FollowedChildren followed_;
  ChildWatches children_;
  Targets targets_;
  PatchConflicts patch_conflicts_;
};

/// Unpacks a custom resource as Caches store it: with spec and status as bytes, and without
/// managedFields. The result shares its metadata.
value::Value unpack_custom_resource(const value::Value& kept);

/// Returns who changed the spec of such a custom resource last, as its managedFields said.
fields::SpecChange spec_change_of(const value::Value& kept);

/// Returns the bodies of condensed objects that have one.
std::vector<value::Value> bodies_of(const std::vector<runtime::Stored>& condensed);

/// Returns the custom resource that a child names as its owner, by controller reference or
/// annotation.
std::optional<kube::ObjectRef> owner_of(const kube::ObjectRef& child,
                                        const value::Value& condensed);

}  // namespace chartwright::observe
