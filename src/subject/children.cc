// SPDX-License-Identifier: Apache-2.0
#include "subject/children.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "kube/api_status.h"
#include "release/secret_digest.h"
#include "subject/verdicts.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using release::Observed;

namespace {

bool is_unmatched(const Error& error) {
  return error.code() == ErrorCode::kNotFound && error.reason() == kube::kNoMatchReason;
}

bool is_child(const release::InventoryEntry& entry) {
  return entry.role == release::Role::kChild && !entry.gone;
}

// Reports whether an object is the one that was applied last. Only then its end is that of the
// entry.
bool is_as_applied(const Observed& live, const release::InventoryEntry& entry,
                   const release::Owner& owner) {
  return is_child(entry) && was_applied(&entry) && !entry.unverified &&
         !is_behind(live.resource_version(), entry) && live.claim(owner) == release::Claim::kOurs &&
         !entry.observed.empty() && is_observed(entry.observed, live, owner);
}

void note_ending(const Observed& live, const release::Owner& owner,
                 release::InventoryEntry& entry) {
  const auto ending = live.ending();
  if ((ending || !live.deleting()) && is_as_applied(live, entry, owner)) {
    entry.ending = ending;
  }
}

}  // namespace

void Children::note(Error error) {
  if (first_error_.ok()) {
    first_error_ = std::move(error);
  }
}

void Children::note_unserved(const kube::GroupKind& kind, Error error) {
  unserved_.insert(kind);
  note(std::move(error));
}

base::Result<bool> Children::is_served(const kube::Gvk& gvk) const {
  const auto mapping = subject_.services.client.mapping_for(gvk, subject_.call);
  if (!mapping.ok() && !is_unmatched(mapping.error())) {
    return mapping.error();
  }
  return mapping.ok();
}

bool Children::is_shown(const kube::ObjectRef& ref) {
  const auto [known, is_new] = shown_.try_emplace({ref.group_kind(), ref.ns});
  if (is_new) {
    known->second = subject_.services.caches.covers(ref);
  }
  return known->second;
}

base::Status Children::look() {
  if (looked_) {
    return {};
  }
  looked_ = true;
  uncached_.clear();
  std::vector<kube::ObjectRef> children;
  for (const auto& [ref, entry] : inventory_) {
    if (is_child(entry)) {
      children.push_back(ref);
    }
  }
  CW_TRY_VOID(watch(children));
  for (const auto& [ref, entry] : inventory_) {
    if (!is_child(entry) || is_shown(ref)) {
      continue;
    }
    const auto asked = ask(ref);
    if (!asked.ok() && asked.error().code() == ErrorCode::kCancelled) {
      return asked.error();
    }
  }
  recognise();
  note_endings();
  return {};
}

void Children::recognise() {
  for (auto& [ref, entry] : inventory_) {
    if (!entry.unverified) {
      continue;
    }
    const auto live = live_of(subject_, ref);
    entry.unverified = !live || live->claim(subject_.owner) != release::Claim::kOurs;
  }
}

void Children::note_endings() {
  for (auto& [ref, last] : subject_.services.caches.take_ended(subject_.owner.ref())) {
    if (const auto entry = inventory_.find(ref); entry != inventory_.end()) {
      note_ending(Observed(std::move(last)), subject_.owner, entry->second);
    }
  }
  for (auto& [ref, entry] : inventory_) {
    const auto live = health::may_end(ref.group_kind()) ? live_of(subject_, ref) : std::nullopt;
    if (live) {
      note_ending(*live, subject_.owner, entry);
    }
  }
}

base::Status Children::review_unconfirmed() {
  constexpr int kAtATime = 20;  // Anyone who may write a status may name thousands.
  auto item = unconfirmed_.begin();
  for (int asked = 0; item != unconfirmed_.end() && asked < kAtATime; ++asked) {
    const auto found = subject_.services.client.get(address(item->first), subject_.call);
    if (!found.ok() && found.error().code() == ErrorCode::kCancelled) {
      return found.error();
    }
    const bool stays = found.ok()
                           ? release::claim_on(*found, subject_.owner) == release::Claim::kOurs
                           : found.error().code() != ErrorCode::kNotFound;
    item = stays ? std::next(item) : unconfirmed_.erase(item);
  }
  return {};
}

void Children::end_unused_watches() {
  std::set<kube::Gvk> kinds;
  for (const auto& [ref, entry] : inventory_) {
    if (is_child(entry)) {
      kinds.insert(ref.gvk);
    }
  }
  subject_.services.caches.keep_children(subject_.owner.ref(), kinds);
}

