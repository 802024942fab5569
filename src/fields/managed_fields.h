// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::fields {

/// Returns the managedFields of `live`, a child, with the fields that helm-operator, Helm or Flux
/// set, or that we applied by the manager that all custom resources had in common, moved to the
/// Apply entry of `manager`, so that the next apply removes those that are no longer desired. The
/// fields of all others stay theirs. Nil if these have set none, or have written another version of
/// the kind than we have. Source: k8s.io/client-go util/csaupgrade/upgrade.go.
value::Value managed_fields_after_takeover(const value::Value& live, std::string_view manager);

/// Returns the managedFields of `live`, which `manager` has just applied, with the fields that
/// these set in one version of the kind as its Apply entry, in that version. No value changes, so
/// that the same apply once more removes the fields that it does not have: the API server converts
/// them. Nil if these have set none.
value::Value managed_fields_after_apply(const value::Value& live, std::string_view manager);

/// Returns the managedFields of `live`, the target of a partial object, with those fields of
/// `partial` that we applied by the manager that all custom resources had in common moved to the
/// Apply entry of `manager`. The others stay: they may be those of other custom resources. Nil if
/// there are no such fields, or if they are of another version than those of `manager`.
value::Value managed_fields_with_shared(const value::Value& live, const value::Value& partial,
                                        std::string_view manager);

/// Returns the managedFields of `live` without the Apply entry of `manager`: no value changes. Nil
/// if there is no such entry.
value::Value managed_fields_without(const value::Value& live, std::string_view manager);

/// Returns the managedFields of `live` with list items of others moved to the Apply entry of
/// `manager`, so that the next apply removes those that are not desired. `fields` are in items of
/// these lists, in the API server's words: "spec.ports[1].name". An item that is ours as well stays
/// with both, and so does everything else. Nil if there are no such items, or none in the version
/// of the kind that we have written.
value::Value managed_fields_with_items(const value::Value& live, std::string_view manager,
                                       const std::vector<std::string>& fields);

/// Reports whether the API server has refused an apply for items of lists alone, so that items of
/// others may be the reason.
bool is_of_list_items(const base::Error& refusal);

/// Returns the entries of the managedFields of `live`, as copies with decoded sets of fields.
std::vector<value::Value> decoded_entries(const value::Value& live);

/// Reports whether an entry is of what `manager` applied to the main resource.
bool is_applied_by(const value::Value& entry, std::string_view manager);

/// Reports whether an apply of `desired` would leave every value of `live` as it is: all of them
/// are there, also in lists of the same length, whose items may have more (defaults).
bool holds(const value::Value& live, const value::Value& desired);

}  // namespace chartwright::fields
