// SPDX-License-Identifier: Apache-2.0
#include "runtime/store.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace chartwright::runtime {
namespace {

std::set<std::string> owner_uids(const Stored& object) {
  std::set<std::string> uids;
  if (object != nullptr) {
    for (kube::OwnerReference& owner : kube::owner_references_of(*object)) {
      uids.insert(std::move(owner.uid));
    }
  }
  return uids;
}

bool same_version(const Stored& a, const Stored& b) {
  const std::string_view version = kube::resource_version_of(*a);
  return !version.empty() && version == kube::resource_version_of(*b) &&
         kube::uid_of(*a) == kube::uid_of(*b);
}

kube::ObjectRef ref_of_change(const Stored& before, const Stored& after) {
  return kube::ref_of(after != nullptr ? *after : *before);
}

}  // namespace

void Store::add_listener(ChangeListener listener) {
  auto shared = std::make_shared<const ChangeListener>(std::move(listener));
  std::vector<Stored> present;
  {
    base::MutexLock lock(mutex_);
    listeners_.push_back(shared);
    for (const auto& [key, object] : objects_) {
      present.push_back(object);
    }
  }
  for (const Stored& object : present) {
    (*shared)(Change{kube::ref_of(*object), nullptr, object});
  }
}

void Store::apply(WatchEvent event) {
  if (transform_ && event.object.is_dict()) {
    event.object = transform_(std::move(event.object));
  }
  Changes changes;
  std::vector<std::shared_ptr<const ChangeListener>> listeners;
  {
    base::MutexLock lock(mutex_);
    changes = apply_one(std::move(event));
    if (!changes.empty()) {
      listeners = listeners_;
    }
  }
  for (const Change& change : changes) {
    for (const auto& listener : listeners) {
      (*listener)(change);
    }
  }
}

Store::Changes Store::apply_one(WatchEvent event) {
  using Type = WatchEvent::Type;
  Key key{std::string(kube::namespace_of(event.object)), std::string(kube::name_of(event.object))};
  switch (event.type) {
    case Type::kInit:
      incoming_.clear();
      collecting_ = true;
      lists_begun_ = expected_lists_;
      return {};
    case Type::kInitApply:
      incoming_[std::move(key)] = std::make_shared<const value::Value>(std::move(event.object));
      return {};
    case Type::kInitDone:
      return swap_in(std::move(event.resource_version));
    case Type::kProgress:
      resource_version_ = std::move(event.resource_version);
      return {};
    case Type::kApply:
      resource_version_ = kube::resource_version_of(event.object);
      return put(key, std::make_shared<const value::Value>(std::move(event.object)));
    case Type::kDelete:
      if (collecting_) {
        incoming_.erase(key);
        return {};
      }
      resource_version_ = kube::resource_version_of(event.object);
      return erase(key);
  }
  return {};
}

Store::Changes Store::swap_in(std::string resource_version) {
  Objects fresh;
  fresh.swap(incoming_);
  collecting_ = false;
  if (lists_begun_ != expected_lists_) {
    return {};  // Another one is to come.
  }
  // Lists are consistent reads, so that only the storage can have gone back. None of its objects is
  // one that is known, though version and uid may be the same.
  // The versions of a restored storage may have passed ours by now, but not those of each object.
  const bool proven = !restored_ && (kube::is_older_version(resource_version, resource_version_) ||
                                     has_older(fresh, objects_));
  const bool went_back = std::exchange(restored_, false) || proven;
  proven_setbacks_ += proven ? 1 : 0;
  setbacks_ += went_back ? 1 : 0;
  Changes changes;
  std::vector<Key> gone;
  for (const auto& [key, object] : objects_) {
    if (went_back || !fresh.contains(key)) {
      gone.push_back(key);
    }
  }
  const auto append = [&changes](Changes more) {
    std::ranges::move(more, std::back_inserter(changes));
  };
  for (const Key& key : gone) {
    append(erase(key));
  }
  while (!fresh.empty()) {
    auto node = fresh.extract(fresh.begin());
    append(put(node.key(), std::move(node.mapped())));
  }
  resource_version_ = std::move(resource_version);
  synced_ = true;
  return changes;
}

