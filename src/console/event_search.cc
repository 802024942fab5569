// SPDX-License-Identifier: Apache-2.0
#include "console/event_search.h"

#include <algorithm>

#include "console/tree_reader.h"
#include "kube/api_status.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

const kube::Gvk kEventKind = {"", "v1", "Event"};
constexpr int64_t kEventsPage = 500;
constexpr size_t kEventsReadMax = 20'000;
constexpr size_t kNotedMax = 20'000;
constexpr base::Duration kTryAgainAfter = std::chrono::seconds(1);

std::string_view uid_in(const Value& event) { return event.string_at({"involvedObject", "uid"}); }

/// Returns where the Events about an object are.
std::string namespace_of_events(const TreeNode& node) {
  return node.ref.ns.empty() ? "default" : node.ref.ns;
}

}  // namespace

EventSearch::EventSearch(std::vector<TreeReport> trees, Connection& connection)
    : connection_(connection), trees_(std::move(trees)) {
  for (const TreeReport& report : trees_) {
    for (const TreeNode& node : report.tree.nodes()) {
      if (node.relation != Relation::kExternal && node.relation != Relation::kPatched) {
        namespaces_.insert(namespace_of_events(node));
      }
    }
    for (const std::string& gap : report.gaps) {
      add_gap(gaps_, gap);
    }
  }
  if (namespaces_.size() > kNamespacesMax) {
    namespaces_.erase(std::next(namespaces_.begin(), kNamespacesMax), namespaces_.end());
    add_gap(gaps_,
            "only " + std::to_string(kNamespacesMax) + " namespaces were looked into for Events");
  }
}

base::Result<std::string> EventSearch::each(const std::string& ns,
                                            const std::function<void(const Value&)>& take) const {
  kube::ListOptions options;
  options.selection.ns = ns;
  options.limit = kEventsPage;
  for (size_t read = 0; read < kEventsReadMax;) {
    CW_TRY(const kube::ListPage page,
           connection_.client().list(kEventKind, options, connection_.call()));
    std::ranges::for_each(page.items, take);
    read += page.items.size();
    options.continue_token = page.continue_token;
    if (page.continue_token.empty()) {
      return page.resource_version;
    }
  }
  return Error(ErrorCode::kBudget, "there are more than " + std::to_string(kEventsReadMax));
}

std::vector<EventLine> EventSearch::list() {
  std::vector<EventLine> lines;
  for (const std::string& ns : namespaces_) {
    auto version = each(ns, [&](const Value& event) {
      if (concerns(event) && is_news(event)) {
        lines.push_back(event_line_of(event));
      }
    });
    if (version.ok()) {
      versions_[ns] = *std::move(version);
    } else {
      add_gap(gaps_, list_gap(kEventKind, ns, version.error()));
    }
  }
  std::ranges::stable_sort(lines, {}, &EventLine::time);
  if (lines.size() > kEventsMax) {
    lines.erase(lines.begin(), lines.end() - kEventsMax);
    add_gap(gaps_, "only the " + std::to_string(kEventsMax) + " newest Events are shown");
  }
  return lines;
}

bool EventSearch::concerns(const Value& event) {
  const kube::ObjectRef object = object_of_event(event);
  const std::string_view uid = uid_in(event);
  const base::MutexLock lock(mutex_);
  return std::ranges::any_of(
      trees_, [&](const TreeReport& report) { return report.tree.has(object, uid); });
}

bool EventSearch::concerns_with_news(const Value& event) {
  if (concerns(event)) {
    return true;
  }
  const std::string_view uid = uid_in(event);
  const kube::ObjectRef ref = object_of_event(event);
  {
    const base::MutexLock lock(mutex_);
    if (uid.empty() || ref.gvk.kind.empty() || ref.name.empty() || strangers_.contains(uid)) {
      return false;
    }
  }
  const auto object = connection_.client().get(ref, connection_.call());
  const base::MutexLock lock(mutex_);
  const bool is_ours = object.ok() && std::ranges::any_of(trees_, [&](TreeReport& report) {
                         return report.tree.add(*object);
                       });
  if (!is_ours) {
    if (strangers_.size() >= kNotedMax) {
      strangers_.clear();
    }
    strangers_.emplace(uid);
  }
  return is_ours;
}

bool EventSearch::is_news(const Value& event) {
  const base::MutexLock lock(mutex_);
  if (told_.size() >= kNotedMax) {
    told_.clear();
  }
  std::string& version = told_[std::string(kube::uid_of(event))];
  const bool is_new = version != kube::resource_version_of(event);
  version = kube::resource_version_of(event);
  return is_new;
}

void EventSearch::tell(const Value& event, const Sink& sink) {
  if (concerns_with_news(event) && is_news(event)) {
    const base::MutexLock lock(telling_);
    sink(event_line_of(event));
  }
}

base::Status EventSearch::go_on(const std::string& ns, std::string& version, const Sink& sink) {
  if (version.empty()) {
    CW_TRY(version, each(ns, [&](const Value& event) { tell(event, sink); }));
  }
  kube::WatchOptions options;
  options.selection.ns = ns;
  options.resource_version = version;
  return connection_.client().watch(kEventKind, options, connection_.call().stop,
                                    [&](const kube::WatchFrame& frame) {
                                      version = kube::resource_version_of(frame.object);
                                      if (frame.type == kube::WatchFrame::Type::kAdded ||
                                          frame.type == kube::WatchFrame::Type::kModified) {
                                        tell(frame.object, sink);
                                      }
                                      return base::Status();
                                    });
}

Error EventSearch::follow(const std::string& ns, const Sink& sink) {
  const auto known = versions_.find(ns);
  std::string version = known == versions_.end() ? "" : known->second;
  while (true) {
    const base::Status ended = go_on(ns, version, sink);
    if (ended.ok()) {
      continue;
    }
    if (kube::lacks_right(ended.error())) {
      return ended.error();
    }
    if (ended.error().code() == ErrorCode::kExpired) {
      version.clear();
    }
    connection_.pause(kTryAgainAfter);
  }
}

}  // namespace chartwright::cmd
