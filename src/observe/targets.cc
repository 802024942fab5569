// SPDX-License-Identifier: Apache-2.0
#include "observe/targets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "release/observed.h"

namespace chartwright::observe {
namespace {

value::Value condense_target(const value::Value& object) {
  return release::condense(object, release::KeepBody::kYes);
}

// As fields.EscapeValue of Kubernetes: a name cannot end the selector and begin another one.
std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '\\' || c == ',' || c == '=') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

// Returns nullopt if nothing that a patch depends on changed.
std::optional<Urgency> urgency_of(const runtime::Change& change) {
  if (change.before == nullptr || change.after == nullptr) {
    return Urgency::kNow;
  }
  switch (release::difference_for_owner(*change.before, *change.after)) {
    case release::Difference::kNone:
      return std::nullopt;
    case release::Difference::kRecounted:
      return Urgency::kLate;
    case release::Difference::kShown:
      return Urgency::kSoon;
    case release::Difference::kDrift:
      break;
  }
  return Urgency::kNow;
}

}  // namespace

base::Status Targets::set(const Reader& reader, const std::set<kube::ObjectRef>& targets,
                          std::stop_token stop) {
  std::vector<InformerPtr> unused;  // Ended without the lock, which their listeners take.
  std::vector<InformerPtr> followed;
  std::vector<InformerPtr> opened;
  std::set<kube::ObjectRef> admitted;
  std::set<Key> keys;
  std::ranges::transform(targets, std::inserter(keys, keys.end()), key_of);
  base::Status status;
  {
    base::MutexLock lock(mutex_);
    unused = drop(reader, keys);
    stop_waiting([&reader](const Reader& one) { return one == reader; });
    for (const Key& key : keys) {
      auto informer = follow(reader, key, opened);
      if (!informer.ok()) {
        status = std::move(informer).error();
        waiting_[key.ref.group_kind()].insert(reader);
        break;
      }
      followed.push_back(*std::move(informer));
    }
    admitted = admit();
  }
  tell(admitted);
  // Without the lock: what the stores have already is reported at once, on this thread.
  for (const InformerPtr& informer : opened) {
    informer->store().add_listener([this](const runtime::Change& change) { on_change(change); });
  }
  std::vector<const runtime::Informer*> awaited;
  for (const InformerPtr& informer : followed) {
    if (!informer->has_synced()) {
      awaited.push_back(informer.get());
    }
  }
  return !status.ok() || awaited.empty()
             ? status
             : informers_.wait_synced(awaited, std::move(stop), kSyncTimeout);
}

base::Result<Targets::InformerPtr> Targets::follow(const Reader& reader, const Key& key,
                                                   std::vector<InformerPtr>& opened) {
  const kube::ObjectRef& ref = key.ref;
  auto it = targets_.find(key);
  if (it == targets_.end()) {
    if (room_for(ref.group_kind()) == 0) {
      return base::Error(base::ErrorCode::kBudget,
                         "more than " + std::to_string(kTargetsMax) + " objects of the kind " +
                             ref.group_kind().to_string() +
                             " are watched by name; select them by label in `related` of "
                             "operator/operator.yaml")
          .with_http(0, std::string(runtime::kTooManyWatches));
    }
    const kube::Selection selection{ref.ns, "", "metadata.name=" + escaped(ref.name)};
    InformerPtr informer = informers_.open(ref.gvk, selection, condense_target);
    opened.push_back(informer);
    it = targets_.emplace(key, Target{std::move(informer), {}}).first;
  }
  it->second.readers.insert(reader);
  by_reader_[reader].insert(key);
  return it->second.informer;
}

size_t Targets::room_for(const kube::GroupKind& kind) const {
  const auto watched = static_cast<size_t>(std::ranges::count_if(
      targets_, [&kind](const auto& entry) { return entry.first.ref.group_kind() == kind; }));
  return kTargetsMax - std::min(watched, kTargetsMax);
}

void Targets::stop_waiting(const std::function<bool(const Reader&)>& is_over) {
  for (auto& [kind, readers] : waiting_) {
    std::erase_if(readers, is_over);
  }
}

// No more than there is room for: thousands may wait. One that needs more than one watch, or none
// any more, leaves the others to their own retries.
std::set<kube::ObjectRef> Targets::admit() {
  std::set<kube::ObjectRef> admitted;
  for (auto& [kind, readers] : waiting_) {
    for (size_t room = readers.empty() ? 0 : room_for(kind); room > 0 && !readers.empty(); --room) {
      admitted.insert(readers.extract(readers.begin()).value().cr);
    }
  }
  std::erase_if(waiting_, [](const auto& item) { return item.second.empty(); });
  return admitted;
}

void Targets::tell(const std::set<kube::ObjectRef>& crs) const {
  for (const kube::ObjectRef& cr : crs) {
    trigger_(cr, Urgency::kSoon);
  }
}

std::vector<Targets::InformerPtr> Targets::drop(const Reader& reader, const std::set<Key>& but) {
  std::vector<InformerPtr> unused;
  const auto mine = by_reader_.find(reader);
  if (mine == by_reader_.end()) {
    return unused;
  }
  std::erase_if(mine->second, [&](const Key& key) CW_REQUIRES(mutex_) {
    if (but.contains(key)) {
      return false;
    }
    const auto target = targets_.find(key);
    target->second.readers.erase(reader);
    if (target->second.readers.empty()) {
      unused.push_back(std::move(target->second.informer));
      targets_.erase(target);
    }
    return true;
  });
  if (mine->second.empty()) {
    by_reader_.erase(mine);
  }
  return unused;
}

void Targets::forget(const kube::ObjectRef& cr) {
  std::vector<InformerPtr> unused;  // Ended without the lock.
  std::set<kube::ObjectRef> admitted;
  {
    base::MutexLock lock(mutex_);
    stop_waiting([&cr](const Reader& one) { return one.cr == cr; });
    auto next = by_reader_.lower_bound({cr, ""});
    while (next != by_reader_.end() && next->first.cr == cr) {
      const Reader reader = next->first;  // drop() removes the entry.
      ++next;
      std::ranges::move(drop(reader, {}), std::back_inserter(unused));
    }
    admitted = admit();
  }
  tell(admitted);
}

runtime::Stored Targets::find(const kube::ObjectRef& ref) const {
  base::MutexLock lock(mutex_);
  const auto it = targets_.find(key_of(ref));
  return it == targets_.end() ? nullptr : it->second.informer->store().get(ref.ns, ref.name);
}

std::string Targets::seen_version(const kube::ObjectRef& ref) const {
  base::MutexLock lock(mutex_);
  const auto it = targets_.find(key_of(ref));
  return it == targets_.end() ? std::string() : it->second.informer->store().resource_version();
}

void Targets::on_change(const runtime::Change& change) const {
  const auto urgency = urgency_of(change);
  if (!urgency) {
    return;
  }
  std::set<kube::ObjectRef> concerned;
  {
    base::MutexLock lock(mutex_);
    if (const auto it = targets_.find(key_of(change.ref)); it != targets_.end()) {
      for (const Reader& reader : it->second.readers) {
        concerned.insert(reader.cr);
      }
    }
  }
  for (const kube::ObjectRef& cr : concerned) {
    trigger_(cr, *urgency);
  }
}

}  // namespace chartwright::observe
