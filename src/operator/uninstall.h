// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "operator/deletion_hooks.h"
#include "operator/hooks.h"
#include "subject/children.h"
#include "subject/live_resource.h"

namespace chartwright::op {

/// Deletes the children that garbage collection cannot or must not reach when a custom resource is
/// deleted, gives up the fields of its patches, and runs the hooks of the deletion. A finalizer
/// holds the custom resource until then; it is there only if there is a need. Blocks.
class Uninstall {
 public:
  /// The parts of the reconcile that it uses. All must outlive it.
  struct Parts {
    const Subject& subject;
    Records& records;
    DefinitionStage& definitions;
    Children& children;
    LiveResource& live;
    Wait& wait;
    HookStage& hooks;
    DeletionHooks& deletion_hooks;
    Progress& progress;
    release::Inventory& inventory;
  };

  explicit Uninstall(const Parts& parts) : parts_(parts) {}

  /// Reports whether some of these hooks may run at a deletion, also if hooks are disabled now.
  static bool has_hooks(const std::vector<release::Hook>& hooks);

  /// Adds the finalizer if one of the children needs it, if a hook runs at the deletion, or if the
  /// user asked to wait for all of them. Errors: those of LiveResource::add_finalizer.
  base::Status ensure_finalizer(const std::vector<release::Desired>& desired,
                                const std::vector<release::Hook>& hooks);
  /// Adds the finalizer if it was there, or if it is known that the revision in force needs it.
  /// Errors: as ensure_finalizer.
  base::Status keep_finalizer();
  /// Adds the finalizer. Errors: as ensure_finalizer.
  base::Status hold();
  /// Reports whether the custom resource has our finalizer.
  bool holds() const;
  /// Reports an error of the uninstall in the status, and returns it.
  runtime::Outcome report(const base::Error& cause);
  /// Deletes what the failed install of that record has created, with the hooks of a deletion, but
  /// for objects that are kept. Errors: a wait until they are gone; those of the hooks and of the
  /// client.
  base::Status undo_install(int record);
  /// One step of the uninstall of a custom resource that is being deleted. An error is reported in
  /// the status. Without our finalizer nothing is done, and nothing is created.
  runtime::Outcome run();

 private:
  struct Memory {
    /// The hooks of the revision in force, once the deletion has read its record.
    std::optional<std::vector<release::Hook>> hooks;
    bool had_finalizer = false;  ///< Ours, when it was seen last.
  };

  Memory& memory() const { return parts_.subject.memories.of<Memory>(); }
  bool needs_deletion(const kube::ObjectRef& ref, const release::InventoryEntry& entry) const;
  int record_of_deletion() const;
  base::Result<std::string> digest_of_deletion(const std::string& text) const;
  base::Result<std::vector<release::Hook>> prepare_hooks(int record);
  base::Result<bool> step();
  base::Status delete_installed(int record);
  base::Status run_hooks(const std::vector<release::Hook>& hooks, release::HookEvent event);
  runtime::Outcome come_back();
  runtime::Outcome wait_for_children();
  base::Status give_up_patches();
  base::Status give_up_patch(const kube::ObjectRef& ref);
  base::Result<bool> leaves_dependents(const std::vector<kube::ObjectRef>& refs) const;
  base::Result<std::vector<kube::ObjectRef>> children_to_delete() const;
  base::Result<bool> delete_children();
  base::Result<bool> delete_child(const kube::ObjectRef& ref, release::InventoryEntry& entry);

  const Parts parts_;
  bool held_ = false;  ///< This reconcile has held the custom resource by a finalizer.
};

}  // namespace chartwright::op
