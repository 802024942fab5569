// SPDX-License-Identifier: Apache-2.0
#include "subject/causes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "diagnosis/diagnosis.h"
#include "subject/verdicts.h"

namespace chartwright::op {
namespace {

using diagnosis::Answer;
using diagnosis::Question;

/// As many that can wait, and as many that cannot.
constexpr int kSearchesPerSecond = 10;
constexpr base::Duration kForbiddenFor = std::chrono::minutes(10);
constexpr base::Duration kSecond = std::chrono::seconds(1);
/// Further children of one custom resource wait until these have had their turn.
constexpr size_t kTurnsMax = 3;
/// Most pods get ready, or show why they do not, within seconds. An install of many custom
/// resources is not to cost many searches.
constexpr base::Duration kFirstPause = std::chrono::seconds(10);
/// A status that changes again and again causes no more searches than that.
constexpr base::Duration kLeastPause = std::chrono::seconds(10);
/// The pods of a child may change while its own status stays as it is.
constexpr std::array<base::Duration, 4> kPauses = {std::chrono::seconds(20),
                                                   std::chrono::minutes(1), std::chrono::minutes(3),
                                                   std::chrono::minutes(5)};
constexpr base::Duration kTimeout = std::chrono::seconds(5);

/// The searches for the cause of one child.
struct CauseSearch {
  std::string version;  ///< The uid and resourceVersion of the child that was seen last.
  std::string message;  ///< The words of the child itself.
  size_t done = 0;      ///< The number of searches since the version changed.
  std::optional<base::MonotonicTime> last;
  base::MonotonicTime due;
  bool has_turn = false;  ///< The process searches for it at `due`.
  std::optional<ChildCause> found;
};

struct CauseMemory {
  /// When this reconcile last looked which searches are due; nullopt: it has not.
  std::optional<base::MonotonicTime> looked;
  std::map<kube::ObjectRef, CauseSearch> searches;  ///< Searches by child; none of ready ones.
};

/// The search for the object that reconciles wait for.
struct AwaitedMemory {
  kube::ObjectRef ref;
  CauseSearch search;
};

CauseMemory& causes_of(const Subject& subject) { return subject.memories.of<CauseMemory>(); }

bool is_explainable(const kube::ObjectRef& ref, const release::InventoryEntry& entry,
                    const release::Observed& live) {
  const health::ReadyState state = live.ready_state();
  return entry.role == release::Role::kChild && !live.deleting() &&
         (state == health::ReadyState::kProgressing || state == health::ReadyState::kFailed) &&
         !release::is_behind(live.resource_version(), entry) &&
         !diagnosis::listed_kinds(ref.gvk.group_kind()).empty();
}

void note_child(CauseSearch& search, const release::Observed& live, base::MonotonicTime now) {
  std::string version = std::string(live.uid()) + "@" + std::string(live.resource_version());
  if (search.version == version) {
    return;
  }
  search.version = std::move(version);
  search.done = 0;
  search.has_turn = false;
  search.due = now + kFirstPause;
  if (search.last) {
    search.due = std::max(search.due, *search.last + kLeastPause);
  }
  if (search.message != live.ready_message()) {
    search.message = live.ready_message();
    search.found.reset();
  }
}

void note_children(const Subject& subject, CauseMemory& memory) {
  const base::MonotonicTime now = subject.services.clock.monotonic();
  std::map<kube::ObjectRef, CauseSearch> searches;
  for (const auto& [ref, entry] : subject.state.inventory) {
    const auto live = judged_live(subject, ref);
    if (!live || !is_explainable(ref, entry, *live)) {
      continue;
    }
    CauseSearch& search = searches[ref];
    if (const auto known = memory.searches.find(ref); known != memory.searches.end()) {
      search = std::move(known->second);
    }
    note_child(search, *live, now);
  }
  memory.searches = std::move(searches);
}

Answer answer_to(const Question& question, const Subject& subject, const kube::Call& call) {
  CauseSearches& searches = *subject.services.causes;
  const kube::GroupKind kind = question.gvk.group_kind();
  if (searches.is_forbidden(kind, question.ns)) {
    return {Answer::State::kForbidden};
  }
  Answer answer = diagnosis::answer_of(
      subject.services.client.list(question.gvk, diagnosis::list_options(question), call));
  if (answer.state == Answer::State::kForbidden) {
    searches.forbid(kind, question.ns);
  }
  return answer;
}

/// Returns nullopt where the child cannot be read.
std::optional<ChildCause> find_cause(const Subject& subject, const kube::ObjectRef& ref,
                                     const std::string& message) {
  kube::Call call = subject.call;
  call.timeout = kTimeout;
  auto live = subject.services.client.get(ref, call);
  if (!live.ok()) {
    return std::nullopt;
  }
  diagnosis::Diagnosis search(*std::move(live));
  while (const auto question = search.next()) {
    search.answer(*question, answer_to(*question, subject, call));
  }
  const diagnosis::Finding finding = search.finding();
  if (!finding.causes.empty()) {
    const diagnosis::Cause& cause = finding.causes.front();
    return ChildCause{std::string(to_string(cause.code)), cause.summary};
  }
  std::string text = message;
  if (!finding.gaps.empty()) {
    text += (text.empty() ? "" : "; ") + finding.gaps.front();
  }
  return ChildCause{"", std::move(text)};
}

void run_search(const Subject& subject, const kube::ObjectRef& ref, CauseSearch& search) {
  const base::MonotonicTime now = subject.services.clock.monotonic();
  search.last = now;
  search.has_turn = false;
  search.due = now + kPauses.at(std::min(search.done, kPauses.size() - 1));
  ++search.done;
  if (auto cause = find_cause(subject, ref, search.message)) {
    search.found = *std::move(cause);
  }
}

/// Gives turns to the searches that are due and have none; those beyond kTurnsMax wait for the last
/// of these.
void take_turns(CauseMemory& memory, CauseSearches& turns, base::MonotonicTime now) {
  size_t taken = 0;
  base::MonotonicTime last = now;
  for (const auto& [ref, search] : memory.searches) {
    taken += search.has_turn ? 1 : 0;
    last = search.has_turn ? std::max(last, search.due) : last;
  }
  for (auto& [ref, search] : memory.searches) {
    if (now < search.due || search.has_turn) {
      continue;
    }
    if (taken == kTurnsMax) {
      search.due = std::max(last, now + kSecond);
      continue;
    }
    ++taken;
    search.has_turn = true;
    search.due = turns.take_turn().value_or(now);
    last = std::max(last, search.due);
  }
}

}  // namespace

void CauseSearches::Second::go_on(base::MonotonicTime now) {
  if (count == 0 || now - begin >= kSecond) {
    begin = now;
    count = 0;
  }
}

bool CauseSearches::begin() {
  const base::MutexLock lock(mutex_);
  at_once_.go_on(clock_.monotonic());
  if (at_once_.count == kSearchesPerSecond) {
    return false;
  }
  ++at_once_.count;
  return true;
}

// The clock is read under the mutex, so that no thread has an earlier time than the begin of a
// second that another one has begun.
std::optional<base::MonotonicTime> CauseSearches::take_turn() {
  const base::MutexLock lock(mutex_);
  const base::MonotonicTime now = clock_.monotonic();
  turns_.go_on(now);
  if (turns_.count == kSearchesPerSecond) {
    turns_.begin += kSecond;
    turns_.count = 0;
  }
  ++turns_.count;
  return turns_.begin <= now ? std::nullopt : std::optional(turns_.begin);
}

void CauseSearches::forbid(const kube::GroupKind& kind, std::string_view ns) {
  const base::MonotonicTime now = clock_.monotonic();
  const base::MutexLock lock(mutex_);
  std::erase_if(forbidden_, [now](const auto& item) { return item.second <= now; });
  forbidden_[{kind, std::string(ns)}] = now + kForbiddenFor;
}

bool CauseSearches::is_forbidden(const kube::GroupKind& kind, std::string_view ns) const {
  const base::MonotonicTime now = clock_.monotonic();
  const base::MutexLock lock(mutex_);
  const auto found = forbidden_.find(List{kind, std::string(ns)});
  return found != forbidden_.end() && now < found->second;
}

void search_causes(const Subject& subject) {
  if (subject.services.causes == nullptr) {
    return;
  }
  CauseMemory& memory = causes_of(subject);
  note_children(subject, memory);
  const base::MonotonicTime now = subject.services.clock.monotonic();
  memory.looked = now;
  take_turns(memory, *subject.services.causes, now);
  for (auto& [ref, search] : memory.searches) {
    if (search.has_turn && search.due <= now) {
      run_search(subject, ref, search);
    }
  }
}

std::optional<ChildCause> cause_of_awaited(const Subject& subject, const kube::ObjectRef& ref,
                                           bool has_failed) {
  const auto live = judged_live(subject, ref);
  if (subject.services.causes == nullptr || !live) {
    return std::nullopt;
  }
  AwaitedMemory& memory = subject.memories.of<AwaitedMemory>();
  if (memory.ref != ref) {
    memory = {ref, {}};
  }
  const base::MonotonicTime now = subject.services.clock.monotonic();
  note_child(memory.search, *live, now);
  const bool is_due = now >= memory.search.due || has_failed;
  if (is_due && subject.services.causes->begin()) {
    run_search(subject, ref, memory.search);
  }
  const std::optional<ChildCause>& found = memory.search.found;
  return found && !found->code.empty() ? found : std::nullopt;
}

std::optional<base::Duration> next_search(const Subject& subject) {
  if (subject.services.causes == nullptr) {
    return std::nullopt;
  }
  CauseMemory& memory = causes_of(subject);
  const base::MonotonicTime now = subject.services.clock.monotonic();
  const base::MonotonicTime looked = std::exchange(memory.looked, std::nullopt).value_or(now);
  std::optional<base::Duration> next;
  for (const auto& [ref, search] : memory.searches) {
    if (looked < search.due) {
      const base::Duration left = std::max(search.due - now, base::Duration::zero());
      next = std::min(next.value_or(base::Duration::max()), left);
    }
  }
  return next;
}

bool search_is_due(const Subject& subject) {
  if (subject.services.causes == nullptr) {
    return false;
  }
  CauseMemory& memory = causes_of(subject);
  const base::MonotonicTime now = subject.services.clock.monotonic();
  memory.looked = now;
  return std::ranges::any_of(memory.searches,
                             [now](const auto& item) { return item.second.due <= now; });
}

std::optional<ChildCause> known_cause(const Subject& subject, const kube::ObjectRef& ref,
                                      std::string_view message) {
  if (subject.services.causes == nullptr) {
    return std::nullopt;
  }
  const auto& searches = causes_of(subject).searches;
  const auto search = searches.find(ref);
  if (search == searches.end() || search->second.message != message) {
    return std::nullopt;
  }
  return search->second.found;
}

}  // namespace chartwright::op
