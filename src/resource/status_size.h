// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::op {

/// The largest status that is written. Storage takes requests of 1.5 MiB, and the spec, its last
/// applied copy and managedFields have to fit beside it.
/// Source: etcd server/embed/config.go, DefaultMaxRequestBytes.
inline constexpr size_t kStatusBytesMax = size_t{1} << 20;

/// Returns `status` as it is, or, if it is larger than kStatusBytesMax, without what its resources
/// say beside their names and, where there is room, how they ended: the digests are found anew by a
/// later process, at the cost of an apply each. Error: those of value::to_json.
base::Result<value::Value> fitted_status(const value::Value& status);

/// Checks that the names of that many children, which take that many bytes, fit into a status.
/// Error: kInvalidArgument, with the numbers.
base::Status check_room(size_t children, size_t bytes);

}  // namespace chartwright::op
