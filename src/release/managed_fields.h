// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "value/value.h"

namespace chartwright::release {

/// Returns the managedFields of `live` with the fields that helm-operator, Helm or Flux set moved
/// to our own Apply entry, so that the next apply removes those that are no longer desired. The
/// fields of all others stay theirs. Nil if these have set none, or have written another version of
/// the kind than we have. Source: k8s.io/client-go util/csaupgrade/upgrade.go.
value::Value managed_fields_after_takeover(const value::Value& live);

/// Returns the managedFields of `live`, which we have just applied, with the fields that these set
/// in one version of the kind as our own Apply entry, in that version. No value changes, so that
/// the same apply once more removes the fields that it does not have: the API server converts them.
/// Nil if these have set none.
value::Value managed_fields_after_apply(const value::Value& live);

/// Returns the managedFields of `live` with list items of others moved to our own Apply entry, so
/// that the next apply removes those that are not desired. `fields` are in items of these lists, in
/// the API server's words: "spec.ports[1].name". An item that is ours as well stays with both, and
/// so does everything else. Nil if there are no such items, or none in the version of the kind that
/// we have written.
value::Value managed_fields_with_items(const value::Value& live,
                                       const std::vector<std::string>& fields);

/// Reports whether an apply of `desired` would leave every value of `live` as it is: all of them
/// are there, also in lists of the same length, whose items may have more (defaults).
bool holds(const value::Value& live, const value::Value& desired);

}  // namespace chartwright::release
