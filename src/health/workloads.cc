// SPDX-License-Identifier: Apache-2.0
#include "health/workloads.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "health/conditions.h"
#include "health/verdict.h"

namespace chartwright::health {
namespace {

using value::Value;

constexpr std::string_view kUnseen = "not observed yet";
constexpr std::string_view kRollingOut = "rolling out";
constexpr std::string_view kPodsNotReady = "pods are not ready";
constexpr std::string_view kPodsTooMany = "pods are still to be removed";

Readiness waits(std::string_view why) { return progressing(std::string(why)); }

// Returns the condition if it is true, else nullptr.
const Value* true_condition(const Value& object, std::string_view type) {
  const Value* c = condition_of(object, type);
  return c != nullptr && c->string_at({"status"}) == "True" ? c : nullptr;
}

// Returns why the pods of a Deployment are not all there, updated and available; "" if they are.
std::string_view lack_of_pods(const Value& deployment) {
  const int64_t wanted = count_at(deployment, {"spec", "replicas"}, 1);
  const int64_t total = count_at(deployment, {"status", "replicas"});
  const int64_t updated = count_at(deployment, {"status", "updatedReplicas"});
  if (updated < wanted || total > updated) {
    return deployment.bool_at({"spec", "paused"}) ? "the rollout is paused" : kRollingOut;
  }
  if (total > wanted) {
    return kPodsTooMany;
  }
  const bool is_available = count_at(deployment, {"status", "availableReplicas"}) >= updated;
  const bool is_ready = count_at(deployment, {"status", "readyReplicas"}) >= wanted;
  return total >= wanted && is_available && is_ready ? "" : kPodsNotReady;
}

// Reports whether the rollout says that it has ended. Without a deadline it says nothing, and
// while it is paused neither.
bool says_complete(const Value& deployment, const Value* rollout) {
  constexpr int64_t kNever = std::numeric_limits<int32_t>::max();
  return count_at(deployment, {"spec", "progressDeadlineSeconds"}, kNever) == kNever ||
         deployment.bool_at({"spec", "paused"}) ||
         (rollout != nullptr && rollout->string_at({"status"}) == "True" &&
          rollout->string_at({"reason"}) == "NewReplicaSetAvailable");
}

// Finds the first container whose state the predicate accepts, init containers first.
template <typename Accepts>
const Value* find_container(const Value& pod, Accepts accepts) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Value& one : pod.items_at({"status", list})) {
      if (accepts(one)) {
        return &one;
      }
    }
  }
  return nullptr;
}

std::string container_text(const Value& container) {
  const std::string_view name = container.string_at({"name"});
  return name.empty() ? "a container" : "container " + std::string(name);
}

std::string crash_loop_text(const Value& container) {
  return container_text(container) + " is in CrashLoopBackOff";
}

bool is_in_crash_loop(const Value& container) {
  return container.string_at({"state", "waiting", "reason"}) == "CrashLoopBackOff";
}

// Reports whether a container waits for more than its turn.
bool is_held_up(const Value& container) {
  const std::string_view reason = container.string_at({"state", "waiting", "reason"});
  return !reason.empty() && reason != "ContainerCreating" && reason != "PodInitializing";
}

// Says why a container does not start. Its kubelet alternates between two reasons while it pulls an
// image, and writes the growing delay into some messages, but not into those that are quoted here.
std::string hold_up_text(const Value& container) {
  constexpr std::array<std::string_view, 3> kSteady = {"CreateContainerConfigError",
                                                       "InvalidImageName", "ErrImageNeverPull"};
  const Value* waiting = container.find_path({"state", "waiting"});
  const std::string_view reason = waiting->string_at({"reason"});
  if (is_in_crash_loop(container)) {
    return crash_loop_text(container);
  }
  if (reason == "ErrImagePull" || reason == "ImagePullBackOff") {
    return container_text(container) + ": the image cannot be pulled";
  }
  const bool is_steady = std::ranges::find(kSteady, reason) != kSteady.end();
  return container_text(container) + ": " +
         (is_steady ? words_of(waiting) : std::string(reason.substr(0, 100)));
}

bool has_died(const Value& container) {
  return count_at(container, {"state", "terminated", "exitCode"}) != 0;
}

// Says why a pod has failed: evicted, past its deadline, or by a container.
std::string failure_text(const Value& pod) {
  constexpr std::string_view kText = "the pod failed";
  const Value* status = pod.find("status");
  if (!words_of(status).empty()) {
    return with_words(kText, status);
  }
  const Value* container = find_container(pod, has_died);
  if (container == nullptr) {
    return std::string(kText);
  }
  const Value* end = container->find_path({"state", "terminated"});
  return std::string(kText) + ": " + container_text(*container) + ": " +
         std::string(end->string_at({"reason"}).substr(0, 100)) + " (exit code " +
         std::to_string(count_at(*end, {"exitCode"})) + ")";
}

