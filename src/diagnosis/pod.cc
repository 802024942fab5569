// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/pod.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "health/conditions.h"
#include "kube/names.h"
#include "kube/object.h"

namespace chartwright::diagnosis {
namespace {

using health::condition_of;
using health::has_condition;
using value::Value;

constexpr size_t kContainersMax = 64;
constexpr size_t kVolumesMax = 256;

/// A container that is not ready, with its status and its specification.
struct Container {
  const Value& status;
  const Value* spec;
  bool is_init;
  bool is_alone;
  bool stays_ended;  ///< It is not started again.

  std::string_view name() const { return status.string_at({"name"}); }
  std::string_view waiting() const { return status.string_at({"state", "waiting", "reason"}); }
  bool is_running() const { return status.find_path({"state", "running"}) != nullptr; }
  int64_t restarts() const { return integer_at(status, {"restartCount"}); }
  /// Returns how it has ended, now or the last time; null if it never has.
  const Value* end() const {
    const Value* now = status.find_path({"state", "terminated"});
    const Value* ended = now != nullptr ? now : status.find_path({"lastState", "terminated"});
    return ended != nullptr && ended->is_dict() ? ended : nullptr;
  }
  /// Returns "init container migrate: ", "container app: ", or "" for the only one of its pod.
  std::string label() const {
    if (is_alone && !is_init) {
      return "";
    }
    return std::string(is_init ? "init " : "") + "container " + one_line(name(), 63) + ": ";
  }
};

const Value* named(const std::vector<Value>& items, std::string_view name) {
  const auto end = items.begin() + static_cast<ptrdiff_t>(std::min(items.size(), kContainersMax));
  const auto found = std::find_if(
      items.begin(), end, [name](const Value& item) { return item.string_at({"name"}) == name; });
  return found == end ? nullptr : &*found;
}

/// Calls `visit` for each container that is not ready and has not succeeded, init containers
/// first, until it returns something.
template <typename Visit>
auto first_container(const Value& pod, const Visit& visit)
    -> decltype(visit(std::declval<const Container&>())) {
  const std::string_view policy = pod.string_at({"spec", "restartPolicy"});
  const bool never = policy == "Never" || pod.string_at({"status", "phase"}) == "Failed";
  const bool is_alone = pod.items_at({"status", "containerStatuses"}).size() <= 1;
  for (const bool is_init : {true, false}) {
    const std::string_view specs = is_init ? "initContainers" : "containers";
    const auto& statuses =
        pod.items_at({"status", is_init ? "initContainerStatuses" : "containerStatuses"});
    for (size_t i = 0; i < std::min(statuses.size(), kContainersMax); ++i) {
      const Value& status = statuses[i];
      const Container one{status, named(pod.items_at({"spec", specs}), status.string_at({"name"})),
                          is_init, is_alone, never};
      const bool succeeded = status.find_path({"state", "terminated"}) != nullptr &&
                             integer_at(status, {"state", "terminated", "exitCode"}) == 0;
      if (status.bool_at({"ready"}) || (succeeded && (is_init || never || policy == "OnFailure"))) {
        continue;
      }
      if (auto found = visit(one)) {
        return found;
      }
    }
  }
  return {};
}

/// Returns "exit 1", "signal 9", with the reason where it says more.
std::string end_text(const Value& end) {
  const std::string_view reason = identifier(end.string_at({"reason"}), "Error");
  const int64_t signal = integer_at(end, {"signal"});
  const std::string how = signal > 0 ? "signal " + std::to_string(signal)
                                     : "exit " + std::to_string(integer_at(end, {"exitCode"}));
  return reason == "Error" || reason == "Completed" ? how : std::string(reason) + ", " + how;
}

std::string in_parentheses(std::string_view first, std::string_view second) {
  const std::string_view comma = first.empty() || second.empty() ? "" : ", ";
  return first.empty() && second.empty()
             ? ""
             : " (" + std::string(first) + std::string(comma) + std::string(second) + ")";
}

/// Makes a sign of what is said, with the restarts of the container in parentheses.
Sign restarts_sign(Code code, const Container& one, std::string_view what, std::string_view how) {
  const std::string head = one.label() + std::string(what);
  return {code, head + in_parentheses(how, restarts_text(one.restarts(), Exact::kNo)),
          head + in_parentheses(how, restarts_text(one.restarts(), Exact::kYes)), one.is_init,
          one.restarts()};
}

// Node.

/// Source: k8s.io/kubernetes pkg/controller/util/node/controller_utils.go MarkPodsNotReady, which
/// sets the condition Ready alone.
bool looks_forsaken(const Value& pod) {
  const auto& gates = pod.items_at({"spec", "readinessGates"});
  return pod.string_at({"status", "phase"}) == "Running" && gates.empty() &&
         has_condition(pod, "Ready", "False") && has_condition(pod, "ContainersReady", "True");
}

std::string node_text(const PodEvidence& evidence) {
  if (evidence.node_is_gone) {
    return "the node of the pod is gone";
  }
  std::string pressure;
  if (evidence.node != nullptr) {
    for (const std::string_view type : {"MemoryPressure", "DiskPressure", "PIDPressure"}) {
      pressure += has_condition(*evidence.node, type, "True") ? ", " + std::string(type) : "";
    }
  }
  return "the node of the pod does not report" + pressure;
}

std::optional<Sign> node_lost(const PodEvidence& evidence) {
  const Value& pod = evidence.pod;
  const Value* disruption = condition_of(pod, "DisruptionTarget");
  const bool disrupted = disruption != nullptr && disruption->string_at({"status"}) == "True" &&
                         (disruption->string_at({"reason"}) == "DeletionByTaintManager" ||
                          disruption->string_at({"reason"}) == "DeletionByPodGC");
  const bool lost = pod.string_at({"status", "phase"}) == "Unknown" ||
                    pod.string_at({"status", "reason"}) == "NodeLost" || looks_forsaken(pod);
  if (!lost && !disrupted) {
    return std::nullopt;
  }
  const std::string text = lost ? node_text(evidence) : "the node of the pod is gone or tainted";
  const std::string node = one_line(pod.string_at({"spec", "nodeName"}), 63);
  return Sign{Code::kNodeLost, text, text + (node.empty() ? "" : " (" + node + ")")};
}

/// A pod that the kubelet has ended, or not admitted, has a reason.
/// Source: k8s.io/kubernetes pkg/kubelet/eviction/helpers.go, preemption/preemption.go,
/// nodeshutdown/nodeshutdown_manager.go, lifecycle/predicate.go.
std::optional<Sign> evicted(const PodEvidence& evidence) {
  const Value& pod = evidence.pod;
  const std::string_view reason = identifier(pod.string_at({"status", "reason"}), "");
  if (pod.string_at({"status", "phase"}) == "Failed" && reason == "DeadlineExceeded") {
    return Sign{Code::kContainerFailed, "DeadlineExceeded", "DeadlineExceeded"};
  }
  if (pod.string_at({"status", "phase"}) == "Failed" && !reason.empty()) {
    const std::string_view message = text_at(pod, {"status", "message"});
    const std::string head = std::string(reason) + ": ";
    return Sign{Code::kEvicted, head + std::string(first_sentence(message)),
                head + std::string(message)};
  }
  const Value* disruption = condition_of(pod, "DisruptionTarget");
  if (disruption == nullptr || disruption->string_at({"status"}) != "True") {
    return std::nullopt;
  }
  const std::string text(identifier(disruption->string_at({"reason"}), "DisruptionTarget"));
  return Sign{Code::kEvicted, text, text + ": " + std::string(text_at(*disruption, {"message"}))};
}

// Scheduling.

const Value* unscheduled(const Value& pod, std::string_view reason) {
  const Value* scheduled = condition_of(pod, "PodScheduled");
  const bool holds = scheduled != nullptr && scheduled->string_at({"status"}) == "False" &&
                     scheduled->string_at({"reason"}) == reason;
  return holds ? scheduled : nullptr;
}

std::optional<Sign> scheduling_gated(const PodEvidence& evidence) {
  if (unscheduled(evidence.pod, "SchedulingGated") == nullptr) {
    return std::nullopt;
  }
  std::string text = "SchedulingGated";
  const auto& gates = evidence.pod.items_at({"spec", "schedulingGates"});
  for (size_t i = 0; i < std::min<size_t>(gates.size(), 5); ++i) {
    text += (i == 0 ? ": " : ", ") + one_line(gates[i].string_at({"name"}));
  }
  return Sign{Code::kSchedulingGated, text, text};
}

/// A pod that waits for a claim is unschedulable, too.
/// Source: k8s.io/kubernetes pkg/scheduler/framework/plugins/volumebinding/volume_binding.go.
std::optional<Sign> unschedulable(const PodEvidence& evidence) {
  const Value* condition = unscheduled(evidence.pod, "Unschedulable");
  if (condition == nullptr) {
    return std::nullopt;
  }
  const std::string_view message = text_at(*condition, {"message"});
  if (const auto missing = missing_reference(message)) {
    return Sign{Code::kConfigMissing, *missing, *missing};
  }
  const bool needs_claim = contains(message, "unbound immediate PersistentVolumeClaims") ||
                           contains(message, "persistentvolumeclaim \"");
  const auto claim = needs_claim && evidence.claim != nullptr
                         ? claim_sign(*evidence.claim, evidence.claim_events)
                         : std::nullopt;
  if (claim) {
    const std::string head = "claim " + one_line(kube::name_of(*evidence.claim), 80) + ": ";
    return Sign{claim->code, head + claim->stable, head + claim->full};
  }
  const std::string head = needs_claim ? "" : "Unschedulable: ";
  return Sign{needs_claim ? Code::kClaimPending : Code::kUnschedulable,
              head + scheduling_reasons(message), head + std::string(first_sentence(message))};
}

// Images.

/// Source: k8s.io/kubernetes pkg/kubelet/images/types.go, k8s.io/cri-api pkg/errors/errors.go.
std::optional<Sign> image_pull(const PodEvidence& evidence) {
  static constexpr std::array<std::string_view, 7> kReasons = {
      "ErrImagePull",     "ImagePullBackOff",  "RegistryUnavailable", "SignatureValidationFailed",
      "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"};
  constexpr size_t kTransient = 4;  // The first ones alternate while the kubelet tries again.
  return first_container(evidence.pod, [&](const Container& one) -> std::optional<Sign> {
    const auto reason = std::ranges::find(kReasons, one.waiting());
    if (reason == kReasons.end()) {
      return std::nullopt;
    }
    const bool transient = reason < kReasons.begin() + kTransient;
    const std::string_view message = text_at(one.status, {"state", "waiting", "message"});
    const Event* failed = evidence.events.newest({"Failed"});
    std::string_view why = transient ? pull_failure(message) : "";
    if (transient && why.empty() && failed != nullptr) {
      why = pull_failure(failed->message);
    }
    const std::string image = "image " + one_line(one.status.string_at({"image"}), 120);
    const std::string name = one.label() + std::string(transient ? "ImagePullBackOff" : *reason);
    // A runtime quotes the image, again and again, before it says why.
    const size_t quoted = message.rfind("\": ");
    return Sign{Code::kImagePull, name + in_parentheses(image, why),
                name + in_parentheses(image, "") + ": " +
                    std::string(message.substr(quoted == std::string_view::npos ? 0 : quoted + 3)),
                one.is_init};
  });
}

// Configuration.

std::optional<Sign> config_missing(const PodEvidence& evidence) {
  return first_container(evidence.pod, [](const Container& one) -> std::optional<Sign> {
    if (one.waiting() != "CreateContainerConfigError") {
      return std::nullopt;
    }
    const std::string_view message = text_at(one.status, {"state", "waiting", "message"});
    const std::string head = one.label() + "CreateContainerConfigError";
    const auto missing = missing_reference(message);
    return Sign{Code::kConfigMissing, head + (missing ? ": " + *missing : ""),
                head + ": " + std::string(message), one.is_init};
  });
}

bool is_creating(const Value& pod) {
  const auto& statuses = pod.items_at({"status", "containerStatuses"});
  return is_scheduled_pod(pod) && pod.string_at({"status", "phase"}) == "Pending" &&
         std::ranges::all_of(statuses, [](const Value& status) {
           const std::string_view reason = status.string_at({"state", "waiting", "reason"});
           return reason == "ContainerCreating" || reason == "PodInitializing";
         });
}

/// Judges a pod whose containers are being created by its newest Event: an Event after that of a
/// failure shows that it is over.
std::optional<Sign> creation_failed(const PodEvidence& evidence) {
  const Events& events = evidence.events;
  const Event* last = events.newest({"FailedMount", "FailedAttachVolume", "FailedMapVolume",
                                     "FailedCreatePodSandBox", "NetworkNotReady", "Pulling",
                                     "Pulled", "Created", "Started", "SuccessfulAttachVolume"});
  if (last == nullptr || last->type != "Warning" || !is_creating(evidence.pod)) {
    return std::nullopt;
  }
  const std::string reason(last->reason);
  if (reason == "FailedCreatePodSandBox" || reason == "NetworkNotReady") {
    return Sign{Code::kSandboxFailed, reason, reason + ": " + one_line(last->message)};
  }
  // The kubelet says why in one Event, and that it waits in another one.
  for (const Event& event : events.all()) {
    const auto missing =
        event.reason == "FailedMount" ? missing_reference(event.message) : std::nullopt;
    if (missing) {
      return Sign{Code::kConfigMissing, "FailedMount: " + *missing,
                  "FailedMount: " + one_line(event.message)};
    }
  }
  const auto named = std::ranges::find_if(events.all(), [](const Event& event) {
    return event.reason.starts_with("Failed") && contains(event.message, "for volume \"");
  });
  const Event& told = named == events.all().end() ? *last : *named;
  const std::string head = std::string(told.reason) + ": ";
  return Sign{Code::kVolumeFailed, head + std::string(volume_step(told.message)),
              head + one_line(told.message)};
}

// Crashes.

std::optional<Sign> out_of_memory(const PodEvidence& evidence) {
  return first_container(evidence.pod, [](const Container& one) -> std::optional<Sign> {
    const Value* end = one.end();
    if (end == nullptr || end->string_at({"reason"}) != "OOMKilled") {
      return std::nullopt;
    }
    const std::string_view limit =
        one.spec == nullptr ? "" : one.spec->string_at({"resources", "limits", "memory"});
    return restarts_sign(Code::kOutOfMemory, one, "OOMKilled",
                         limit.empty() ? "" : "limit " + one_line(limit, 20));
  });
}

/// Returns the newest failure of a probe of that container, but of those of one type; null if there
/// is none.
const Event* unhealthy(const PodEvidence& evidence, const Container& one, std::string_view but) {
  const auto& events = evidence.events.all();
  const auto found = std::ranges::find_if(events, [&](const Event& event) {
    return event.reason == "Unhealthy" && event.container == one.name() &&
           (but.empty() || !event.message.starts_with(but));
  });
  return found == events.end() ? nullptr : &*found;
}

/// Source: k8s.io/kubernetes pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions.
std::optional<Sign> killed_by_probe(const PodEvidence& evidence) {
  return first_container(evidence.pod, [&](const Container& one) -> std::optional<Sign> {
    const Event* failure = unhealthy(evidence, one, "Readiness");
    const bool killed = std::ranges::any_of(evidence.events.all(), [&one](const Event& event) {
      return event.reason == "Killing" && event.container == one.name() &&
             (contains(event.message, "failed liveness probe") ||
              contains(event.message, "failed startup probe"));
    });
    const bool explains = killed && failure != nullptr && one.restarts() > 0;
    return explains ? std::optional(restarts_sign(Code::kProbeFailing, one,
                                                  probe_failure(failure->message), ""))
                    : std::nullopt;
  });
}

std::optional<Sign> crash_looping(const PodEvidence& evidence) {
  return first_container(evidence.pod, [](const Container& one) -> std::optional<Sign> {
    const Value* end = one.end();
    const bool ends_again = end != nullptr && !one.stays_ended &&
                            (one.status.find_path({"state", "terminated"}) != nullptr ||
                             (one.is_running() && one.restarts() > 1));
    if (one.waiting() != "CrashLoopBackOff" && !ends_again) {
      return std::nullopt;
    }
    return restarts_sign(Code::kPodCrashLooping, one, "CrashLoopBackOff",
                         end == nullptr ? "" : end_text(*end));
  });
}

std::optional<Sign> container_failed(const PodEvidence& evidence) {
  return first_container(evidence.pod, [](const Container& one) -> std::optional<Sign> {
    const std::string_view waiting = one.waiting();
    if (!waiting.empty() && waiting != "ContainerCreating" && waiting != "PodInitializing") {
      return restarts_sign(Code::kContainerFailed, one, identifier(waiting, "Error"), "");
    }
    const Value* end = one.end();
    const bool failed = end != nullptr && one.stays_ended &&
                        one.status.find_path({"state", "terminated"}) != nullptr;
    return failed
               ? std::optional(restarts_sign(Code::kContainerFailed, one, "Error", end_text(*end)))
               : std::nullopt;
  });
}

// Probes and gates.

std::optional<Sign> probe_failing(const PodEvidence& evidence) {
  return first_container(evidence.pod, [&](const Container& one) -> std::optional<Sign> {
    const Event* failure = unhealthy(evidence, one, "");
    if (failure == nullptr || !one.is_running()) {
      return std::nullopt;
    }
    const std::string text = one.label() + probe_failure(failure->message);
    return Sign{Code::kProbeFailing, text, text, one.is_init};
  });
}

std::optional<Sign> readiness_gate(const PodEvidence& evidence) {
  if (!has_condition(evidence.pod, "ContainersReady", "True")) {
    return std::nullopt;
  }
  const auto& gates = evidence.pod.items_at({"spec", "readinessGates"});
  for (size_t i = 0; i < std::min(gates.size(), kContainersMax); ++i) {
    const std::string_view type = gates[i].string_at({"conditionType"});
    if (has_condition(evidence.pod, type, "True")) {
      continue;
    }
    const Value* condition = condition_of(evidence.pod, type);
    const std::string_view reason =
        condition == nullptr ? "not set" : identifier(condition->string_at({"reason"}), "");
    const std::string text = "readiness gate " + one_line(type, 120) + in_parentheses(reason, "");
    return Sign{Code::kReadinessGate, text, text};
  }
  return std::nullopt;
}

// In the order of Code, but for the probe that kills a container, which explains its end.
constexpr std::array<std::optional<Sign> (*)(const PodEvidence&), 13> kRecognisers = {
    node_lost,        evicted,         scheduling_gated, unschedulable,   image_pull,
    config_missing,   creation_failed, out_of_memory,    killed_by_probe, crash_looping,
    container_failed, probe_failing,   readiness_gate};

}  // namespace

std::optional<Sign> pod_sign(const PodEvidence& evidence) {
  if (is_ready_pod(evidence.pod)) {
    return std::nullopt;
  }
  // A pod that is being deleted ends its containers.
  const size_t count = kube::is_deleting(evidence.pod) ? 2 : kRecognisers.size();
  for (const auto recognise : std::span(kRecognisers).first(count)) {
    if (auto sign = recognise(evidence)) {
      return sign;
    }
  }
  return std::nullopt;
}

/// Source: k8s.io/kubernetes pkg/controller/volume/persistentvolume/pv_controller.go.
std::optional<Sign> claim_sign(const Value& claim, const Events& events) {
  const std::string_view phase = claim.string_at({"status", "phase"});
  if (phase == "Bound") {
    return std::nullopt;
  }
  if (phase == "Lost") {
    return Sign{Code::kClaimLost, "its volume is gone", "its volume is gone"};
  }
  // While a driver tries again, its errors alternate with the news that it is asked to.
  const Event* event = events.newest({"ProvisioningFailed"});
  for (const std::initializer_list<std::string_view> reasons :
       {std::initializer_list<std::string_view>{"FailedBinding", "WaitForFirstConsumer",
                                                "WaitForPodScheduled", "VolumeMismatch"},
        {"ExternalProvisioning", "Provisioning"}}) {
    event = event != nullptr ? event : events.newest(reasons);
  }
  if (event == nullptr) {
    return Sign{Code::kClaimPending, "it has no volume", "it has no volume"};
  }
  const std::string head = std::string(event->reason) + ": ";
  const std::string_view message = event->message;
  // An error of a storage driver may have the number of a request.
  return Sign{Code::kClaimPending,
              head + std::string(first_sentence(message.substr(0, message.find(": rpc error")))),
              head + one_line(message)};
}

bool is_ready_pod(const Value& pod) {
  return pod.string_at({"status", "phase"}) == "Succeeded" || has_condition(pod, "Ready", "True");
}

bool is_ended_pod(const Value& pod) {
  const std::string_view phase = pod.string_at({"status", "phase"});
  return phase == "Failed" || phase == "Succeeded";
}

bool is_scheduled_pod(const Value& pod) {
  return !pod.string_at({"spec", "nodeName"}).empty() || has_condition(pod, "PodScheduled", "True");
}

bool may_be_restarted_by_probe(const Value& pod) {
  return first_container(pod, [](const Container& one) {
    return one.spec != nullptr && (one.spec->find("livenessProbe") != nullptr ||
                                   one.spec->find("startupProbe") != nullptr);
  });
}

std::string look_of(const Value& pod) {
  std::string look = one_line(pod.string_at({"status", "phase"}), 63);
  look += is_scheduled_pod(pod) ? "+" : "-";
  first_container(pod, [&look](const Container& one) {
    look += "/" + one_line(one.name(), 63) + "=" +
            (one.is_running() ? "running" : one_line(one.waiting(), 63));
    return false;
  });
  return look;
}

std::vector<std::string> claim_names(const Value& pod) {
  std::vector<std::string> names;
  const auto& volumes = pod.items_at({"spec", "volumes"});
  for (size_t i = 0; i < std::min(volumes.size(), kVolumesMax); ++i) {
    std::string name(volumes[i].string_at({"persistentVolumeClaim", "claimName"}));
    if (volumes[i].find("ephemeral") != nullptr) {
      name = std::string(kube::name_of(pod)) + "-" + std::string(volumes[i].string_at({"name"}));
    }
    if (kube::is_dns_subdomain(name)) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace chartwright::diagnosis
