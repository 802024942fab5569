// SPDX-License-Identifier: Apache-2.0
#include "resource/cr_state.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "health/condition_types.h"
#include "health/conditions.h"
#include "release/secret_digest.h"
#include "resource/annotations.h"
#include "resource/status_signature.h"
#include "revision/keyed_digest.h"
#include "revision/listed_record.h"
#include "revision/record.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

namespace condition = health::condition;
using health::ConditionType;
using value::Value;

// A revision number; 0 where there is none, or it is out of range. The next ones must be numbers,
// too.
int number_at(const Value& v, std::string_view key) {
  const Value* member = v.find(key);
  const int64_t number = member != nullptr && member->is_int() ? member->as_int() : 0;
  return number > 0 && number < release::kRevisionNumberMax ? static_cast<int>(number) : 0;
}

HistoryItem history_item(const Value& v) {
  HistoryItem item;
  item.revision = number_at(v, "revision");
  item.status = v.string_at({"status"});
  item.description = v.string_at({"description"});
  item.chart = v.string_at({"chart"});
  item.digest = v.string_at({"digest"});
  item.deployed_at = v.string_at({"deployedAt"});
  return item;
}

// The condition with that type and status; nullptr when there is none.
const Value* condition_in(const Value& status, const ConditionType& type,
                          std::string_view verdict) {
  const Value* c = health::find_condition(status.find("conditions"), type.name);
  return c != nullptr && c->string_at({"status"}) == verdict ? c : nullptr;
}

// Returns the message of a condition; "" where there is none.
std::string message_of(const Value& status, const ConditionType& type, std::string_view verdict) {
  const Value* c = condition_in(status, type, verdict);
  return c == nullptr ? "" : std::string(c->string_at({"message"}));
}

int64_t deployed_generation_in(const Value& status) {
  const Value* c = condition_in(status, condition::kDeployed, "True");
  const Value* generation = c == nullptr ? nullptr : c->find("observedGeneration");
  return generation != nullptr && generation->is_int() ? generation->as_int() : 0;
}

// With a rollback in force, the refusal of another one follows a mark.
std::string refusal_in(const Value& status) {
  const std::string pinned = message_of(status, condition::kRolledBack, "True");
  const size_t mark = pinned.find(kRefusalMark);
  return mark == std::string::npos ? message_of(status, condition::kRolledBack, "False")
                                   : pinned.substr(mark + kRefusalMark.size());
}

// The progress says which hooks have run, so that an attempt without a digest is not known.
std::optional<Attempt> attempt_in(const Value& status) {
  const Value* stored = status.find("attempt");
  if (stored == nullptr || stored->string_at({"digest"}).empty()) {
    return std::nullopt;
  }
  Attempt attempt;
  attempt.revision = number_at(*stored, "revision");
  attempt.digest = stored->string_at({"digest"});
  attempt.content = stored->string_at({"content"});
  attempt.phase = stored->string_at({"phase"});
  attempt.failure = stored->string_at({"failure"});
  attempt.hooks.done = number_at(*stored, "hooksDone");
  attempt.hooks.uid = stored->string_at({"hookUid"});
  attempt.hooks.started_at = base::parse_rfc3339(stored->string_at({"hookStartedAt"})).value_or({});
  return attempt;
}

DryRun dry_run_in(std::string_view text) {
  for (const DryRun result : {DryRun::kRefused, DryRun::kAccepted}) {
    if (text == to_string(result)) {
      return result;
    }
  }
  return DryRun::kPending;
}

Pin pin_in(const Value& status) {
  const Value* stored = status.find("pin");
  if (stored == nullptr) {
    return Unpinned();
  }
  std::string rejected(stored->string_at({"rejectedInputs"}));
  const Value* attempt = stored->find("failed");
  if (attempt == nullptr) {
    return number_at(*stored, "revision") > 0 ? Pin(RolledBack{std::move(rejected)}) : Unpinned();
  }
  FailedAttempt failed{number_at(*attempt, "revision"),
                       std::string(attempt->string_at({"message"})),
                       dry_run_in(attempt->string_at({"dryRun"}))};
  if (failed.revision == 0) {
    return Unpinned();
  }
  return attempt->bool_at({"undone"}) ? Pin(Undone{std::move(rejected), std::move(failed)})
                                      : Undoing{std::move(rejected), std::move(failed)};
}

Progress progress_in(const Value& status) {
  Progress::Stored stored;
  stored.revision = number_at(status, "revision");
  stored.inputs = status.string_at({"inputs"});
  stored.pin = pin_in(status);
  stored.attempt = attempt_in(status);
  stored.handled_rollback = status.string_at({"lastHandledRollback"});
  stored.rollback_refusal = refusal_in(status);
  return Progress(std::move(stored));
}

// The rest of the message of the condition Unverified after `mark`.
std::string message_after(const Value& status, std::string_view mark) {
  const std::string message = message_of(status, condition::kUnverified, "True");
  const size_t at = message.find(mark);
  return at == std::string::npos ? "" : message.substr(at + mark.size());
}

void doubt(CrState& state) {
  state.unsigned_externals = std::exchange(state.externals, {});
  for (HistoryItem& item : state.history) {
    if (!item.digest.starts_with(release::kKeyedPrefix)) {
      item.digest.clear();  // Without a key, guesses at a secret can be tested with it.
    }
  }
  for (auto& [ref, entry] : state.inventory) {
    entry.unverified = entry.role == release::Role::kChild;
    entry.ending.reset();
    entry.drift = {};
  }
}

