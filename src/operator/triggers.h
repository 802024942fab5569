// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/store.h"

namespace chartwright::op {

/// Whether a change of a custom resource needs a reconcile: it came or went, its spec changed (a
/// new generation), it is being deleted, or somebody wrote a finalizer or an annotation. Writes of
/// its status, ours above all, do not count.
bool concerns_reconcile(const runtime::Change& change);

}  // namespace chartwright::op
