// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::health {

/// The end of an object whose work is done, and which the cluster removes after that: of a Job with
/// a TTL.
struct Ending {
  bool failed = false;
  base::WallTime removed_at;  ///< At the earliest, by the clock of the cluster.
  bool operator==(const Ending&) const = default;
};

/// Reports whether objects of that kind may have an end.
bool may_end(const kube::GroupKind& kind);

/// Returns the end of a live object. nullopt: its work is not done, it is not removed after that,
/// or its deletion came first.
/// Source: kubernetes/kubernetes pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
std::optional<Ending> ending_of(const value::Value& object);

/// Reports whether an object with that end that is gone at `now` was removed as it had to be, and
/// not earlier by somebody else. The clocks may differ by a minute.
bool explains_absence(const Ending& ending, base::WallTime now);

/// Returns "Complete 2030-01-31T12:00:00Z", or "Failed ...".
std::string to_text(const Ending& ending);

/// Reads such a text; nullopt if it is another one.
std::optional<Ending> ending_in(std::string_view text);

}  // namespace chartwright::health