// In the namespace of the release, an owner reference shows what is ours: garbage collection would
// follow it, too.
void set_apart_unconfirmed(CrState& state, std::string_view ns) {
  for (auto item = state.inventory.begin(); item != state.inventory.end();) {
    const bool is_elsewhere = item->first.ns.empty() || item->first.ns != ns;
    auto next = std::next(item);
    if (item->second.unverified && is_elsewhere && item->second.role == release::Role::kChild) {
      state.unconfirmed.insert(state.inventory.extract(item));
    }
    item = next;
  }
}

// Versions that cannot be compared are not waited for.
bool is_void(const CrState& state, const Value& cr) {
  return !state.stored.overtaken.empty() &&
         !kube::is_older_version(kube::resource_version_of(cr), state.stored.overtaken);
}

// The state of a release in a status.
constexpr std::array<std::string_view, 8> kMembers = {
    "attempt", "externals", "history", "inputs", "lastHandledRollback",
    "pin",     "resources", "revision"};

}  // namespace

CrState state_from_status(const Value& cr, const base::Signer* signer) {
  CrState state;
  state.signer = signer == nullptr ? std::nullopt : std::optional(*signer);
  state.uid = kube::uid_of(cr);
  state.stored.version = kube::resource_version_of(cr);
  const Value* status = cr.find("status");
  if (status == nullptr || !status->is_dict()) {
    state.is_signed = true;  // It says nothing that could be wrong.
    state.seems_restored = std::ranges::any_of(kube::finalizers_of(cr), is_uninstall_finalizer);
    return state;
  }
  state.stored.status = value::Packed(*status);
  if (const Value* resources = status->find("resources")) {
    state.inventory = release::inventory_from_status(*resources);
  }
  if (const Value* externals = status->find("externals")) {
    state.externals = external::read_records(*externals);
  }
  state.progress = progress_in(*status);
  state.deployed_generation = deployed_generation_in(*status);
  // helm-operator's place for the rendered notes.
  state.notes = message_of(*status, condition::kDeployed, "True");
  const std::string hooks = message_of(*status, condition::kHooksSkipped, "True");
  state.skipped_hooks = hooks.starts_with(kHooksMark) ? hooks.substr(kHooksMark.size()) : "";
  state.held_definitions = message_of(*status, condition::kDefinitionsHeld, "True");
  if (const Value* history = status->find("history"); history != nullptr && history->is_list()) {
    for (const Value& item : history->as_list().items) {
      HistoryItem read = history_item(item);
      if (read.revision > 0 && state.history.size() < kHistoryMax) {
        state.history.push_back(std::move(read));
      }
    }
  }
  state.trusted_records = message_after(*status, kTrustedMark);
  state.is_signed =
      signer == nullptr || !has_own_members(*status) || is_signed(*status, *signer).value_or(false);
  if (!state.is_signed) {
    doubt(state);
  }
  if (!state.is_signed || signer == nullptr) {
    release::forget_digests_of_secrets(state.inventory);
  }
  set_apart_unconfirmed(state, kube::namespace_of(cr));
  return state;
}

const HistoryItem* line_in_force(const CrState& state) {
  const auto line = std::find_if(
      state.history.begin(), state.history.end(),
      [&state](const HistoryItem& item) { return item.revision == state.progress.revision(); });
  return line == state.history.end() ? nullptr : &*line;
}

std::optional<int> previous_revision(const CrState& state) {
  for (const HistoryItem& item : state.history) {
    if (item.revision < state.progress.revision() && item.status != "failed") {
      return item.revision;
    }
  }
  return std::nullopt;
}

bool in_force_has_failed(const CrState& state) {
  const HistoryItem* line = line_in_force(state);
  return line != nullptr && line->status == to_string(release::RevisionStatus::kFailed);
}

void note_status(StoredStatus& stored, const Value& cr) {
  if (kube::is_older_version(stored.version, kube::resource_version_of(cr))) {
    const Value* status = cr.find("status");
    stored.status = status == nullptr ? value::Packed() : value::Packed(*status);
  }
}

bool has_own_members(const Value& status) {
  const auto is_there = [&status](std::string_view key) { return status.find(key) != nullptr; };
  return std::ranges::any_of(kMembers, is_there) || is_there("deployedRelease");
}

bool has_moved_on(const Value& known, const Value& live) {
  const auto is_there = [&live](std::string_view key) { return live.find(key) != nullptr; };
  const auto differs = [&known, &live](std::string_view key) {
    const Value* ours = known.find(key);
    const Value* theirs = live.find(key);
    return ours == nullptr || theirs == nullptr ? ours != theirs
                                                : !value::json_equal(*ours, *theirs);
  };
  return std::ranges::any_of(kMembers, is_there) && std::ranges::any_of(kMembers, differs);
}

std::shared_ptr<CrState> StateMap::get(const kube::ObjectRef& ref, const value::Value& cr,
                                       const base::Signer* signer) {
  base::MutexLock lock(mutex_);
  std::shared_ptr<CrState>& state = states_[ref];
  if (state != nullptr && state->uid == kube::uid_of(cr) && !is_void(*state, cr)) {
    note_status(state->stored, cr);
    return state;
  }
  const auto cleared = void_.extract(ref);
  const std::shared_ptr<CrState> before = cleared.empty() ? state : cleared.mapped();
  state = std::make_shared<CrState>(state_from_status(cr, signer));
  if (before != nullptr && before->uid == state->uid) {
    state->externals.insert(before->externals.begin(), before->externals.end());
  }
  return state;
}

void StateMap::clear() {
  base::MutexLock lock(mutex_);
  void_.merge(states_);
  states_.clear();
}

void StateMap::forget(const kube::ObjectRef& ref) {
  base::MutexLock lock(mutex_);
  states_.erase(ref);
  void_.erase(ref);
}

}  // namespace chartwright::op
