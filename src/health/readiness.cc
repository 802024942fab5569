// SPDX-License-Identifier: Apache-2.0
#include "health/readiness.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/printable.h"
#include "base/unicode.h"
#include "health/conditions.h"
#include "health/services.h"
#include "health/verdict.h"
#include "health/workloads.h"

namespace chartwright::health {
namespace {

using value::Value;

constexpr std::string_view kGatewayGroup = "gateway.networking.k8s.io";

struct RuleOfKind {
  std::string_view group;
  std::string_view kind;
  KindRule judge;
};

// docs/operate/readiness.md has the same kinds.
constexpr std::array kRules = {
    RuleOfKind{"apps", "Deployment", judge_deployment},
    RuleOfKind{"apps", "StatefulSet", judge_stateful_set},
    RuleOfKind{"apps", "DaemonSet", judge_daemon_set},
    RuleOfKind{"apps", "ReplicaSet", judge_replica_set},
    RuleOfKind{"", "ReplicationController", judge_replica_set},
    RuleOfKind{"", "Pod", judge_pod},
    RuleOfKind{"batch", "Job", judge_job},
    RuleOfKind{"batch", "CronJob", judge_as_ready},
    RuleOfKind{"", "Service", judge_service},
    RuleOfKind{"networking.k8s.io", "Ingress", judge_as_ready},
    RuleOfKind{"", "PersistentVolumeClaim", judge_volume_claim},
    RuleOfKind{"", "PersistentVolume", judge_volume},
    RuleOfKind{"", "ConfigMap", judge_as_ready},
    RuleOfKind{"", "Secret", judge_as_ready},
    RuleOfKind{"apiextensions.k8s.io", "CustomResourceDefinition", judge_definition},
    RuleOfKind{"apiregistration.k8s.io", "APIService", judge_api_service},
    RuleOfKind{"autoscaling", "HorizontalPodAutoscaler", judge_as_ready},
    RuleOfKind{"policy", "PodDisruptionBudget", judge_disruption_budget},
    RuleOfKind{kGatewayGroup, "GatewayClass", judge_gateway},
    RuleOfKind{kGatewayGroup, "Gateway", judge_gateway},
    RuleOfKind{kGatewayGroup, "HTTPRoute", judge_route},
    RuleOfKind{kGatewayGroup, "GRPCRoute", judge_route},
    RuleOfKind{kGatewayGroup, "TLSRoute", judge_route},
    RuleOfKind{kGatewayGroup, "TCPRoute", judge_route},
    RuleOfKind{kGatewayGroup, "UDPRoute", judge_route},
};

std::string_view group_of(const Value& object) {
  const std::string_view version = object.string_at({"apiVersion"});
  const size_t slash = version.find('/');
  return slash == std::string_view::npos ? "" : version.substr(0, slash);
}

// Reports whether the controller has not processed the newest spec yet. False if one of the
// generations is missing, as in many kinds, or malformed.
bool generation_unseen(const Value& object) {
  const Value* seen = object.find_path({"status", "observedGeneration"});
  if (seen == nullptr || !seen->is_int()) {
    return false;
  }
  const Value* generation = object.find_path({"metadata", "generation"});
  return generation != nullptr && generation->is_int() && seen->as_int() != generation->as_int();
}

// Judges by the Ready condition, which many controllers of other kinds write.
Readiness by_ready_condition(const Value* conditions) {
  const Value* c = find_condition(conditions, "Ready");
  return c == nullptr || c->string_at({"status"}) == "True" ? ready()
                                                            : progressing(words_or(c, "not ready"));
}

// Judges by what any kind may have.
Readiness judged(const Value& object) {
  if (!object.string_at({"metadata", "deletionTimestamp"}).empty()) {
    return {ReadyState::kTerminating, std::string(kBeingDeleted)};
  }
  if (generation_unseen(object)) {
    return progressing("not observed yet");
  }
  const Value* conditions = object.find_path({"status", "conditions"});
  const auto is_true = [](const Value* c) {
    return c != nullptr && c->string_at({"status"}) == "True";
  };
  if (const Value* c = find_condition(conditions, "Stalled"); is_true(c)) {
    return failed(words_or(c, "stalled"));
  }
  if (const Value* c = find_condition(conditions, "Reconciling"); is_true(c)) {
    return progressing(words_or(c, "reconciling"));
  }
  const std::string_view group = group_of(object);
  const std::string_view kind = object.string_at({"kind"});
  const auto* rule = std::ranges::find_if(
      kRules, [&](const RuleOfKind& one) { return one.kind == kind && one.group == group; });
  return rule != kRules.end() ? rule->judge(object) : by_ready_condition(conditions);
}

// Returns the text in one printable line of limited length.
std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return base::shortened(base::printable(text), Readiness::kMessageBytesMax);
}

}  // namespace

Readiness readiness_of(const Value& object) {
  Readiness readiness = judged(object);
  if (!readiness.message.empty()) {
    readiness.message = in_one_line(std::move(readiness.message));
  }
  return readiness;
}

std::vector<kube::GroupKind> kinds_with_rule() {
  std::vector<kube::GroupKind> kinds;
  std::ranges::transform(kRules, std::back_inserter(kinds), [](const RuleOfKind& one) {
    return kube::GroupKind{std::string(one.group), std::string(one.kind)};
  });
  std::ranges::sort(kinds);
  return kinds;
}

}  // namespace chartwright::health