Readiness running_pod(const Value& pod) {
  const Value* c = condition_of(pod, "Ready");
  if (c != nullptr && c->string_at({"status"}) == "True") {
    return ready();
  }
  const auto& containers = pod.items_at({"status", "containerStatuses"});
  if (const auto found = std::ranges::find_if(containers, is_in_crash_loop);
      found != containers.end()) {
    return failed(crash_loop_text(*found));
  }
  if (const Value* container = find_container(pod, is_held_up)) {
    return progressing(hold_up_text(*container));
  }
  return progressing(with_words("the pod is not ready", c));
}

Readiness pending_pod(const Value& pod) {
  if (const Value* container = find_container(pod, is_held_up)) {
    return progressing(hold_up_text(*container));
  }
  const Value* c = condition_of(pod, "PodScheduled");
  const bool is_homeless = c != nullptr && c->string_at({"status"}) == "False";
  return progressing(is_homeless ? with_words("the pod is not scheduled", c)
                                 : "the pod is not ready");
}

}  // namespace

Readiness judge_deployment(const Value& object) {
  const Value* rollout = condition_of(object, "Progressing");
  const Value* refusal = true_condition(object, "ReplicaFailure");
  if (rollout != nullptr && rollout->string_at({"reason"}) == "ProgressDeadlineExceeded") {
    return failed(with_words("progress deadline exceeded", refusal));
  }
  if (!has_observed_generation(object)) {
    return waits(kUnseen);
  }
  std::string_view lack = lack_of_pods(object);
  if (lack.empty() && !says_complete(object, rollout)) {
    lack = kRollingOut;
  }
  if (lack.empty() && !has_condition(object, "Available", "True")) {
    lack = kPodsNotReady;
  }
  if (lack.empty()) {
    return ready();
  }
  if (refusal == nullptr && rollout != nullptr && rollout->string_at({"status"}) == "False") {
    refusal = rollout;  // No ReplicaSet can be made.
  }
  return progressing(words_or(refusal, lack));
}

Readiness judge_stateful_set(const Value& object) {
  if (object.string_at({"spec", "updateStrategy", "type"}) == "OnDelete") {
    return ready();
  }
  if (!has_observed_generation(object)) {
    return waits(kUnseen);
  }
  const int64_t wanted = count_at(object, {"spec", "replicas"}, 1);
  const int64_t total = count_at(object, {"status", "replicas"});
  if (total < wanted || count_at(object, {"status", "readyReplicas"}) < wanted) {
    return waits(kPodsNotReady);
  }
  if (total > wanted) {
    return waits(kPodsTooMany);
  }
  const int64_t partition =
      count_at(object, {"spec", "updateStrategy", "rollingUpdate", "partition"}, -1);
  if (partition != -1) {
    return count_at(object, {"status", "updatedReplicas"}) < wanted - partition ? waits(kRollingOut)
                                                                                : ready();
  }
  const bool is_updated = count_at(object, {"status", "currentReplicas"}) >= wanted &&
                          object.string_at({"status", "currentRevision"}) ==
                              object.string_at({"status", "updateRevision"});
  return is_updated ? ready() : waits(kRollingOut);
}

Readiness judge_daemon_set(const Value& object) {
  const int64_t wanted = count_at(object, {"status", "desiredNumberScheduled"}, -1);
  if (!has_observed_generation(object) || wanted == -1) {
    return waits(kUnseen);
  }
  const bool updates = object.string_at({"spec", "updateStrategy", "type"}) != "OnDelete";
  if (updates && count_at(object, {"status", "updatedNumberScheduled"}) < wanted) {
    return waits(kRollingOut);
  }
  for (const std::string_view count :
       {"currentNumberScheduled", "numberAvailable", "numberReady"}) {
    if (count_at(object, {"status", count}) < wanted) {
      return waits(kPodsNotReady);
    }
  }
  return ready();
}

Readiness judge_replica_set(const Value& object) {
  if (const Value* refusal = true_condition(object, "ReplicaFailure")) {
    return progressing(words_or(refusal, "pods cannot be made or removed"));
  }
  const int64_t wanted = count_at(object, {"spec", "replicas"}, 1);
  for (const std::string_view count :
       {"fullyLabeledReplicas", "availableReplicas", "readyReplicas"}) {
    if (count_at(object, {"status", count}) < wanted) {
      return waits(kPodsNotReady);
    }
  }
  return count_at(object, {"status", "replicas"}) > wanted ? waits(kPodsTooMany) : ready();
}

Readiness judge_pod(const Value& object) {
  const std::string_view phase = object.string_at({"status", "phase"});
  if (phase == "Succeeded") {
    return ready();
  }
  if (phase == "Failed") {
    return failed(failure_text(object));
  }
  return phase == "Running" ? running_pod(object) : pending_pod(object);
}

Readiness judge_job(const Value& object) {
  if (const Value* failure = true_condition(object, "Failed")) {
    return failed(with_words("the job failed", failure));
  }
  const bool rests =
      has_condition(object, "Complete", "True") || has_condition(object, "Suspended", "True");
  return rests ? ready() : waits("the job has not completed");
}

}  // namespace chartwright::health
