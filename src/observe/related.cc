// SPDX-License-Identifier: Apache-2.0
#include "observe/related.h"

#include <algorithm>

namespace chartwright::observe {
namespace {

std::string bucket(std::string_view ns, std::string_view label_value) {
  return std::string(ns) + "/" + std::string(label_value);
}

bool has_labels(const value::Value& object, const LabelMap& labels) {
  return std::all_of(labels.begin(), labels.end(), [&object](const auto& label) {
    return kube::label_of(object, label.first) == label.second;
  });
}

}  // namespace

void RelatedSource::follow(runtime::Informer& informer) {
  informer.store().add_listener([this](const runtime::Change& change) { on_change(change); });
}

std::string RelatedSource::bucket_of(std::string_view ns, const value::Value& condensed) const {
  const auto label = index_label_.empty() ? std::nullopt : kube::label_of(condensed, index_label_);
  return bucket(ns, label.value_or(""));
}

std::vector<runtime::Stored> RelatedSource::read(const kube::ObjectRef& reader,
                                                 const std::string& ns, const LabelMap& labels) {
  const auto wanted = std::find_if(labels.begin(), labels.end(),
                                   [this](const auto& l) { return l.first == index_label_; });
  const std::string key = bucket(ns, wanted == labels.end() ? "" : wanted->second);
  std::vector<runtime::Stored> found;
  base::MutexLock lock(mutex_);
  if (std::string& previous = bucket_by_reader_[reader]; previous != key) {
    readers_[previous].erase(reader);
    previous = key;
  }
  readers_[key].insert(reader);
  auto it = objects_.find(key);
  if (it == objects_.end()) {
    return found;
  }
  for (const auto& [name, object] : it->second) {
    if (has_labels(*object, labels)) {
      found.push_back(object);
    }
  }
  return found;
}

void RelatedSource::forget(const kube::ObjectRef& reader) {
  base::MutexLock lock(mutex_);
  auto it = bucket_by_reader_.find(reader);
  if (it == bucket_by_reader_.end()) {
    return;
  }
  auto readers = readers_.find(it->second);
  if (readers != readers_.end()) {
    readers->second.erase(reader);
    if (readers->second.empty()) {
      readers_.erase(readers);
    }
  }
  bucket_by_reader_.erase(it);
}

void RelatedSource::on_change(const runtime::Change& change) {
  std::set<kube::ObjectRef> concerned;
  {
    base::MutexLock lock(mutex_);
    auto concern = [&](const std::string& key) CW_REQUIRES(mutex_) {
      if (auto it = readers_.find(key); it != readers_.end()) {
        concerned.insert(it->second.begin(), it->second.end());
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
  for (const kube::ObjectRef& reader : concerned) {
    trigger_(reader, Urgency::kSoon);
  }
}

}  // namespace chartwright::observe
