// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "subject/subject.h"

namespace chartwright::op {

/// The recorded children as they are in the cluster. A cache that lacks a child proves nothing: the
/// child may have lost the label by which it is found, or be where no cache looks. So a child is
/// gone only when the API server says so. An error concerns one child or one kind, and the others
/// go on. For one reconcile. Blocks.
class Children {
 public:
  /// All must outlive it.
  Children(const Subject& subject, release::Inventory& inventory, release::Inventory& unconfirmed,
           UncachedChildren& uncached_children)
      : subject_(subject),
        inventory_(inventory),
        unconfirmed_(unconfirmed),
        uncached_(uncached_children) {}

  /// Watches the kinds of the recorded children, and asks the API server for the children that no
  /// cache shows. A kind that is not served has no children. Only once. Error: kCancelled; all
  /// others are in first_error().
  base::Status look();
  /// Watches the kinds of such children, as look() does.
  base::Status watch(const std::vector<kube::ObjectRef>& children);
  /// Notes which children that a status without a signature has named are ours, as their marks
  /// show. The marks of one elsewhere prove nothing: a render must have it first.
  void recognise();
  /// Notes which children have done their work, as they are or were seen last: they may be removed
  /// from then on.
  void note_endings();
  /// Forgets objects elsewhere that such a status has named, and that are gone or have other
  /// owners. Asks for some of them at a time. Error: kCancelled.
  base::Status review_unconfirmed();
  /// Ends the watches that only this custom resource needed, and needs no more: it has converged.
  void end_unused_watches();
  /// Returns a recorded object as the caches have it, or as the API server does: if they lack it,
  /// or have it as it was before our last write to it, which `entry` records. nullopt: it is gone.
  /// Errors: those of the client; then it is unknown.
  base::Result<std::optional<release::Observed>> find(const kube::ObjectRef& ref,
                                                      const release::InventoryEntry& entry);
  /// Returns how to address a child: in the recorded version, or in one that is served.
  kube::ObjectRef address(const kube::ObjectRef& ref) const;

  /// Notes that a desired object cannot be brought about: its kind is not served, or its server
  /// does not answer. Recorded children of the kind stay.
  void note_unserved(const kube::GroupKind& kind, base::Error error);
  /// Asks anew which kinds are served. Returns whether that of a recorded child is not any more.
  /// Errors: those of the client.
  base::Result<bool> lost_kind();
  /// Reports whether nothing is known of an object, so that nothing may be done about it.
  bool is_unknown(const kube::ObjectRef& ref) const {
    return unknown_.contains(ref) || unserved_.contains(ref.group_kind());
  }
  /// Returns the first error of a kind or a child.
  const base::Status& first_error() const { return first_error_; }
  /// Reports whether a child that is not ready, or not gone, has no events.
  bool needs_poll();

 private:
  bool is_shown(const kube::ObjectRef& ref);
  base::Result<bool> is_served(const kube::Gvk& gvk) const;
  base::Result<std::optional<release::Observed>> ask(const kube::ObjectRef& ref);
  void note(base::Error error);

  const Subject& subject_;
  release::Inventory& inventory_;
  release::Inventory& unconfirmed_;
  UncachedChildren& uncached_;
  bool looked_ = false;
  std::set<kube::ObjectRef> unknown_;
  std::set<kube::GroupKind> unserved_;
  /// Whether a cache shows a kind in a namespace.
  std::map<std::pair<kube::GroupKind, std::string>, bool> shown_;
  base::Status first_error_;
};

}  // namespace chartwright::op
