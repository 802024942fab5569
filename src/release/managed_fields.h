// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value/value.h"

namespace chartwright::release {

/// Returns the managedFields of `live` with the fields that helm-operator set by its creates and
/// updates moved to our own Apply entry, so that the next apply removes those that are no longer
/// desired. The fields of all others stay theirs. Nil if helm-operator has set none, or if it and
/// we have written different versions of the kind.
/// Source: k8s.io/client-go util/csaupgrade/upgrade.go.
value::Value managed_fields_after_takeover(const value::Value& live);

/// Reports whether an apply of `desired` would leave every value of `live` as it is: all of them
/// are there, also in lists of the same length, whose items may have more (defaults).
bool holds(const value::Value& live, const value::Value& desired);

}  // namespace chartwright::release
