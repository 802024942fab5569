// SPDX-License-Identifier: Apache-2.0
#include "scenario/ready_status.h"

#include <catch2/catch.hpp>
#include <string>

#include "health/readiness.h"
#include "test/value/json_text.h"

namespace chartwright::scenario {
namespace {

using value::Value;
using value::testing::json;

TEST_CASE("An object with its ready status is ready") {
  for (const char* const text : {
           R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":3},
               "spec":{"replicas":2}})",
           R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"generation":1},
               "spec":{"replicas":3}})",
           R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"generation":1},"spec":{}})",
           R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"generation":2},"spec":{}})",
           R"({"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{}})",
           R"({"apiVersion":"batch/v1","kind":"Job","metadata":{},"spec":{}})",
           R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{},
               "spec":{"resources":{"requests":{"storage":"1Gi"}}}})",
       }) {
    Value object = json(text);
    INFO(text);
    CHECK(health::readiness_of(object).state != health::ReadyState::kReady);
    const auto status = ready_status(object);
    REQUIRE(status);
    object.mutable_dict().set("status", *status);
    CHECK(health::readiness_of(object).message.empty());
  }
}

TEST_CASE("Other kinds have no ready status") {
  CHECK_FALSE(ready_status(json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{}})")));
}

}  // namespace
}  // namespace chartwright::scenario
