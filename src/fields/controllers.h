// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "value/value.h"

namespace chartwright::fields {

/// Removes from a rendered object, an unshared copy, what controllers of a cluster write into it
/// whatever it says, and placeholders for that: the rules of an aggregated ClusterRole, CA bundles
/// that are injected or hold no certificate, and empty maps and names that others fill. An apply
/// would take back what they have written. docs/controllers.md has the whole list. Pure.
void leave_to_controllers(value::Value& object);

/// Returns the objects whose number of replicas an autoscaler among `objects` writes: an
/// HorizontalPodAutoscaler, or a ScaledObject of KEDA. `ns`: the namespace of those without one.
/// Pure.
std::set<kube::ObjectRef> autoscaled(const std::vector<value::Value>& objects, std::string_view ns);

}  // namespace chartwright::fields
