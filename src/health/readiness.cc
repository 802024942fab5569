// SPDX-License-Identifier: Apache-2.0
#include "health/readiness.h"

#include <algorithm>
#include <array>

#include "health/conditions.h"
#include "kube/object.h"

namespace chartwright::health {
namespace {

using value::Value;

Readiness ready() { return {}; }
Readiness progressing(std::string message) {
  return {ReadyState::kProgressing, std::move(message)};
}
Readiness failed(std::string message) { return {ReadyState::kFailed, std::move(message)}; }

int64_t number_at(const Value& object, std::initializer_list<std::string_view> path,
                  int64_t fallback) {
  const Value* v = object.find_path(path);
  return v != nullptr && v->is_int() ? v->as_int() : fallback;
}

const Value* condition(const Value& object, std::string_view type) {
  return find_condition(object.find_path({"status", "conditions"}), type);
}

bool condition_is(const Value& object, std::string_view type, std::string_view status) {
  const Value* c = condition(object, type);
  return c != nullptr && c->string_at({"status"}) == status;
}

// Reports whether the controller has not processed the newest spec yet. False if observedGeneration
// is missing, as in many kinds, or malformed.
bool generation_unseen(const Value& object) {
  const Value* seen = object.find_path({"status", "observedGeneration"});
  return seen != nullptr && seen->is_int() &&
         seen->as_int() != number_at(object, {"metadata", "generation"}, seen->as_int());
}

Readiness deployment(const Value& o) {
  const Value* rollout = condition(o, "Progressing");
  if (rollout != nullptr && rollout->string_at({"reason"}) == "ProgressDeadlineExceeded") {
    return failed("progress deadline exceeded");
  }
  const int64_t wanted = number_at(o, {"spec", "replicas"}, 1);
  const int64_t total = number_at(o, {"status", "replicas"}, 0);
  const int64_t updated = number_at(o, {"status", "updatedReplicas"}, 0);
  const int64_t available = number_at(o, {"status", "availableReplicas"}, 0);
  const int64_t ready_count = number_at(o, {"status", "readyReplicas"}, 0);
  if (number_at(o, {"status", "observedGeneration"}, 0) == 0) {
    return progressing("not observed yet");
  }
  if (updated < wanted || total > updated) {
    return progressing("rolling out");
  }
  if (available < wanted || ready_count < wanted) {
    return progressing("pods are not ready");
  }
  return ready();
}

Readiness stateful_set(const Value& o) {
  if (o.string_at({"spec", "updateStrategy", "type"}) == "OnDelete") {
    return ready();
  }
  if (number_at(o, {"status", "observedGeneration"}, 0) == 0) {
    return progressing("not observed yet");
  }
  const int64_t wanted = number_at(o, {"spec", "replicas"}, 1);
  if (number_at(o, {"status", "replicas"}, 0) != wanted ||
      number_at(o, {"status", "readyReplicas"}, 0) < wanted) {
    return progressing("pods are not ready");
  }
  const int64_t partition =
      number_at(o, {"spec", "updateStrategy", "rollingUpdate", "partition"}, 0);
  if (partition > 0) {
    return number_at(o, {"status", "updatedReplicas"}, 0) < wanted - partition
               ? progressing("rolling out")
               : ready();
  }
  if (o.string_at({"status", "currentRevision"}) != o.string_at({"status", "updateRevision"})) {
    return progressing("rolling out");
  }
  return ready();
}

Readiness daemon_set(const Value& o) {
  if (number_at(o, {"status", "observedGeneration"}, 0) == 0) {
    return progressing("not observed yet");
  }
  const int64_t wanted = number_at(o, {"status", "desiredNumberScheduled"}, 0);
  if (number_at(o, {"status", "updatedNumberScheduled"}, 0) < wanted) {
    return progressing("rolling out");
  }
  if (number_at(o, {"status", "numberAvailable"}, 0) < wanted ||
      number_at(o, {"status", "numberReady"}, 0) < wanted) {
    return progressing("pods are not ready");
  }
  return ready();
}

Readiness replica_set(const Value& o) {
  const int64_t wanted = number_at(o, {"spec", "replicas"}, 1);
  return number_at(o, {"status", "readyReplicas"}, 0) < wanted ? progressing("pods are not ready")
                                                               : ready();
}

bool a_container_crash_loops(const Value& pod) {
  const Value* statuses = pod.find_path({"status", "containerStatuses"});
  if (statuses == nullptr || !statuses->is_list()) {
    return false;
  }
  const auto& items = statuses->as_list().items;
  return std::any_of(items.begin(), items.end(), [](const Value& s) {
    return s.string_at({"state", "waiting", "reason"}) == "CrashLoopBackOff";
  });
}

Readiness pod(const Value& o) {
  const std::string_view phase = o.string_at({"status", "phase"});
  if (phase == "Succeeded") {
    return ready();
  }
  if (phase == "Failed") {
    return failed("the pod failed");
  }
  if (a_container_crash_loops(o)) {
    return failed("a container is in CrashLoopBackOff");
  }
  return condition_is(o, "Ready", "True") ? ready() : progressing("the pod is not ready");
}

Readiness job(const Value& o) {
  if (condition_is(o, "Failed", "True")) {
    return failed("the job failed");
  }
  if (condition_is(o, "Complete", "True") || condition_is(o, "Suspended", "True")) {
    return ready();
  }
  return progressing("the job has not completed");
}

Readiness persistent_volume_claim(const Value& o) {
  const std::string_view phase = o.string_at({"status", "phase"});
  if (phase == "Lost") {
    return failed("the claim lost its volume");
  }
  return phase == "Bound" ? ready() : progressing("the claim is not bound");
}

// Addresses that the spec gives count, too: the nodes accept traffic for them.
// Source: helm/helm pkg/kube/ready.go, serviceReady.
Readiness service(const Value& o) {
  if (o.string_at({"spec", "type"}) != "LoadBalancer") {
    return ready();
  }
  if (o.string_at({"spec", "clusterIP"}).empty()) {
    return progressing("no cluster IP yet");
  }
  if (o.items_at({"spec", "externalIPs"}).empty() &&
      o.items_at({"status", "loadBalancer", "ingress"}).empty()) {
    return progressing("the load balancer has no address yet");
  }
  return ready();
}

Readiness custom_resource_definition(const Value& o) {
  if (condition_is(o, "NamesAccepted", "False")) {
    return failed("the names are not accepted");
  }
  return condition_is(o, "Established", "True") ? ready() : progressing("not established");
}

Readiness by_conditions(const Value& o) {
  if (condition_is(o, "Stalled", "True")) {
    return failed("stalled");
  }
  if (condition_is(o, "Reconciling", "True")) {
    return progressing("reconciling");
  }
  const Value* c = condition(o, "Ready");
  return c == nullptr || c->string_at({"status"}) == "True" ? ready() : progressing("not ready");
}

struct KindRule {
  std::string_view group;
  std::string_view kind;
  Readiness (*judge)(const Value&);
};

constexpr std::array kKindRules = {
    KindRule{"apps", "Deployment", deployment},
    KindRule{"apps", "StatefulSet", stateful_set},
    KindRule{"apps", "DaemonSet", daemon_set},
    KindRule{"apps", "ReplicaSet", replica_set},
    KindRule{"", "ReplicationController", replica_set},
    KindRule{"", "Pod", pod},
    KindRule{"batch", "Job", job},
    KindRule{"", "PersistentVolumeClaim", persistent_volume_claim},
    KindRule{"", "Service", service},
    KindRule{"apiextensions.k8s.io", "CustomResourceDefinition", custom_resource_definition},
};

}  // namespace

std::string_view to_string(ReadyState state) {
  switch (state) {
    case ReadyState::kReady:
      return "Ready";
    case ReadyState::kProgressing:
      return "Progressing";
    case ReadyState::kFailed:
      return "Failed";
    case ReadyState::kTerminating:
      return "Terminating";
  }
  return "";
}

Readiness readiness_of(const Value& object) {
  if (object.find_path({"metadata", "deletionTimestamp"}) != nullptr) {
    return {ReadyState::kTerminating, std::string(kBeingDeleted)};
  }
  if (generation_unseen(object)) {
    return progressing("not observed yet");
  }
  const std::string group = kube::gvk_of(object).group;
  const std::string_view kind = object.string_at({"kind"});
  for (const KindRule& rule : kKindRules) {
    if (rule.kind == kind && rule.group == group) {
      return rule.judge(object);
    }
  }
  return by_conditions(object);
}

}  // namespace chartwright::health
