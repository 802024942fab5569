// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "kube/object.h"
#include "release/desired.h"
#include "value/value.h"

namespace chartwright::release {

/// The record of one object that we applied or are about to apply.
struct InventoryEntry {
  Role role = Role::kChild;
  std::string desired;   ///< Digest of the body last applied; empty: never applied, or unknown.
  std::string observed;  ///< Digest of our fields in the reply (projection.h); empty: unknown.
  /// The fields that growOnly rules held back ("spec.x stays 3Gi, 2Gi asked"); empty if nothing.
  std::string held;
  /// resourceVersion of the reply to our last write, which distinguishes a stale cache from drift.
  /// Kept in memory only.
  std::string resource_version;
};

/// The recorded objects of a custom resource. Prune and drift detection rely on this record, never
/// on labels.
using Inventory = std::map<kube::ObjectRef, InventoryEntry>;

/// Returns the item of status.resources for one entry, with its digests (left out for Secrets,
/// whose contents could be guessed from them). The caller adds `state`.
value::Value to_status(const kube::ObjectRef& ref, const InventoryEntry& entry);

/// Reads status.resources back. Malformed items, such as hand-edited ones, are skipped: losing one
/// costs an extra apply, whereas believing one could prune a foreign object.
Inventory inventory_from_status(const value::Value& resources);

}  // namespace chartwright::release
