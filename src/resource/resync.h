// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "bundle/watch.h"
#include "value/value.h"

namespace chartwright::op {

/// Returns how often to come back without an event: by the custom resource's annotation, the watch,
/// or `fallback`. Error: kInvalidArgument where the annotation is not a Go duration.
base::Result<base::Duration> resync_period(const value::Value& cr, const bundle::Watch& watch,
                                           base::Duration fallback);

/// Returns `period` less up to a tenth, by the uid: the resyncs of custom resources that were
/// reconciled together do not stay together.
base::Duration spread_period(base::Duration period, std::string_view uid);

}  // namespace chartwright::op
