// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "kube/object.h"
#include "release/desired.h"
#include "value/value.h"

namespace chartwright::release {

/// What we remember of one object that we applied or are about to apply.
struct InventoryEntry {
  Role role = Role::kChild;
  std::string desired;   ///< Digest of the body last applied; empty: never applied, or unknown.
  std::string observed;  ///< Digest of our projection of the reply; empty: unknown.
  /// What a growOnly rule held back ("spec.x stays 3Gi, 2Gi asked"); empty when nothing was.
  std::string held;
  /// resourceVersion of our last reply: what tells a cache that is behind from drift. In memory
  /// only.
  std::string resource_version;
};

/// The written list of a custom resource's objects: the truth that prune and drift go by, never
/// labels.
using Inventory = std::map<kube::ObjectRef, InventoryEntry>;

/// status.resources: one item per entry, ordered, with digests (left out for Secrets, whose content
/// could be guessed from them). `states` is filled in by the caller.
value::Value to_status(const kube::ObjectRef& ref, const InventoryEntry& entry);

/// Reads status.resources back. Items that are not ours to read (hand-edited, malformed) are
/// skipped: losing one costs an extra apply, believing one could prune a foreign object.
Inventory inventory_from_status(const value::Value& resources);

}  // namespace chartwright::release
