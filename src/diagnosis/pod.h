// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/events.h"
#include "diagnosis/texts.h"
#include "value/value.h"

namespace chartwright::diagnosis {

/// All that is known of one pod. Only the pod itself is always known.
struct PodEvidence {
  const value::Value& pod;
  Events events = {};
  const value::Value* claim = nullptr;  ///< A claim of the pod that has no volume.
  Events claim_events = {};
  const value::Value* node = nullptr;
  bool node_is_gone = false;
};

/// Returns the first cause that the evidence of a pod that is not ready shows; nullopt for a pod
/// that is ready or on its way. Looks at the first 64 containers of each list.
std::optional<Sign> pod_sign(const PodEvidence& evidence);

/// Returns why a claim has no volume, by its own status and its Events; nullopt if it has one.
std::optional<Sign> claim_sign(const value::Value& claim, const Events& events);

bool is_ready_pod(const value::Value& pod);
/// Reports whether a pod has ended for good. Its controller has made, or will make, another one.
bool is_ended_pod(const value::Value& pod);
bool is_scheduled_pod(const value::Value& pod);
/// Reports whether a container of the pod that is not ready has a probe that restarts it.
bool may_be_restarted_by_probe(const value::Value& pod);
/// Returns the state of the pod's containers in a form in which equal pods are equal: pods of one
/// template that wait for the same thing.
std::string look_of(const value::Value& pod);
/// Returns the names of the claims that the pod mounts.
std::vector<std::string> claim_names(const value::Value& pod);

}  // namespace chartwright::diagnosis
