// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::kube {

/// One frame of a watch stream.
struct WatchFrame {
  enum class Type : uint8_t { kAdded, kModified, kDeleted, kBookmark };
  Type type = Type::kAdded;
  /// A bookmark carries only metadata. `fieldsV1` may be undecoded: see decode_fields.
  value::Value object;
};
/// Called on the thread that watches. An error ends the watch and becomes its result.
using WatchSink = std::function<base::Status(WatchFrame frame)>;

}  // namespace chartwright::kube
