// SPDX-License-Identifier: Apache-2.0
#include "scenario/ready_status.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/object.h"

namespace chartwright::scenario {

using value::Value;

namespace {

Value text(std::string_view of) { return Value::string(std::string(of)); }

Value conditions(std::initializer_list<std::string_view> types) {
  std::vector<Value> all;
  for (const std::string_view type : types) {
    all.push_back(Value::dict({{"type", text(type)}, {"status", text("True")}}));
  }
  return Value::list(std::move(all));
}

/// The counts of a workload, which all say how many Pods there are to be.
Value counted(const Value& object, std::initializer_list<std::string_view> counts, int64_t number) {
  Value status = Value::dict({{"observedGeneration", Value::integer(kube::generation_of(object))}});
  for (const std::string_view count : counts) {
    status.mutable_dict().set(count, Value::integer(number));
  }
  return status;
}

}  // namespace

std::optional<Value> ready_status(const Value& object) {
  const std::string_view kind = object.string_at({"kind"});
  const Value* const wanted = object.find_path({"spec", "replicas"});
  const int64_t replicas = wanted != nullptr && wanted->is_int() ? wanted->as_int() : 1;
  if (kind == "Deployment") {
    Value status = counted(
        object, {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}, replicas);
    status.mutable_dict().set("conditions", conditions({"Available"}));
    return status;
  }
  if (kind == "StatefulSet") {
    Value status = counted(
        object,
        {"replicas", "updatedReplicas", "readyReplicas", "currentReplicas", "availableReplicas"},
        replicas);
    status.mutable_dict().set("currentRevision", text("1"));
    status.mutable_dict().set("updateRevision", text("1"));
    return status;
  }
  if (kind == "ReplicaSet") {
    return counted(object,
                   {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
                   replicas);
  }
  if (kind == "DaemonSet") {
    return counted(object,
                   {"desiredNumberScheduled", "currentNumberScheduled", "updatedNumberScheduled",
                    "numberReady", "numberAvailable"},
                   1);
  }
  if (kind == "Pod") {
    return Value::dict({{"phase", text("Running")}, {"conditions", conditions({"Ready"})}});
  }
  if (kind == "Job") {
    return Value::dict(
        {{"succeeded", Value::integer(1)}, {"conditions", conditions({"Complete"})}});
  }
  if (kind == "PersistentVolumeClaim") {
    const Value* const size = object.find_path({"spec", "resources", "requests", "storage"});
    Value status = Value::dict({{"phase", text("Bound")}});
    if (size != nullptr) {
      status.mutable_dict().set("capacity", Value::dict({{"storage", *size}}));
    }
    return status;
  }
  return std::nullopt;
}

}  // namespace chartwright::scenario
