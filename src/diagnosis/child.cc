// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/child.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "diagnosis/pod.h"
#include "health/conditions.h"
#include "kube/label_selector.h"
#include "kube/names.h"
#include "kube/object.h"

namespace chartwright::diagnosis {
namespace {

using health::condition_of;
using health::has_condition;
using value::Value;

constexpr size_t kSelectorBytesMax = 4096;
constexpr int64_t kPodsMax = 1'000'000'000;

/// Returns the sign of a condition: its reason, and its message where that is not only its type in
/// other words.
Sign condition_sign(Code code, const Value& condition) {
  const std::string_view type = condition.string_at({"type"});
  const std::string reason(identifier(condition.string_at({"reason"}), identifier(type, "")));
  const std::string_view message = text_at(condition, {"message"});
  const std::string colon = message.empty() ? "" : ": ";
  return {code, reason + colon + std::string(first_sentence(message)),
          reason + colon + std::string(message)};
}

/// Source: k8s.io/kubernetes pkg/controller/replicaset/replica_set_utils.go calculateStatus.
std::optional<OwnSign> replica_failure(const Value& child, const Events&) {
  const Value* condition = condition_of(child, "ReplicaFailure");
  if (condition == nullptr || condition->string_at({"status"}) != "True" ||
      condition->string_at({"reason"}) != "FailedCreate") {
    return std::nullopt;
  }
  return OwnSign{refusal(text_at(*condition, {"message"}))};
}

/// Source: k8s.io/kubernetes pkg/controller/controller_utils.go createPodsWithGenerateName,
/// pkg/controller/statefulset/stateful_pod_control.go recordPodEvent.
std::optional<OwnSign> create_failure(const Value&, const Events& events) {
  const Event* event = events.newest({"FailedCreate", "SuccessfulCreate"});
  if (event == nullptr || event->reason != "FailedCreate") {
    return std::nullopt;
  }
  return OwnSign{refusal(event->message)};
}

/// Source: k8s.io/kubernetes pkg/controller/job/job_controller.go.
std::optional<OwnSign> job_failed(const Value& child, const Events& events) {
  const Value* condition = condition_of(child, "Failed");
  if (condition == nullptr || condition->string_at({"status"}) != "True") {
    return create_failure(child, events);
  }
  Sign sign = condition_sign(Code::kJobFailed, *condition);
  sign.stable = identifier(condition->string_at({"reason"}), "Failed");
  return OwnSign{sign, false};
}

std::optional<OwnSign> claim(const Value& child, const Events& events) {
  auto sign = claim_sign(child, events);
  return sign ? std::optional(OwnSign{*std::move(sign)}) : std::nullopt;
}

bool awaits_load_balancer(const Value& child) {
  return child.string_at({"spec", "type"}) == "LoadBalancer" &&
         child.items_at({"status", "loadBalancer", "ingress"}).empty();
}

/// Source: k8s.io/cloud-provider controllers/service/controller.go processServiceCreateOrUpdate.
std::optional<OwnSign> load_balancer(const Value& child, const Events& events) {
  if (!awaits_load_balancer(child)) {
    return std::nullopt;
  }
  const Event* event = events.newest({"SyncLoadBalancerFailed", "EnsuredLoadBalancer"});
  Sign sign{Code::kLoadBalancerPending, "the load balancer has no address yet",
            "the load balancer has no address yet"};
  if (event != nullptr && event->reason == "SyncLoadBalancerFailed") {
    // The text of a cloud may have the number of a request.
    sign.stable += " (SyncLoadBalancerFailed)";
    sign.full = "SyncLoadBalancerFailed: " + one_line(event->message);
  }
  return OwnSign{sign};
}

std::optional<OwnSign> ingress(const Value& child, const Events&) {
  if (!child.items_at({"status", "loadBalancer", "ingress"}).empty()) {
    return std::nullopt;
  }
  const std::string name = one_line(child.string_at({"spec", "ingressClassName"}), 63);
  const std::string text = "no controller has given it an address" +
                           (name.empty() ? "" : " (ingress class " + name + ")");
  return OwnSign{{Code::kLoadBalancerPending, text, text}};
}

/// Source: k8s.io/kubernetes pkg/controller/podautoscaler/horizontal.go.
std::optional<OwnSign> scaling(const Value& child, const Events&) {
  for (const std::string_view type : {"AbleToScale", "ScalingActive"}) {
    const Value* condition = condition_of(child, type);
    if (condition != nullptr && condition->string_at({"status"}) == "False" &&
        condition->string_at({"reason"}) != "ScalingDisabled") {
      return OwnSign{condition_sign(Code::kScalingFailed, *condition)};
    }
  }
  return std::nullopt;
}

std::optional<OwnSign> disruption(const Value& child, const Events&) {
  const int64_t healthy = integer_at(child, {"status", "currentHealthy"});
  const int64_t desired = integer_at(child, {"status", "desiredHealthy"});
  if (healthy >= desired) {
    return std::nullopt;
  }
  const std::string text = std::to_string(healthy) + " of " + std::to_string(desired) +
                           " pods that it demands are healthy";
  return OwnSign{{Code::kDisruptionBlocked, text, text}, false};
}

/// Source: sigs.k8s.io/cli-utils pkg/kstatus/status/generic.go, for kinds of other operators.
std::optional<OwnSign> by_conditions(const Value& child, const Events&) {
  struct Rule {
    std::string_view type;
    std::string_view bad;
  };
  static constexpr std::array<Rule, 6> kRules = {{{"Stalled", "True"},
                                                  {"NamesAccepted", "False"},
                                                  {"Established", "False"},
                                                  {"Ready", "False"},
                                                  {"Ready", "Unknown"},
                                                  {"Available", "False"}}};
  for (const Rule& rule : kRules) {
    if (has_condition(child, rule.type, rule.bad)) {
      return OwnSign{condition_sign(Code::kResourceNotReady, *condition_of(child, rule.type))};
    }
  }
  return std::nullopt;
}

std::optional<OwnSign> nothing(const Value&, const Events&) { return std::nullopt; }

struct KindRule {
  std::string_view group;
  std::string_view kind;
  bool has_pods;
  bool has_events;
  std::optional<OwnSign> (*sign)(const Value&, const Events&);
};

constexpr std::array<KindRule, 12> kKinds = {{
    {"apps", "Deployment", true, false, replica_failure},
    {"apps", "ReplicaSet", true, false, replica_failure},
    {"", "ReplicationController", true, false, replica_failure},
    {"apps", "StatefulSet", true, true, create_failure},
    {"apps", "DaemonSet", true, true, create_failure},
    {"batch", "Job", true, true, job_failed},
    {"", "Pod", true, false, nothing},
    {"", "PersistentVolumeClaim", false, true, claim},
    {"", "Service", true, true, load_balancer},
    {"networking.k8s.io", "Ingress", false, false, ingress},
    {"autoscaling", "HorizontalPodAutoscaler", false, false, scaling},
    {"policy", "PodDisruptionBudget", true, false, disruption},
}};
constexpr KindRule kOther = {"", "", false, false, by_conditions};

const KindRule& rule_of(const kube::GroupKind& kind) {
  const auto found = std::ranges::find_if(kKinds, [&kind](const KindRule& rule) {
    return rule.group == kind.group && rule.kind == kind.kind;
  });
  return found == kKinds.end() ? kOther : *found;
}

const KindRule& rule_of(const Value& child) { return rule_of(kube::gvk_of(child).group_kind()); }

}  // namespace

Nature nature_of(const Value& child) {
  const KindRule& rule = rule_of(child);
  Nature nature{rule.has_pods, rule.has_events};
  if (rule.kind == "DaemonSet") {
    nature.wanted = integer_at(child, {"status", "desiredNumberScheduled"});
    nature.made = integer_at(child, {"status", "currentNumberScheduled"});
  } else if (rule.group == "apps" || rule.kind == "ReplicationController") {
    const bool revised = rule.kind == "Deployment";
    nature.wanted = integer_at(child, {"spec", "replicas"}, 1);
    nature.made = integer_at(child, {"status", revised ? "updatedReplicas" : "replicas"});
    nature.is_ordered = rule.kind == "StatefulSet" &&
                        child.string_at({"spec", "podManagementPolicy"}) != "Parallel";
  } else if (rule.kind == "Service") {
    nature.has_events = awaits_load_balancer(child);
    nature.has_pods = !nature.has_events;
  } else if (rule.kind == "PodDisruptionBudget") {
    nature.has_pods = disruption(child, {}).has_value();
  }
  nature.wanted = std::clamp<int64_t>(nature.wanted, -1, kPodsMax);
  nature.made = std::clamp<int64_t>(nature.made, 0, kPodsMax);
  return nature;
}

Reach reach_of(const kube::GroupKind& kind) {
  const KindRule& rule = rule_of(kind);
  const bool is_pod = rule.kind == "Pod";
  return {rule.has_pods && !is_pod, is_pod, rule.kind == "Deployment", rule.has_events};
}

std::optional<OwnSign> own_sign(const Value& child, const Events& events) {
  return rule_of(child).sign(child, events);
}

std::string pod_selector(const Value& child) {
  const auto selector = kube::LabelSelector::of(child);
  if (!selector.ok()) {
    return "";
  }
  std::vector<std::string> texts;
  size_t size = 0;
  for (const kube::LabelRequirement& one : selector->requirements()) {
    if (!kube::is_label_key(one.key) || !std::ranges::all_of(one.values, kube::is_label_value)) {
      return "";
    }
    texts.push_back(one.to_string());
    size += texts.back().size() + 1;
  }
  return size > kSelectorBytesMax ? "" : base::join(texts, ",");
}

/// Source: k8s.io/kubernetes pkg/controller/deployment/progress.go and sync.go, whose messages name
/// the newest ReplicaSet.
std::string newest_hash(const Value& child) {
  const Value* condition = condition_of(child, "Progressing");
  const std::string_view message = condition == nullptr ? "" : text_at(*condition, {"message"});
  const std::string mark = "\"" + std::string(kube::name_of(child)) + "-";
  const size_t at = message.find(mark);
  if (at == std::string_view::npos) {
    return std::string(child.string_at({"status", "updateRevision"}));
  }
  const std::string_view rest = message.substr(at + mark.size());
  return std::string(rest.substr(0, rest.find('"')));
}

std::string hash_of(const Value& pod) {
  for (const std::string_view label : {"pod-template-hash", "controller-revision-hash"}) {
    if (const auto hash = kube::label_of(pod, label)) {
      return std::string(*hash);
    }
  }
  return "";
}

}  // namespace chartwright::diagnosis
