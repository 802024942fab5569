// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/object.h"
#include "value/value.h"

namespace chartwright::health {

/// Reports whether `object`, of the given kind, which the label selector of the live object `child`
/// selects, belongs to it. Objects of others may have the same labels: pods with another
/// controller, and claims whose name is not one that the StatefulSet gives. Where an object has no
/// controller, and for kinds that only select, such as Services, the labels decide.
bool belongs_to(const value::Value& child, const kube::GroupKind& kind, const value::Value& object);

}  // namespace chartwright::health
