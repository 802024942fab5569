// SPDX-License-Identifier: Apache-2.0
#include "subject/verdicts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/doubled.h"
#include "external/runner.h"

namespace chartwright::op {
namespace {

using value::Value;

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
void note_vacancy(const Subject& subject, const kube::ObjectRef& slot, std::string_view uid) {
  const auto [it, is_first] = subject.state.vacancies.try_emplace(slot);
  Vacancy& vacancy = it->second;
  if (vacancy.uid == uid) {
    return;
  }
  const base::MonotonicTime now = subject.services.clock.monotonic();
  vacancy.streak = is_first || now - vacancy.due > kStreakEnd ? 0 : vacancy.streak + 1;
  vacancy.uid = uid;
  vacancy.due = now + pause_after(vacancy.streak);
}

const Vacancy* vacancy_of(const Subject& subject, const kube::ObjectRef& ref,
                          std::string_view uid) {
  const auto entry = subject.state.inventory.find(ref);
  if (entry == subject.state.inventory.end()) {
    return nullptr;
  }
  const auto vacancy = subject.state.vacancies.find(release::slot_of(ref, entry->second));
  return vacancy != subject.state.vacancies.end() && vacancy->second.uid == uid ? &vacancy->second
                                                                                : nullptr;
}

// Forgets what is known of children that are gone.
void forget_others(CrState& state) {
  std::erase_if(state.judgements,
                [&state](const auto& item) { return !state.inventory.contains(item.first); });
  if (state.vacancies.empty()) {
    return;
  }
  std::set<kube::ObjectRef> slots;
  for (const auto& [ref, entry] : state.inventory) {
    slots.insert(release::slot_of(ref, entry));
  }
  std::erase_if(state.vacancies,
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
      subject.state.judgements[ref] = {seen_of(subject, live), *verdict};
      if (!verdict->present && !live.deleting()) {
        note_vacancy(subject, release::slot_of(ref, subject.state.inventory[ref]), live.uid());
      }
    } else if (result.ok()) {
      result = std::move(verdict).error();
    }
  }
  return result;
}

}  // namespace

base::Status judge_children(const Subject& subject, RenderQueue& renders) {
  if (!subject.watch.bundle.rules.judge_children()) {
    return {};
  }
  CrState& state = subject.state;
  forget_others(state);
  std::vector<std::pair<kube::ObjectRef, release::Observed>> changed;
  for (const auto& [ref, entry] : state.inventory) {
    const auto live = live_of(subject, ref);
    const auto known = state.judgements.find(ref);
    const bool asks =
        entry.role == release::Role::kChild && live &&
        (known == state.judgements.end() || known->second.seen != seen_of(subject, *live));
    if (asks) {
      changed.emplace_back(ref, *live);
    }
  }
  if (changed.empty()) {
    return {};
  }
  return renders.run(host::Material::kOperatorFolder,
                     [&subject, &changed] { return judge_all(subject, changed); });
}

std::optional<base::Duration> next_replacement(const Subject& subject) {
  const base::MonotonicTime now = subject.services.clock.monotonic();
  std::optional<base::Duration> next;
  for (const auto& [slot, vacancy] : subject.state.vacancies) {
    if (vacancy.due > now) {
      next = next ? std::min(*next, vacancy.due - now) : vacancy.due - now;
    }
  }
  return next;
}

std::optional<release::Observed> live_of(const Subject& subject, const kube::ObjectRef& ref) {
  const auto glimpse = subject.state.glimpses.find(ref);
  return glimpse == subject.state.glimpses.end() ? subject.services.caches.live(ref)
                                                 : glimpse->second;
}

std::string seen_version_of(const Subject& subject, const kube::ObjectRef& ref) {
  constexpr std::string_view kOlderThanAny = "0";
  if (subject.state.glimpses.contains(ref)) {
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
  const auto known = subject.state.judgements.find(ref);
  if (!live || known == subject.state.judgements.end() ||
      !known->second.seen.starts_with(std::string(live->uid()) + "@")) {
    return live;
  }
  release::Verdict verdict = known->second.verdict;
  const Vacancy* vacancy = verdict.present ? nullptr : vacancy_of(subject, ref, live->uid());
  if (vacancy != nullptr && subject.services.clock.monotonic() < vacancy->due) {
    verdict.present = true;
    verdict.vacant = true;
  }
  return live->judged(verdict);
}

}  // namespace chartwright::op
