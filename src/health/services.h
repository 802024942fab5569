// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "health/ready_state.h"
#include "value/value.h"

// The rules for kinds that run no pods themselves. docs/operate/readiness.md says them in words.
namespace chartwright::health {

Readiness judge_service(const value::Value& object);
Readiness judge_volume(const value::Value& object);        ///< A PersistentVolume.
Readiness judge_volume_claim(const value::Value& object);  ///< A PersistentVolumeClaim.
Readiness judge_definition(const value::Value& object);    ///< A CustomResourceDefinition.
Readiness judge_api_service(const value::Value& object);
Readiness judge_disruption_budget(const value::Value& object);  ///< A PodDisruptionBudget.
Readiness judge_gateway(const value::Value& object);            ///< A GatewayClass, too.
Readiness judge_route(const value::Value& object);              ///< An HTTPRoute, GRPCRoute, ...
/// Judges a kind whose status says nothing of itself: it is as it should be once it exists.
Readiness judge_as_ready(const value::Value& object);

}  // namespace chartwright::health
