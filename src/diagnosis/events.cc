// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/events.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "diagnosis/texts.h"

namespace chartwright::diagnosis {
namespace {

using value::Value;

constexpr size_t kWarningsMax = 5;
// The seconds of a time, which all its forms in Kubernetes have: "2026-11-29T14:47:31".
constexpr size_t kSecondsSize = 19;

std::string_view time_of(const Value& event) {
  for (const std::string_view time :
       {event.string_at({"series", "lastObservedTime"}), event.string_at({"lastTimestamp"}),
        event.string_at({"eventTime"}), event.string_at({"metadata", "creationTimestamp"})}) {
    if (!time.empty()) {
      return time.substr(0, kSecondsSize);
    }
  }
  return {};
}

/// Returns the name in "spec.containers{NAME}".
/// Source: k8s.io/kubernetes pkg/kubelet/container/ref.go fieldPath.
std::string_view container_of(const Value& event) {
  const std::string_view path = event.string_at({"involvedObject", "fieldPath"});
  const size_t open = path.find('{');
  return open == std::string_view::npos || !path.ends_with('}')
             ? std::string_view()
             : path.substr(open + 1, path.size() - open - 2);
}

/// Reports whether the messages of that reason are the words of the kubelet, a controller or the
/// scheduler. Those of lifecycle hooks, for example, have the output of the hook.
bool has_own_words(std::string_view reason) {
  static constexpr std::array<std::string_view, 16> kReasons = {"BackOff",
                                                                "Evicted",
                                                                "Failed",
                                                                "FailedAttachVolume",
                                                                "FailedBinding",
                                                                "FailedCreate",
                                                                "FailedCreatePodSandBox",
                                                                "FailedMapVolume",
                                                                "FailedMount",
                                                                "FailedScheduling",
                                                                "Killing",
                                                                "NetworkNotReady",
                                                                "NodeNotReady",
                                                                "Preempting",
                                                                "ProvisioningFailed",
                                                                "SyncLoadBalancerFailed"};
  return std::ranges::find(kReasons, reason) != kReasons.end();
}

std::string warning_text(const Event& event) {
  const std::string reason(identifier(event.reason, "Warning"));
  if (event.reason == "Unhealthy") {
    return reason + ": " + probe_failure(event.message);
  }
  return one_line(has_own_words(event.reason) ? reason + ": " + one_line(event.message) : reason);
}

}  // namespace

Events::Events(const std::vector<Value>& objects, std::string_view uid) {
  for (const Value& one : objects) {
    if (!uid.empty() && one.string_at({"involvedObject", "uid"}) == uid) {
      events_.push_back({time_of(one), one.string_at({"type"}), one.string_at({"reason"}),
                         text_at(one, {"message"}), container_of(one)});
    }
  }
  std::ranges::stable_sort(events_, std::ranges::greater(), &Event::time);
}

const Event* Events::newest(std::initializer_list<std::string_view> reasons) const {
  const auto found = std::ranges::find_if(events_, [&reasons](const Event& event) {
    return std::ranges::find(reasons, event.reason) != reasons.end();
  });
  return found == events_.end() ? nullptr : &*found;
}

std::vector<std::string> Events::warnings() const {
  std::vector<std::string> texts;
  for (const Event& event : events_) {
    if (event.type != "Warning" || texts.size() == kWarningsMax) {
      continue;
    }
    std::string text = warning_text(event);
    if (std::ranges::find(texts, text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

}  // namespace chartwright::diagnosis
