// SPDX-License-Identifier: Apache-2.0
#include "health/selected.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::health {
namespace {

using value::Value;
using value::testing::json;

const kube::GroupKind kPod{"", "Pod"};
const kube::GroupKind kClaim{"", "PersistentVolumeClaim"};

Value child(const std::string& api_version, const std::string& kind) {
  return json(R"({"apiVersion":")" + api_version + R"(","kind":")" + kind +
              R"(","metadata":{"name":"db","uid":"u1"},"spec":{"volumeClaimTemplates":[)"
              R"({"metadata":{"name":"data"}},{"metadata":{"name":"log"}}]}})");
}

Value made_by(const std::string& kind, const std::string& name, const std::string& uid,
              const std::string& hash = "") {
  return json(R"({"metadata":{"name":"p","labels":{"pod-template-hash":")" + hash +
              R"("},"ownerReferences":[{"kind":"Other","name":"x","uid":"u1"},{"controller":true,)"
              R"("kind":")" +
              kind + R"(","name":")" + name + R"(","uid":")" + uid + "\"}]}}");
}

Value named(const std::string& name) { return json(R"({"metadata":{"name":")" + name + "\"}}"); }

TEST_CASE("A pod belongs to the set that controls it, not to one with the same labels") {
  const Value set = child("apps/v1", GENERATE("StatefulSet", "DaemonSet", "ReplicaSet"));
  CHECK(belongs_to(set, kPod, made_by("StatefulSet", "db", "u1")));
  CHECK_FALSE(belongs_to(set, kPod, made_by("StatefulSet", "db", "u2")));
  CHECK_FALSE(belongs_to(child("batch/v1", "Job"), kPod, made_by("Job", "db", "u2")));
  CHECK(belongs_to(set, kPod, named("alone")));
}

TEST_CASE("A pod belongs to a Deployment by its ReplicaSet, which has the hash of its pods") {
  const Value deployment = child("apps/v1", "Deployment");
  CHECK(belongs_to(deployment, kPod, made_by("ReplicaSet", "db-5f6c", "r1", "5f6c")));
  CHECK_FALSE(belongs_to(deployment, kPod, made_by("ReplicaSet", "other-5f6c", "r2", "5f6c")));
  CHECK_FALSE(belongs_to(deployment, kPod, made_by("ReplicaSet", "db-two-5f6c", "r2", "5f6c")));
  CHECK_FALSE(belongs_to(deployment, kPod, made_by("ReplicaSet", "db-5f6c", "r2")));
  CHECK_FALSE(belongs_to(deployment, kPod, made_by("StatefulSet", "db-5f6c", "r2", "5f6c")));
  CHECK(belongs_to(deployment, {"apps", "ReplicaSet"}, made_by("Deployment", "db", "u1")));
  CHECK_FALSE(belongs_to(deployment, {"apps", "ReplicaSet"}, made_by("Deployment", "db", "u2")));
}

TEST_CASE("A claim belongs to a StatefulSet by its name") {
  const Value set = child("apps/v1", "StatefulSet");
  CHECK(belongs_to(set, kClaim, named("data-db-0")));
  CHECK(belongs_to(set, kClaim, named("log-db-12")));
  for (const char* name : {"data-other-0", "data-db", "data-db-", "data-db-x", "data-db-0-1",
                           "cache-db-0", "db-0", "data-two-db-0"}) {
    INFO(name);
    CHECK_FALSE(belongs_to(set, kClaim, named(name)));
  }
}

TEST_CASE("A Service has what its labels select") {
  CHECK(belongs_to(child("v1", "Service"), kPod, made_by("StatefulSet", "any", "u9")));
}

}  // namespace
}  // namespace chartwright::health
