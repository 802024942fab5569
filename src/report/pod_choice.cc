// SPDX-License-Identifier: Apache-2.0
#include "report/pod_choice.h"

#include <algorithm>

#include "base/strings.h"
#include "go/quote.h"
#include "kube/discovery.h"
#include "kube/query.h"

namespace chartwright::cmd {
namespace {

using value::Value;

constexpr std::string_view kDefaultContainer = "kubectl.kubernetes.io/default-container";
constexpr size_t kNamedContainersMax = 20;

/// Reports whether a container has ended, and well.
bool has_succeeded(const Value& status) {
  const Value* code = status.find_path({"state", "terminated", "exitCode"});
  return code != nullptr && code->is_int() && code->as_int() == 0;
}

bool is_ready(const Value& status) { return status.bool_at({"ready"}); }

bool has_ended(const Value& status) {
  return status.find_path({"lastState", "terminated"}) != nullptr ||
         status.find_path({"state", "terminated"}) != nullptr;
}

/// Returns the first one of the statuses for which `holds`; "" if there is none.
template <typename Holds>
std::string first_name(const std::vector<Value>& statuses, Holds holds) {
  const auto found = std::ranges::find_if(statuses, holds);
  return found == statuses.end() ? "" : std::string(found->string_at({"name"}));
}

std::vector<std::string> container_names(const Value& pod) {
  std::vector<std::string> names;
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Value& container : pod.items_at({"spec", list})) {
      names.emplace_back(container.string_at({"name"}));
    }
  }
  return names;
}

bool has_restarted(const Value& pod, const std::string& container) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Value& status : pod.items_at({"status", list})) {
      const Value* restarts = status.find("restartCount");
      if (status.string_at({"name"}) == container && restarts != nullptr && restarts->is_int() &&
          restarts->as_int() > 0) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::vector<kube::ObjectRef> failing_pods(const WhyReport& report) {
  std::vector<kube::ObjectRef> pods;
  for (const ChildReport& child : report.children) {
    for (const diagnosis::Cause& cause : child.finding.causes) {
      const bool is_pod = cause.object.group_kind() == kube::GroupKind{"", "Pod"};
      if (is_pod && std::ranges::find(pods, cause.object) == pods.end()) {
        pods.push_back(cause.object);
      }
    }
  }
  return pods;
}

std::string container_to_read(const Value& pod) {
  // A sidecar is an init container that runs on, and is ready.
  std::string name =
      first_name(pod.items_at({"status", "initContainerStatuses"}),
                 [](const Value& status) { return !has_succeeded(status) && !is_ready(status); });
  const auto& statuses = pod.items_at({"status", "containerStatuses"});
  if (name.empty()) {
    name = first_name(statuses, [](const Value& one) { return !is_ready(one) && has_ended(one); });
  }
  if (name.empty()) {
    name = first_name(statuses, [](const Value& one) { return !is_ready(one); });
  }
  const std::string chosen(kube::annotation_of(pod, kDefaultContainer).value_or(""));
  if (name.empty() && check_container(pod, chosen).ok()) {
    name = chosen;
  }
  if (name.empty()) {
    name = first_name(pod.items_at({"spec", "containers"}), [](const Value&) { return true; });
  }
  return name;
}

base::Status check_container(const Value& pod, const std::string& name) {
  std::vector<std::string> names = container_names(pod);
  if (std::ranges::find(names, name) != names.end()) {
    return {};
  }
  names.resize(std::min(names.size(), kNamedContainersMax));
  return base::Error(base::ErrorCode::kNotFound, "Pod " + std::string(kube::name_of(pod)) +
                                                     " has no container " + go::quote(name) +
                                                     "; it has " + base::join(names, ", "));
}

std::vector<LogQuery> logs_of(const Value& pod, int64_t lines, int64_t bytes) {
  std::vector<LogQuery> queries;
  for (const std::string& name : container_names(pod)) {
    queries.push_back({name, lines, bytes, false});
    if (has_restarted(pod, name)) {
      queries.push_back({name, lines, bytes, true});
    }
  }
  return queries;
}

std::string log_target(const kube::ObjectRef& pod, const LogQuery& query) {
  const kube::ResourceMapping pods = {{"", "v1", "Pod"}, "pods"};
  kube::Query parameters;
  parameters.add("container", query.container);
  parameters.add("tailLines", std::to_string(query.lines));
  parameters.add("limitBytes", std::to_string(query.bytes));
  parameters.add("previous", query.previous ? "true" : "");
  return parameters.append_to(pods.path(pod.ns, pod.name) + "/log");
}

}  // namespace chartwright::cmd
