// SPDX-License-Identifier: Apache-2.0
#include "views/feed.h"

#include <algorithm>
#include <utility>

#include "kube/object.h"
#include "views/api_errors.h"

namespace chartwright::views {
namespace {

using value::Value;
using Type = runtime::WatchEvent::Type;

// The changes that a watch can lag by, or resume across.
constexpr size_t kEventsMax = 2048;
// A rule that this many objects follow is taken for the rule of the next one, too.
constexpr size_t kRuleExamplesMin = 500;

Feed::Key key_of(const Value& object) {
  return {std::string(kube::namespace_of(object)), std::string(kube::name_of(object))};
}

bool same_name(const Shown& a, const Shown& b) { return key_of(*a) == key_of(*b); }

}  // namespace

Feed::Entry Feed::project(Value source) const {
  Entry entry;
  entry.source_version = kube::resource_version_of(source);
  auto object = projector_.project(std::move(source));
  if (!object.ok()) {
    entry.failure = internal_error(object.error().message());
  } else if (!object->is_nil()) {
    entry.object = std::make_shared<const Value>(*std::move(object));
  }
  return entry;
}

void Feed::apply(runtime::WatchEvent event) {
  switch (event.type) {
    case Type::kInit:
      incoming_.clear();
      collecting_ = true;
      return;
    case Type::kInitApply:
      collect(std::move(event.object));
      return;
    case Type::kInitDone:
      swap_in(std::move(event.resource_version));
      break;
    case Type::kApply:
      put(std::move(event.object));
      break;
    case Type::kDelete:
      erase(event.object);
      break;
    case Type::kProgress: {
      const base::MutexLock lock(mutex_);
      resource_version_ = event.resource_version;
      push({0, std::move(event.resource_version), nullptr, nullptr});
      break;
    }
  }
  wake_all();
}

void Feed::collect(Value source) {
  const Key key = key_of(source);
  {
    const base::MutexLock lock(mutex_);
    const auto known = entries_.find(key);
    if (known != entries_.end() &&
        known->second.source_version == kube::resource_version_of(source)) {
      incoming_.insert_or_assign(key, known->second);
      return;
    }
  }
  incoming_.insert_or_assign(key, project(std::move(source)));
}

void Feed::swap_in(std::string resource_version) {
  const base::MutexLock lock(mutex_);
  entries_ = std::exchange(incoming_, {});
  collecting_ = false;
  sources_.clear();
  failures_.clear();
  for (const auto& [key, entry] : entries_) {
    index(key, entry.object);
    if (entry.failure) {
      failures_.insert_or_assign(key, *entry.failure);
    }
  }
  // The changes between the last event and this list are unknown: watches have to list, too.
  events_.clear();
  ++epoch_;
  floor_ = resource_version;
  resource_version_ = std::move(resource_version);
  synced_ = true;
}

void Feed::put(Value source) {
  const Key key = key_of(source);
  std::string version(kube::resource_version_of(source));
  if (collecting_) {
    incoming_.insert_or_assign(key, project(std::move(source)));
    return;
  }
  change(key, project(std::move(source)), std::move(version));
}

void Feed::erase(const Value& source) {
  if (collecting_) {
    incoming_.erase(key_of(source));
    return;
  }
  change(key_of(source), std::nullopt, std::string(kube::resource_version_of(source)));
}

void Feed::change(const Key& source, std::optional<Entry> entry, std::string resource_version) {
  const base::MutexLock lock(mutex_);
  const auto known = entries_.find(source);
  const Shown before = known == entries_.end() ? nullptr : known->second.object;
  const Shown after = entry ? entry->object : nullptr;
  unindex(source, before);
  index(source, after);
  failures_.erase(source);
  if (entry) {
    if (entry->failure) {
      failures_.insert_or_assign(source, *entry->failure);
    }
    entries_.insert_or_assign(source, *std::move(entry));
  } else if (known != entries_.end()) {
    entries_.erase(known);
  }
  resource_version_ = resource_version;
  if (before != nullptr && after != nullptr && !same_name(before, after)) {
    push({0, resource_version, before, nullptr});
    push({0, std::move(resource_version), nullptr, after});
  } else if (before != nullptr || after != nullptr) {
    push({0, std::move(resource_version), before, after});
  }
}

void Feed::push(FeedEvent event) {
  event.number = next_number_++;
  events_.push_back(std::move(event));
  if (events_.size() > kEventsMax) {
    floor_ = events_.front().resource_version;
    events_.pop_front();
  }
}

void Feed::index(const Key& source, const Shown& object) {
  if (object != nullptr) {
    sources_[key_of(*object)].insert(source);
  }
}

void Feed::unindex(const Key& source, const Shown& object) {
  if (object == nullptr) {
    return;
  }
  const auto found = sources_.find(key_of(*object));
  if (found != sources_.end() && found->second.erase(source) > 0 && found->second.empty()) {
    sources_.erase(found);
  }
}

bool Feed::has_synced() const {
  const base::MutexLock lock(mutex_);
  return synced_;
}

std::string Feed::resource_version() const {
  const base::MutexLock lock(mutex_);
  return resource_version_;
}

base::Result<Feed::Snapshot> Feed::snapshot(std::string_view ns) const {
  const base::MutexLock lock(mutex_);
  Snapshot found;
  found.resource_version = resource_version_;
  for (const auto& [key, entry] : entries_) {
    if (!ns.empty() && key.first != ns) {
      continue;
    }
    if (entry.failure) {
      return *entry.failure;
    }
    if (entry.object != nullptr) {
      found.objects.push_back(entry.object);
    }
  }
  return found;
}

std::optional<Feed::Key> Feed::source_of(const Key& key) const {
  const base::MutexLock lock(mutex_);
  const auto found = sources_.find(key);
  return found == sources_.end() ? std::nullopt : std::optional(*found->second.begin());
}

std::optional<Shown> Feed::shown(const Value& source) const {
  const std::string_view version = kube::resource_version_of(source);
  const Key key = key_of(source);
  const base::MutexLock lock(mutex_);
  const auto known = entries_.find(key);
  if (known == entries_.end() || known->second.failure || version.empty() ||
      known->second.source_version != version) {
    return std::nullopt;
  }
  return known->second.object;
}

std::optional<NameRule> Feed::name_rule(std::string_view ns) const {
  const base::MutexLock lock(mutex_);
  std::optional<NameRule> rule;
  size_t examples = 0;
  for (auto at = entries_.lower_bound({std::string(ns), ""}); at != entries_.end(); ++at) {
    const auto& [source, entry] = *at;
    if (!ns.empty() && source.first != ns) {
      break;
    }
    if (entry.object == nullptr) {
      continue;
    }
    const std::string_view name = kube::name_of(*entry.object);
    if (!rule) {
      rule = NameRule::between(source.second, name);
    }
    if (!rule || rule->object_of(source.second) != name) {
      return std::nullopt;
    }
    ++examples;
  }
  return examples < kRuleExamplesMin ? std::nullopt : rule;
}

base::Result<Feed::Cursor> Feed::after(std::string_view resource_version) const {
  const base::MutexLock lock(mutex_);
  if (!synced_ ||
      (resource_version != floor_ && !kube::may_be_newer_version(resource_version, floor_))) {
    return expired("too old resource version: " + std::string(resource_version) + " (" + floor_ +
                   ")");
  }
  const auto first =
      std::partition_point(events_.begin(), events_.end(), [&](const FeedEvent& event) {
        return !kube::may_be_newer_version(event.resource_version, resource_version);
      });
  return Cursor{epoch_, first == events_.end() ? next_number_ : first->number};
}

base::Result<std::vector<FeedEvent>> Feed::next(Cursor& cursor, std::string_view ns,
                                                size_t max) const {
  const base::MutexLock lock(mutex_);
  for (const auto& [source, failure] : failures_) {
    if (ns.empty() || source.first == ns) {
      return failure;
    }
  }
  const uint64_t first = next_number_ - events_.size();
  if (cursor.epoch != epoch_ || cursor.number < first) {
    return expired("the events of this watch are no longer known");
  }
  std::vector<FeedEvent> found;
  for (size_t i = cursor.number - first; i < events_.size() && found.size() < max; ++i) {
    found.push_back(events_[i]);
  }
  cursor.number += found.size();
  return found;
}

std::shared_ptr<void> Feed::subscribe(std::function<void()> wake) {
  auto handle = std::make_shared<Wake>(std::move(wake));
  const base::MutexLock lock(mutex_);
  std::erase_if(wakes_, [](const std::weak_ptr<Wake>& one) { return one.expired(); });
  wakes_.push_back(handle);
  return handle;
}

void Feed::wake_all() {
  std::vector<std::shared_ptr<Wake>> awake;
  {
    const base::MutexLock lock(mutex_);
    for (const std::weak_ptr<Wake>& one : wakes_) {
      if (auto handle = one.lock()) {
        awake.push_back(std::move(handle));
      }
    }
  }
  for (const auto& handle : awake) {
    (*handle)();
  }
}

}  // namespace chartwright::views
