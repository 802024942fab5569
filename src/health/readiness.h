// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "health/ready_state.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::health {

/// Determines whether a live object is ready, from its own status alone: by rules for those
/// built-in kinds that need them, otherwise by the `Ready` condition. An object without any such
/// sign is ready. Any member of the object may be missing or malformed. Allocates nothing for an
/// object that is ready.
/// Source of the rules: sigs.k8s.io/cli-utils pkg/kstatus/status. test/cases/readiness has each
/// difference with its reason, docs/operate/readiness.md the rules.
Readiness readiness_of(const value::Value& object);

/// Returns the kinds that have a rule of their own, sorted.
std::vector<kube::GroupKind> kinds_with_rule();

}  // namespace chartwright::health
