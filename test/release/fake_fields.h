// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/client.h"
#include "value/value.h"

namespace chartwright::release::testing {

// What FakeClient knows of selectors and of merging, as pure functions.

/// Whether `object` is in the namespace and has the labels (`k=v`, `k in (a,b)`, `k`,
/// comma-joined).
bool selects(const kube::Selection& selection, const value::Value& object);

/// Server-side apply of `body` over `live` (nil: there is none): fields that this manager owned and
/// no longer sends go, lists are atomic, managedFields are kept. For the status subresource only
/// the status counts, otherwise everything else.
value::Value apply_fields(const value::Value& live, const value::Value& body,
                          const kube::ApplyOptions& options);

/// JSON merge patch (RFC 7386).
value::Value merge_patch(const value::Value& target, const value::Value& patch);

}  // namespace chartwright::release::testing
