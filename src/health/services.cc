// SPDX-License-Identifier: Apache-2.0
#include "health/services.h"

#include <string>
#include <string_view>
#include <vector>

#include "health/conditions.h"
#include "health/verdict.h"

namespace chartwright::health {
namespace {

using value::Value;

// Reports whether the conditions are there, and about the newest spec: those of the Gateway API
// have the generation themselves.
bool are_current(const Value* conditions, const Value& object) {
  if (conditions == nullptr || !conditions->is_list() || conditions->as_list().items.empty()) {
    return false;
  }
  const Value* generation = object.find_path({"metadata", "generation"});
  if (generation == nullptr || !generation->is_int()) {
    return true;
  }
  for (const Value& one : conditions->as_list().items) {
    const Value* seen = one.find("observedGeneration");
    if (seen != nullptr && seen->is_int() && seen->as_int() != generation->as_int()) {
      return false;
    }
  }
  return true;
}

// Returns the condition by which a controller has not accepted or not programmed something; nullptr
// if there is none. A reference counts only if it cannot be
// resolved: not all controllers say that one can be.
const Value* objection(const Value* conditions) {
  for (const std::string_view type : {"Accepted", "ResolvedRefs", "Programmed"}) {
    const Value* one = find_condition(conditions, type);
    if (one == nullptr) {
      continue;
    }
    const std::string_view status = one->string_at({"status"});
    if (type == "ResolvedRefs" ? status == "False" : status != "True") {
      return one;
    }
  }
  return nullptr;
}

constexpr std::string_view kNotTaken = "not accepted yet";

}  // namespace

// Addresses that the spec gives count, too: the nodes accept traffic for them.
// Source: helm/helm pkg/kube/ready.go, serviceReady.
Readiness judge_service(const Value& object) {
  if (object.string_at({"spec", "type"}) != "LoadBalancer") {
    return ready();
  }
  if (object.string_at({"spec", "clusterIP"}).empty()) {
    return progressing("no cluster IP yet");
  }
  if (object.items_at({"spec", "externalIPs"}).empty() &&
      object.items_at({"status", "loadBalancer", "ingress"}).empty()) {
    return progressing("the load balancer has no address yet");
  }
  return ready();
}

Readiness judge_volume(const Value& object) {
  return object.string_at({"status", "phase"}) == "Failed"
             ? failed(with_words("the volume failed", object.find("status")))
             : ready();
}

Readiness judge_volume_claim(const Value& object) {
  const std::string_view phase = object.string_at({"status", "phase"});
  if (phase == "Lost") {
    return failed("the claim lost its volume");
  }
  return phase == "Bound" ? ready() : progressing("the claim is not bound");
}

Readiness judge_definition(const Value& object) {
  const Value* names = condition_of(object, "NamesAccepted");
  if (names != nullptr && names->string_at({"status"}) == "False") {
    return failed(with_words("the names are not accepted", names));
  }
  const Value* established = condition_of(object, "Established");
  const std::string_view status = established == nullptr ? "" : established->string_at({"status"});
  if (status == "False" && established->string_at({"reason"}) != "Installing") {
    return failed(with_words("not established", established));
  }
  return status == "True" ? ready() : progressing("not established");
}

Readiness judge_api_service(const Value& object) {
  const Value* available = condition_of(object, "Available");
  if (available != nullptr && available->string_at({"status"}) == "True") {
    return ready();
  }
  return progressing(words_or(available, "not available yet"));
}

// A budget that allows no disruption now does its work. One that cannot be computed does not.
Readiness judge_disruption_budget(const Value& object) {
  const Value* one = condition_of(object, "DisruptionAllowed");
  const bool is_broken = one != nullptr && one->string_at({"status"}) == "False" &&
                         one->string_at({"reason"}) == "SyncFailed";
  return is_broken ? progressing(words_of(one)) : ready();
}

Readiness judge_gateway(const Value& object) {
  const Value* conditions = object.find_path({"status", "conditions"});
  if (!are_current(conditions, object)) {
    return progressing(std::string(kNotTaken));
  }
  if (const Value* one = objection(conditions)) {
    return progressing(words_or(one, kNotTaken));
  }
  for (const Value& listener : object.items_at({"status", "listeners"})) {
    if (const Value* one = objection(listener.find("conditions"))) {
      const std::string name(listener.string_at({"name"}).substr(0, 100));
      return progressing(with_words("listener " + name, one));
    }
  }
  return ready();
}

// Entries of parents that nobody updates any more may be left over; one that is current is enough.
Readiness judge_route(const Value& object) {
  if (object.items_at({"spec", "parentRefs"}).empty()) {
    return ready();
  }
  bool is_taken = false;
  for (const Value& parent : object.items_at({"status", "parents"})) {
    const Value* conditions = parent.find("conditions");
    if (!are_current(conditions, object)) {
      continue;
    }
    is_taken = true;
    if (const Value* one = objection(conditions)) {
      const std::string name(parent.string_at({"parentRef", "name"}).substr(0, 100));
      return progressing(with_words("parent " + name, one));
    }
  }
  return is_taken ? ready() : progressing(std::string(kNotTaken));
}

Readiness judge_as_ready(const Value& /*object*/) { return ready(); }

}  // namespace chartwright::health
