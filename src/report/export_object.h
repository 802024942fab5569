// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "value/value.h"

namespace chartwright::cmd {

/// Whether a claim names the volume that it is bound to.
enum class Volumes : uint8_t { kKept, kNew };

/// Returns a live object as `kubectl create` takes it: without what the API server assigns, without
/// its status, and without owner references, whose uids die with their owners. `object` may have
/// any content. Pure.
value::Value exported(const value::Value& object, Volumes volumes);

/// Returns an exported custom resource with the annotation that pauses it.
value::Value with_pause(const value::Value& cr);

}  // namespace chartwright::cmd
