// SPDX-License-Identifier: Apache-2.0
#include "subject/verdicts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "external/runner.h"

namespace chartwright::op {
namespace {

using value::Value;

/// The answers of the rules about a child, and the versions that they are about.
struct Judgement {
  std::string seen;  ///< Versions of the child and of the custom resource.
  release::Verdict verdict;
};

/// The wait before a child that does not count is replaced.
struct Backoff {
  std::string uid;
  int streak = 0;  ///< How many children of the slot came before it, without a long time between.
  base::MonotonicTime due;

  bool operator==(const Backoff&) const = default;
};

struct Memory {
  std::map<kube::ObjectRef, Judgement>
      judgements;                               ///< Judgements of the children that a rule judges.
  std::map<kube::ObjectRef, Backoff> backoffs;  ///< Back-offs by slot, or by name if that is fixed.
};

Memory& memory_of(const Subject& subject) { return subject.memories.of<Memory>(); }

std::string seen_of(const Subject& subject, const release::Observed& live) {
  return std::string(live.uid()) + "@" + std::string(live.resource_version()) + " " +
         std::string(kube::resource_version_of(subject.cr));
}

// As the kubelet restarts containers. Source: k8s.io/kubernetes pkg/kubelet/kubelet.go.
constexpr base::Duration kFirstPause = std::chrono::seconds(10);
constexpr base::Duration kPauseMax = std::chrono::minutes(5);
constexpr base::Duration kStreakEnd = std::chrono::minutes(10);

base::Duration pause_after(int streak) {
  return streak == 0 ? base::Duration::zero() : base::doubled(kFirstPause, streak - 1, kPauseMax);
}

// Notes that a child does not count, and when it may be replaced.
void back_off(const Subject& subject, const kube::ObjectRef& slot, std::string_view uid) {
  const auto [it, is_first] = memory_of(subject).backoffs.try_emplace(slot);
  Backoff& backoff = it->second;
  if (backoff.uid == uid) {
    return;
  }
  const base::MonotonicTime now = subject.services.clock.monotonic();
  backoff.streak = is_first || now - backoff.due > kStreakEnd ? 0 : backoff.streak + 1;
  backoff.uid = uid;
  backoff.due = now + pause_after(backoff.streak);
}

const Backoff* backoff_of(const Subject& subject, const kube::ObjectRef& ref,
                          std::string_view uid) {
  const auto entry = subject.state.inventory.find(ref);
  if (entry == subject.state.inventory.end()) {
    return nullptr;
  }
  const auto& backoffs = memory_of(subject).backoffs;
  const auto backoff = backoffs.find(release::slot_of(ref, entry->second));
  return backoff != backoffs.end() && backoff->second.uid == uid ? &backoff->second : nullptr;
}

// Forgets what is known of children that are gone.
void forget_others(Memory& memory, const release::Inventory& inventory) {
  std::erase_if(memory.judgements,
                [&inventory](const auto& item) { return !inventory.contains(item.first); });
  if (memory.backoffs.empty()) {
    return;
  }
  std::set<kube::ObjectRef> slots;
  for (const auto& [ref, entry] : inventory) {
    slots.insert(release::slot_of(ref, entry));
  }
  std::erase_if(memory.backoffs,
                [&slots](const auto& item) { return !slots.contains(item.first); });
}

base::Result<release::Verdict> judge(const Subject& subject, const Value& body) {
  const bundle::OperatorRules& rules = subject.watch.bundle.rules;
  const bundle::Renderer& renderer = subject.services.renderer;
  release::Verdict verdict;
  const release::ChildRule* rule = release::find_rule(rules.children, body);
  if (rule == nullptr) {
    return verdict;
  }
  const bundle::ChildPredicates& asked =
      rules.predicates.at(static_cast<size_t>(rule - rules.children.data()));
  const bundle::CrView seen{
      subject.cr, external::captures(subject.watch.bundle.externals, subject.state.externals)};
  if (asked.present) {
    CW_TRY(verdict.present, renderer.judge(*asked.present, seen, body));
  }
  if (asked.ready) {
    CW_TRY(verdict.ready, renderer.judge(*asked.ready, seen, body));
  }
  return verdict;
}

// The first error is returned once all were asked, so that one child does not hide the others.
base::Status judge_all(const Subject& subject,
                       const std::vector<std::pair<kube::ObjectRef, release::Observed>>& changed) {
  base::Status result;
  for (const auto& [ref, live] : changed) {
    const auto body = live.body();
    if (!body) {
      continue;  // A Secret, which no template sees.
    }
    auto verdict = judge(subject, *body);
    if (verdict.ok()) {
      memory_of(subject).judgements[ref] = {seen_of(subject, live), *verdict};
      const auto entry = subject.state.inventory.find(ref);
      if (!verdict->present && !live.deleting() && entry != subject.state.inventory.end()) {
        back_off(subject, release::slot_of(ref, entry->second), live.uid());
      }
    } else if (result.ok()) {
      result = std::move(verdict).error();
    }
  }
  return result;
}

}  // namespace

base::Result<bool> judge_children(const Subject& subject, RenderQueue& renders) {
  if (!subject.watch.bundle.rules.judge_children()) {
    return false;
  }
  Memory& memory = memory_of(subject);
  const auto backoffs = memory.backoffs;
  forget_others(memory, subject.state.inventory);
  std::vector<std::pair<kube::ObjectRef, release::Observed>> changed;
  for (const auto& [ref, entry] : subject.state.inventory) {
    const auto live = live_of(subject, ref);
    const auto known = memory.judgements.find(ref);
    const bool asks =
        entry.role == release::Role::kChild && live &&
        (known == memory.judgements.end() || known->second.seen != seen_of(subject, *live));
    if (asks) {
      changed.emplace_back(ref, *live);
    }
  }
  if (!changed.empty()) {
    CW_TRY_VOID(renders.run(host::Source::kOperatorFolder,
                            [&subject, &changed] { return judge_all(subject, changed); }));
  }
  return memory.backoffs != backoffs;
}

std::optional<base::Duration> next_replacement(const Subject& subject) {
  const base::MonotonicTime now = subject.services.clock.monotonic();
  std::optional<base::Duration> next;
  for (const auto& [slot, backoff] : memory_of(subject).backoffs) {
    if (backoff.due > now) {
      next = next ? std::min(*next, backoff.due - now) : backoff.due - now;
    }
  }
  return next;
}

std::optional<release::Observed> live_of(const Subject& subject, const kube::ObjectRef& ref) {
  const auto uncached = subject.state.uncached_children.find(ref);
  return uncached == subject.state.uncached_children.end() ? subject.services.caches.live(ref)
                                                           : uncached->second;
}

std::string seen_version_of(const Subject& subject, const kube::ObjectRef& ref) {
  constexpr std::string_view kOlderThanAny = "0";
  if (subject.state.uncached_children.contains(ref)) {
    return {};
  }
  std::string seen = subject.services.caches.seen_version(ref);
  return seen.empty() ? std::string(kOlderThanAny) : seen;
}

std::optional<release::Observed> judged_live(const Subject& subject, const kube::ObjectRef& ref) {
  auto live = live_of(subject, ref);
  const auto entry = subject.state.inventory.find(ref);
  if (live && entry != subject.state.inventory.end() && entry->second.deleted_uid == live->uid()) {
    return live->deleted();
  }
  const auto& judgements = memory_of(subject).judgements;
  const auto known = judgements.find(ref);
  if (!live || known == judgements.end() ||
      !known->second.seen.starts_with(std::string(live->uid()) + "@")) {
    return live;
  }
  release::Verdict verdict = known->second.verdict;
  const Backoff* backoff = verdict.present ? nullptr : backoff_of(subject, ref, live->uid());
  if (backoff != nullptr && subject.services.clock.monotonic() < backoff->due) {
    verdict.present = true;
    verdict.backs_off = true;
  }
  return live->judged(verdict);
}

}  // namespace chartwright::op
