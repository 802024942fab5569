// SPDX-License-Identifier: Apache-2.0
#include "health/readiness.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::health {
namespace {

using value::testing::json;
using State = ReadyState;

struct Case {
  const char* what;
  const char* object;
  State state;
  const char* message;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    INFO(c.what);
    const Readiness found = readiness_of(json(c.object));
    CHECK(to_string(found.state) == to_string(c.state));
    CHECK(found.message == c.message);
  }
}

TEST_CASE("Any kind: deletion and an unseen generation come before everything else") {
  check({
      {"being deleted",
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})",
       State::kTerminating, "being deleted"},
      {"generation not observed",
       R"({"kind":"X","metadata":{"generation":2},"status":{"observedGeneration":1}})",
       State::kProgressing, "not observed yet"},
      {"generation observed",
       R"({"kind":"X","metadata":{"generation":2},"status":{"observedGeneration":2}})",
       State::kReady, ""},
      {"an observedGeneration of an odd type says nothing",
       R"({"kind":"X","metadata":{"generation":2},"status":{"observedGeneration":"1"}})",
       State::kReady, ""},
      {"an observedGeneration without a generation says nothing",
       R"({"kind":"X","metadata":{},"status":{"observedGeneration":1}})", State::kReady, ""},
  });
}

TEST_CASE("Other kinds: their conditions, as kstatus reads them") {
  check({
      {"no sign", R"({"apiVersion":"v1","kind":"ConfigMap"})", State::kReady, ""},
      {"ready", R"({"kind":"X","status":{"conditions":[{"type":"Ready","status":"True"}]}})",
       State::kReady, ""},
      {"not ready", R"({"kind":"X","status":{"conditions":[{"type":"Ready","status":"False"}]}})",
       State::kProgressing, "not ready"},
      {"unknown", R"({"kind":"X","status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})",
       State::kProgressing, "not ready"},
      {"stalled wins over reconciling",
       R"({"kind":"X","status":{"conditions":[{"type":"Reconciling","status":"True"},
           {"type":"Stalled","status":"True"}]}})",
       State::kFailed, "stalled"},
      {"reconciling wins over ready",
       R"({"kind":"X","status":{"conditions":[{"type":"Ready","status":"True"},
           {"type":"Reconciling","status":"True"}]}})",
       State::kProgressing, "reconciling"},
      {"a Stalled that is False says nothing",
       R"({"kind":"X","status":{"conditions":[{"type":"Stalled","status":"False"}]}})",
       State::kReady, ""},
      {"conditions of a wrong shape", R"({"kind":"X","status":{"conditions":{"Ready":"False"}}})",
       State::kReady, ""},
      {"status of a wrong shape", R"({"kind":"X","status":"fine"})", State::kReady, ""},
      {"a Deployment of another group is judged as a stranger",
       R"({"apiVersion":"example.com/v1","kind":"Deployment"})", State::kReady, ""},
  });
}

TEST_CASE("Deployment") {
  check({
      {"nobody has looked at it", R"({"apiVersion":"apps/v1","kind":"Deployment"})",
       State::kProgressing, "not observed yet"},
      {"new pods are being made",
       R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2},"status":{
           "observedGeneration":1,"replicas":2,"updatedReplicas":1,"availableReplicas":2,
           "readyReplicas":2}})",
       State::kProgressing, "rolling out"},
      {"old pods are not gone yet",
       R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2},"status":{
           "observedGeneration":1,"replicas":3,"updatedReplicas":2,"availableReplicas":2,
           "readyReplicas":2}})",
       State::kProgressing, "rolling out"},
      {"pods are not available",
       R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2},"status":{
           "observedGeneration":1,"replicas":2,"updatedReplicas":2,"availableReplicas":1,
           "readyReplicas":2}})",
       State::kProgressing, "pods are not ready"},
      {"one replica is what no number means",
       R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{},"status":{
           "observedGeneration":1,"replicas":1,"updatedReplicas":1,"availableReplicas":1,
           "readyReplicas":1}})",
       State::kReady, ""},
      {"none wanted, none there",
       R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":0},"status":{
           "observedGeneration":1}})",
       State::kReady, ""},
      {"gave up",
       R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{},"status":{"observedGeneration":1,
           "conditions":[{"type":"Progressing","status":"False",
                          "reason":"ProgressDeadlineExceeded"}]}})",
       State::kFailed, "progress deadline exceeded"},
  });
}