bool Store::has_older(const Objects& list, const Objects& known) {
  return std::ranges::any_of(list, [&known](const auto& entry) {
    const auto found = known.find(entry.first);
    return found != known.end() &&
           kube::is_older_version(kube::resource_version_of(*entry.second),
                                  kube::resource_version_of(*found->second));
  });
}

Store::Changes Store::put(const Key& key, Stored object) {
  Stored& slot = objects_[key];
  if (slot != nullptr && same_version(slot, object)) {
    return {};
  }
  const Stored before = std::exchange(slot, object);
  index(key, before, object);
  Changes changes;
  // The object was deleted and recreated unseen: listeners must learn that the old one is gone.
  if (before != nullptr && kube::uid_of(*before) != kube::uid_of(*object)) {
    changes.push_back({ref_of_change(before, nullptr), before, nullptr});
    changes.push_back({ref_of_change(nullptr, object), nullptr, std::move(object)});
  } else {
    changes.push_back({ref_of_change(before, object), before, std::move(object)});
  }
  return changes;
}

Store::Changes Store::erase(const Key& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) {
    return {};
  }
  const Stored before = std::move(found->second);
  index(key, before, nullptr);
  objects_.erase(found);
  return {{ref_of_change(before, nullptr), before, nullptr}};
}

void Store::index(const Key& key, const Stored& before, const Stored& after) {
  const std::set<std::string> old_owners = owner_uids(before);
  const std::set<std::string> new_owners = owner_uids(after);
  for (const std::string& uid : old_owners) {
    if (!new_owners.contains(uid)) {
      drop_from_index(uid, key);
    }
  }
  for (const std::string& uid : new_owners) {
    if (!old_owners.contains(uid)) {
      by_owner_[uid].insert(key);
    }
  }
}

void Store::drop_from_index(const std::string& uid, const Key& key) {
  const auto owned = by_owner_.find(uid);
  if (owned == by_owner_.end()) {
    return;
  }
  owned->second.erase(key);
  if (owned->second.empty()) {
    by_owner_.erase(owned);
  }
}

Stored Store::get(std::string_view ns, std::string_view name) const {
  base::MutexLock lock(mutex_);
  const auto found = objects_.find(KeyView{ns, name});
  return found == objects_.end() ? nullptr : found->second;
}

std::vector<Stored> Store::list() const {
  base::MutexLock lock(mutex_);
  std::vector<Stored> all;
  all.reserve(objects_.size());
  for (const auto& [key, object] : objects_) {
    all.push_back(object);
  }
  return all;
}

std::vector<Stored> Store::by_owner(std::string_view uid) const {
  base::MutexLock lock(mutex_);
  std::vector<Stored> owned;
  const auto keys = by_owner_.find(std::string(uid));
  if (keys != by_owner_.end()) {
    for (const Key& key : keys->second) {
      owned.push_back(objects_.at(key));
    }
  }
  return owned;
}

size_t Store::size() const {
  base::MutexLock lock(mutex_);
  return objects_.size();
}

bool Store::has_synced() const {
  base::MutexLock lock(mutex_);
  return synced_;
}

void Store::expect_list(Outdated why) {
  base::MutexLock lock(mutex_);
  synced_ = false;
  ++expected_lists_;
  restored_ = restored_ || why == Outdated::kRestored;
}

size_t Store::setbacks() const {
  base::MutexLock lock(mutex_);
  return setbacks_;
}

size_t Store::proven_setbacks() const {
  base::MutexLock lock(mutex_);
  return proven_setbacks_;
}

std::string Store::resource_version() const {
  base::MutexLock lock(mutex_);
  return resource_version_;
}

}  // namespace chartwright::runtime
