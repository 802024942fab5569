// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/store.h"

namespace chartwright::observe {

/// Reports whether a change of a custom resource needs a reconcile: it was created, deleted or
/// marked for deletion, its spec (by generation), an annotation or a finalizer changed, or its
/// status lost the revision. Other writes of its status, which are mostly our own, need none.
bool concerns_reconcile(const runtime::Change& change);

}  // namespace chartwright::observe
