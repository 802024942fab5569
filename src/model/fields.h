// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"
#include "value/value.h"

namespace chartwright::model {

// The selectors and merging of MemoryServer, as pure functions.

/// Checks the label selector (`k=v`, `k in (a,b)`, `k`, comma-joined). Error: kInvalidArgument,
/// 400.
base::Status check_selection(const kube::Selection& selection);
/// Reports whether `object` is in the namespace and has the labels of `selection`; false for one
/// that check_selection refuses.
bool selects(const kube::Selection& selection, const value::Value& object);

/// Applies `body` to `live` (nil if there is none) like server-side apply: fields that the manager
/// owned and no longer sends are removed, lists are atomic, managedFields are maintained. For the
/// status subresource only the status is applied, otherwise all but the status.
value::Value apply_fields(const value::Value& live, const value::Value& body,
                          const kube::ApplyOptions& options);

/// Returns the managers of fields that `body` would set to other values, whose owners they are: why
/// an apply without force is refused.
std::vector<std::string> conflicting_managers(const value::Value& live, const value::Value& body,
                                              const kube::ApplyOptions& options);

/// Notes in the managedFields of `after` who has the fields that an update has changed: `manager`
/// alone, if it has a name. `before` is nil for an object that is new. Source:
/// structured-merge-diff merge/update.go, Updater.Update.
void note_update(const value::Value& before, value::Value& after, const std::string& manager);

/// Carries out a JSON patch of operations "replace" within dicts. Error: kInvalid, 422, for other
/// operations, and for paths that cannot be set.
base::Result<value::Value> replaced(const value::Value& live, const value::Value& operations);

}  // namespace chartwright::model
