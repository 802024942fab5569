// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "health/ready_state.h"
#include "value/value.h"

// The rules for kinds that run pods. docs/operate/readiness.md says them in words.
namespace chartwright::health {

Readiness judge_deployment(const value::Value& object);
Readiness judge_stateful_set(const value::Value& object);
Readiness judge_daemon_set(const value::Value& object);
Readiness judge_replica_set(const value::Value& object);  ///< A ReplicationController, too.
Readiness judge_pod(const value::Value& object);
Readiness judge_job(const value::Value& object);

}  // namespace chartwright::health