TEST_CASE("StatefulSet") {
  check({
      {"the user replaces pods by hand",
       R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"updateStrategy":{"type":"OnDelete"}}})",
       State::kReady, ""},
      {"nobody has looked at it", R"({"apiVersion":"apps/v1","kind":"StatefulSet"})",
       State::kProgressing, "not observed yet"},
      {"pods missing",
       R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":2},"status":{
           "observedGeneration":1,"replicas":1,"readyReplicas":1}})",
       State::kProgressing, "pods are not ready"},
      {"pods too many",
       R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":1},"status":{
           "observedGeneration":1,"replicas":2,"readyReplicas":2}})",
       State::kProgressing, "pods are not ready"},
      {"a new revision is on its way",
       R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":1},"status":{
           "observedGeneration":1,"replicas":1,"readyReplicas":1,"currentRevision":"a",
           "updateRevision":"b"}})",
       State::kProgressing, "rolling out"},
      {"everything is there",
       R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":1},"status":{
           "observedGeneration":1,"replicas":1,"readyReplicas":1,"currentRevision":"b",
           "updateRevision":"b"}})",
       State::kReady, ""},
      {"a partition holds one pod back",
       R"({"apiVersion":"apps/v1","kind":"StatefulSet",
           "spec":{"replicas":2,"updateStrategy":{"rollingUpdate":{"partition":1}}},"status":{
           "observedGeneration":1,"replicas":2,"readyReplicas":2,"updatedReplicas":1,
           "currentRevision":"a","updateRevision":"b"}})",
       State::kReady, ""},
      {"above the partition pods are still old",
       R"({"apiVersion":"apps/v1","kind":"StatefulSet",
           "spec":{"replicas":3,"updateStrategy":{"rollingUpdate":{"partition":1}}},"status":{
           "observedGeneration":1,"replicas":3,"readyReplicas":3,"updatedReplicas":1}})",
       State::kProgressing, "rolling out"},
  });
}

TEST_CASE("DaemonSet and ReplicaSet") {
  check({
      {"nobody has looked at it", R"({"apiVersion":"apps/v1","kind":"DaemonSet"})",
       State::kProgressing, "not observed yet"},
      {"no node wants one",
       R"({"apiVersion":"apps/v1","kind":"DaemonSet","status":{"observedGeneration":1,
           "desiredNumberScheduled":0}})",
       State::kReady, ""},
      {"old pods",
       R"({"apiVersion":"apps/v1","kind":"DaemonSet","status":{"observedGeneration":1,
           "desiredNumberScheduled":2,"updatedNumberScheduled":1,"numberAvailable":2,
           "numberReady":2}})",
       State::kProgressing, "rolling out"},
      {"not available",
       R"({"apiVersion":"apps/v1","kind":"DaemonSet","status":{"observedGeneration":1,
           "desiredNumberScheduled":2,"updatedNumberScheduled":2,"numberAvailable":1,
           "numberReady":2}})",
       State::kProgressing, "pods are not ready"},
      {"ReplicaSet",
       R"({"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"replicas":2},
           "status":{"readyReplicas":1}})",
       State::kProgressing, "pods are not ready"},
      {"ReplicationController",
       R"({"apiVersion":"v1","kind":"ReplicationController","spec":{"replicas":1},
           "status":{"readyReplicas":1}})",
       State::kReady, ""},
  });
}

