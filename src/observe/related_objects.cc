// SPDX-License-Identifier: Apache-2.0
#include "observe/related_objects.h"

#include <chrono>

namespace chartwright::observe {

// A rollout makes dozens of changes that only show in a status. A count in a message may change
// every second for hours.
base::Duration delay_of(Urgency urgency) {
  switch (urgency) {
    case Urgency::kNow:
      break;
    case Urgency::kSoon:
      return std::chrono::milliseconds(200);
    case Urgency::kLate:
      return std::chrono::seconds(30);
  }
  return base::Duration::zero();
}

void RelatedSource::follow(runtime::Informer& informer) {
  informer.store().add_listener([this](const runtime::Change& change) { on_change(change); });
}

std::string RelatedSource::bucket_of(std::string_view ns, const value::Value& condensed) const {
  std::string bucket(ns);
  for (const std::string& key : index_labels_) {
    bucket += '/';
    bucket += kube::label_of(condensed, key).value_or("");
  }
  return bucket;
}

std::vector<runtime::Stored> RelatedSource::read(const Reader& reader, const std::string& ns,
                                                 const kube::LabelSelector& selector) {
  std::string key = ns;
  for (const std::string& index : index_labels_) {
    const std::string* label = selector.only_value(index);
    key += '/';
    key += label == nullptr ? "" : *label;
  }
  std::vector<runtime::Stored> found;
  base::MutexLock lock(mutex_);
  if (std::string& previous = bucket_by_reader_[reader]; previous != key) {
    leave(reader, previous);
    previous = key;
  }
  readers_[key].insert(reader);
  if (auto it = objects_.find(key); it != objects_.end()) {
    for (const auto& [name, object] : it->second) {
      if (selector.matches(*object)) {
        found.push_back(object);
      }
    }
  }
  return found;
}

void RelatedSource::leave(const Reader& reader, const std::string& bucket) {
  auto readers = readers_.find(bucket);
  if (readers != readers_.end()) {
    readers->second.erase(reader);
    if (readers->second.empty()) {
      readers_.erase(readers);
    }
  }
}

void RelatedSource::forget(const kube::ObjectRef& cr) {
  base::MutexLock lock(mutex_);
  auto it = bucket_by_reader_.lower_bound({cr, ""});
  while (it != bucket_by_reader_.end() && it->first.cr == cr) {
    leave(it->first, it->second);
    it = bucket_by_reader_.erase(it);
  }
}

void RelatedSource::on_change(const runtime::Change& change) {
  std::set<kube::ObjectRef> concerned;
  {
    base::MutexLock lock(mutex_);
    auto concern = [&](const std::string& key) CW_REQUIRES(mutex_) {
      if (auto it = readers_.find(key); it != readers_.end()) {
        for (const Reader& reader : it->second) {
          concerned.insert(reader.cr);
        }
      }
    };
    if (change.before) {
      const std::string key = bucket_of(change.ref.ns, *change.before);
      auto objects = objects_.find(key);
      if (objects != objects_.end()) {
        objects->second.erase(change.ref.name);
        if (objects->second.empty()) {
          objects_.erase(objects);
        }
      }
      concern(key);
    }
    if (change.after) {
      const std::string key = bucket_of(change.ref.ns, *change.after);
      objects_[key][change.ref.name] = change.after;
      concern(key);
    }
  }
  for (const kube::ObjectRef& cr : concerned) {
    trigger_(cr, Urgency::kSoon);
  }
}

}  // namespace chartwright::observe
