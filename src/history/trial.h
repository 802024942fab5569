// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bundle/watch.h"
#include "runtime/controller.h"
#include "subject/services.h"

namespace chartwright::op {

/// The result of a render that is dropped.
enum class Trial : uint8_t {
  kRenders,
  kUnneeded,  ///< The custom resource is being deleted, or its inputs are in force already.
  kUnknown,   ///< A server did not answer, or an object outside the cluster has no id yet.
};

/// Renders the chart of `watch` for a custom resource as a reconcile would, and drops the result.
/// Reads what the chart looks up, and writes nothing. Blocks. Errors: those of the chart and of the
/// spec, which only another chart or spec would fix.
base::Result<Trial> try_chart(const bundle::Watch& watch, const Services& services,
                              const runtime::ReconcileContext& context, const value::Value& cr);

}  // namespace chartwright::op