TEST_CASE("Pod and Job") {
  check({
      {"starting", R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Pending"}})",
       State::kProgressing, "the pod is not ready"},
      {"ready",
       R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Running",
           "conditions":[{"type":"Ready","status":"True"}]}})",
       State::kReady, ""},
      {"done", R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Succeeded"}})", State::kReady,
       ""},
      {"failed", R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Failed"}})", State::kFailed,
       "the pod failed"},
      {"crash loop",
       R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Running","containerStatuses":[
           {"state":{"running":{}}},{"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})",
       State::kFailed, "a container is in CrashLoopBackOff"},
      {"another wait",
       R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Pending","containerStatuses":[
           {"state":{"waiting":{"reason":"ContainerCreating"}}}]}})",
       State::kProgressing, "the pod is not ready"},
      {"job running", R"({"apiVersion":"batch/v1","kind":"Job","status":{"active":1}})",
       State::kProgressing, "the job has not completed"},
      {"job complete",
       R"({"apiVersion":"batch/v1","kind":"Job","status":{"conditions":[
           {"type":"Complete","status":"True"}]}})",
       State::kReady, ""},
      {"job suspended",
       R"({"apiVersion":"batch/v1","kind":"Job","status":{"conditions":[
           {"type":"Suspended","status":"True"}]}})",
       State::kReady, ""},
      {"job failed",
       R"({"apiVersion":"batch/v1","kind":"Job","status":{"conditions":[
           {"type":"Failed","status":"True"}]}})",
       State::kFailed, "the job failed"},
  });
}

TEST_CASE("Claims, services and definitions") {
  check({
      {"claim without a volume", R"({"apiVersion":"v1","kind":"PersistentVolumeClaim"})",
       State::kProgressing, "the claim is not bound"},
      {"bound", R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","status":{"phase":"Bound"}})",
       State::kReady, ""},
      {"lost", R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","status":{"phase":"Lost"}})",
       State::kFailed, "the claim lost its volume"},
      {"a load balancer without an address inside",
       R"({"apiVersion":"v1","kind":"Service","spec":{"type":"LoadBalancer"}})",
       State::kProgressing, "no cluster IP yet"},
      {"a load balancer without an address outside",
       R"({"apiVersion":"v1","kind":"Service","status":{"loadBalancer":{}},
           "spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1"}})",
       State::kProgressing, "the load balancer has no address yet"},
      {"with an empty list of addresses",
       R"({"apiVersion":"v1","kind":"Service","status":{"loadBalancer":{"ingress":[]}},
           "spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1","externalIPs":[]}})",
       State::kProgressing, "the load balancer has no address yet"},
      {"a load balancer",
       R"({"apiVersion":"v1","kind":"Service","status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}},
           "spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1"}})",
       State::kReady, ""},
      {"one with addresses of its own",
       R"({"apiVersion":"v1","kind":"Service",
           "spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1","externalIPs":["192.0.2.1"]}})",
       State::kReady, ""},
      {"any other service", R"({"apiVersion":"v1","kind":"Service","spec":{}})", State::kReady, ""},
      {"definition",
       R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"})",
       State::kProgressing, "not established"},
      {"established",
       R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
           "status":{"conditions":[{"type":"Established","status":"True"}]}})",
       State::kReady, ""},
      {"names taken",
       R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
           "status":{"conditions":[{"type":"Established","status":"True"},
                                   {"type":"NamesAccepted","status":"False"}]}})",
       State::kFailed, "the names are not accepted"},
  });
}

TEST_CASE("States have the words that the status shows") {
  CHECK(to_string(State::kReady) == "Ready");
  CHECK(to_string(State::kProgressing) == "Progressing");
  CHECK(to_string(State::kFailed) == "Failed");
  CHECK(to_string(State::kTerminating) == "Terminating");
}

}  // namespace
}  // namespace chartwright::health
