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
/// that hold no certificate, and empty maps and names that others fill. An apply would take back
/// what they have written. docs/operate/controllers.md has the whole list. Pure.
void leave_to_controllers(value::Value& object);

/// Reports whether a rendered object asks for CAs that are injected into it. Pure.
bool is_injected(const value::Value& object);

/// Removes from `desired`, an unshared copy of such an object, the CAs that others have written
/// into `live`. Those that nobody but `manager` has written stay: there may be no injector. Pure.
void leave_to_injectors(const value::Value& live, std::string_view manager, value::Value& desired);

/// Returns the objects whose number of replicas an autoscaler among `objects` writes: an
/// HorizontalPodAutoscaler, or a ScaledObject of KEDA. `ns`: the namespace of those without one.
/// Pure.
std::set<kube::ObjectRef> autoscaled(const std::vector<value::Value>& objects, std::string_view ns);

}  // namespace chartwright::fields