// A watch of a kind that is not served would fail for ever, and so would the others with it.
base::Status Children::watch(const std::vector<kube::ObjectRef>& children) {
  std::map<kube::Gvk, std::vector<kube::ObjectRef>> by_kind;
  for (const kube::ObjectRef& child : children) {
    by_kind[child.gvk].push_back(child);
  }
  std::vector<kube::ObjectRef> served;
  std::erase_if(by_kind, [&](const auto& item) {
    auto serves = is_served(item.first);
    if (!serves.ok()) {
      note(std::move(serves).error());
    } else if (*serves) {
      served.insert(served.end(), item.second.begin(), item.second.end());
      return false;
    }
    return true;
  });
  observe::Caches& caches = subject_.services.caches;
  if (caches.watch_children(subject_.owner.ref(), served, subject_.context.stop).ok()) {
    return {};
  }
  for (const auto& [gvk, some] : by_kind) {
    auto watched = caches.watch_children(subject_.owner.ref(), some, subject_.context.stop);
    if (watched.ok() || watched.error().code() == ErrorCode::kNotFound) {
      continue;  // Whether the kind is still served, each child tells.
    }
    if (watched.error().code() == ErrorCode::kCancelled) {
      return watched;
    }
    note(std::move(watched).error());
  }
  return {};
}

// The version of the API that is recorded may have gone, while the objects live on in another one.
kube::ObjectRef Children::address(const kube::ObjectRef& ref) const {
  kube::Client& client = subject_.services.client;
  const auto mapping = client.mapping_for(ref.gvk, subject_.call);
  if (mapping.ok() || !is_unmatched(mapping.error())) {
    return ref;
  }
  const auto other = client.preferred_mapping(ref.group_kind(), subject_.call);
  return other.ok() ? kube::ObjectRef{other->gvk, ref.ns, ref.name} : ref;
}

base::Result<std::optional<Observed>> Children::ask(const kube::ObjectRef& ref) {
  const bundle::Bundle& bundle = subject_.watch.bundle;
  kube::Client& client = subject_.services.client;
  auto found = client.get(address(ref), subject_.call);
  if (!found.ok() && kube::is_unknown_path(found.error())) {
    CW_TRY_VOID(client.refresh_kinds(kDiscoveryAge, subject_.call));
    found = client.get(address(ref), subject_.call);
  }
  if (!found.ok() && found.error().code() != ErrorCode::kNotFound) {
    unknown_.insert(ref);
    note(found.error());
    return std::move(found).error();
  }
  std::optional<Observed>& uncached = uncached_[ref];
  uncached.reset();
  if (found.ok()) {
    const bool keeps = bundle.reads_live || bundle.rules.judge_children();
    uncached.emplace(std::make_shared<const value::Value>(
        release::condense(*found, keeps ? release::KeepBody::kYes : release::KeepBody::kNo)));
  }
  return uncached;
}

base::Result<std::optional<Observed>> Children::find(const kube::ObjectRef& ref,
                                                     const release::InventoryEntry& entry) {
  const auto live = judged_live(subject_, ref);
  const bool is_current = live && !is_behind(live->resource_version(), entry);
  if (is_current || uncached_.contains(ref)) {
    return live;
  }
  auto asked = ask(ref);
  if (!asked.ok()) {
    return std::move(asked).error();
  }
  return judged_live(subject_, ref);
}

base::Result<bool> Children::lost_kind() {
  CW_TRY_VOID(subject_.services.client.refresh_kinds(kDiscoveryAge, subject_.call));
  for (const auto& [ref, entry] : inventory_) {
    if (is_child(entry)) {
      CW_TRY(const bool serves, is_served(ref.gvk));
      if (!serves) {
        return true;
      }
    }
  }
  return false;
}

bool Children::needs_poll() {
  return std::any_of(inventory_.begin(), inventory_.end(), [this](const auto& item) {
    if (!is_child(item.second) || is_shown(item.first)) {
      return false;
    }
    const auto live = judged_live(subject_, item.first);
    if (!live && is_over(item.second, subject_.services.clock.wall())) {
      return false;
    }
    const bool behind = is_behind(
        live ? std::string(live->resource_version()) : seen_version_of(subject_, item.first),
        item.second);
    const health::ReadyState state =
        live && !behind ? live->ready_state() : item.second.written.state;
    return state != health::ReadyState::kReady;
  });
}

}  // namespace chartwright::op
