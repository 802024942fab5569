// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"

namespace chartwright::diagnosis {

/// The causes for which an object is not ready. Their order is the one in which they are named
/// where several explain equally many pods: what comes first keeps what comes later from happening.
enum class Code : uint8_t {
  kQuotaExceeded,        ///< A ResourceQuota refuses the pods.
  kAdmissionDenied,      ///< The API server refuses the pods: a policy, a LimitRange, a webhook.
  kNodeLost,             ///< The node is gone, or does not report.
  kEvicted,              ///< The cluster has taken the pod off its node, or the node refuses it.
  kSchedulingGated,      ///< A gate of the pod is closed.
  kClaimLost,            ///< A claim has lost its volume.
  kClaimPending,         ///< A claim has no volume yet.
  kUnschedulable,        ///< The pod fits no node.
  kImagePull,            ///< An image cannot be pulled.
  kConfigMissing,        ///< A Secret, ConfigMap, key, claim or service account does not exist.
  kVolumeFailed,         ///< A volume cannot be attached or mounted.
  kSandboxFailed,        ///< The node cannot create the pod's network or its other surroundings.
  kOutOfMemory,          ///< A container has used more memory than its limit.
  kPodCrashLooping,      ///< A container ends again and again.
  kContainerFailed,      ///< A container has failed and stays so, or cannot be started.
  kProbeFailing,         ///< A container runs, and its probe fails.
  kReadinessGate,        ///< The containers are ready, and a readiness gate of the pod is not.
  kRevisionStuck,        ///< A pod of an old revision keeps a StatefulSet from its update.
  kJobFailed,            ///< A Job has failed, and its pods do not say why.
  kNoEndpoints,          ///< A Service selects no pod.
  kLoadBalancerPending,  ///< A Service or an Ingress has no address yet.
  kScalingFailed,        ///< A HorizontalPodAutoscaler cannot scale.
  kDisruptionBlocked,    ///< A PodDisruptionBudget has fewer healthy pods than it demands.
  kResourceNotReady,     ///< The conditions of an object say so: of other operators, above all.
};

/// Returns the stable name of a code, as in the reason of a condition: "PodCrashLooping".
std::string_view to_string(Code code);
/// Returns the names of all codes, in their order.
std::span<const std::string_view> code_names();

/// Some of the pods of an object.
struct Share {
  int64_t pods = 0;       ///< 0: the cause does not concern pods.
  int64_t of = 0;         ///< The number that there should be.
  bool at_least = false;  ///< Not all pods were looked at.
  bool operator==(const Share&) const = default;
};

/// A step from the object that is not ready to the cause.
struct Link {
  kube::ObjectRef object;
  std::string says;                   ///< The words of its status; may be empty.
  std::vector<std::string> warnings;  ///< The newest warnings, without output of programs.
};

/// Why an object is not ready. All texts are one line of at most 200 bytes in UTF-8, without
/// control characters.
struct Cause {
  Code code = Code::kResourceNotReady;
  Share share;
  kube::ObjectRef object;  ///< The object that says so.
  /// Fit for a status: "2 of 3 pods: CrashLoopBackOff (exit 1, 4+ restarts)". It does not change
  /// with times and generated names. Restarts are rounded down to a power of two, so that a pod
  /// that crashes for a day changes it nine times. The words of webhooks and of other operators are
  /// taken as they are. No message of a container is part of it: it may
  /// be the end of a log.
  std::string summary;
  std::string details;  ///< The same with all numbers, and what the kubelet or a controller says.
  std::vector<Link> chain;
};

}  // namespace chartwright::diagnosis
