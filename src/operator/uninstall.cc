// SPDX-License-Identifier: Apache-2.0
#include "operator/uninstall.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "fields/projection.h"
#include "release/small_writes.h"
#include "resource/failure_policy.h"
#include "revision/keyed_digest.h"
#include "subject/news.h"
#include "subject/verdicts.h"

namespace chartwright::op {
namespace {

using release::HookEvent;

// Where children have no events.
constexpr base::Duration kPoll = std::chrono::seconds(2);

bool is_refused_by_end_of_namespace(const base::Error& error) {
  return std::any_of(error.causes().begin(), error.causes().end(),
                     [](const auto& cause) { return cause.reason == "NamespaceTerminating"; });
}

// Objects that others need go last.
std::vector<kube::ObjectRef> in_order_of_deletion(const release::Inventory& inventory) {
  std::vector<kube::ObjectRef> refs;
  for (const auto& [ref, entry] : inventory) {
    if (entry.role == release::Role::kChild && !entry.gone) {
      refs.push_back(ref);
    }
  }
  std::ranges::stable_sort(refs, [](const kube::ObjectRef& a, const kube::ObjectRef& b) {
    return release::stage_of(a.group_kind()) > release::stage_of(b.group_kind());
  });
  return refs;
}

// Reports whether garbage collection does not follow from the custom resource to a child that is to
// go.
bool needs_uninstall(const release::Owner& owner, const release::Desired& desired) {
  return kube::owner_references_of(desired.body).empty() &&
         !release::has_keep_policy(desired.body) && !owner.uid.empty();
}

}  // namespace

bool Uninstall::has_hooks(const std::vector<release::Hook>& hooks) {
  return std::ranges::any_of(hooks, [](const release::Hook& hook) {
    return hook.has_event(HookEvent::kPreDelete) || hook.has_event(HookEvent::kPostDelete);
  });
}

base::Status Uninstall::ensure_finalizer(const std::vector<release::Desired>& desired,
                                         const std::vector<release::Hook>& hooks) {
  const release::Owner& owner = parts_.subject.owner;
  const bool needed =
      is_requested(parts_.subject.cr, kUninstallWait) || has_hooks(hooks) ||
      std::any_of(desired.begin(), desired.end(),
                  [&owner](const release::Desired& one) { return needs_uninstall(owner, one); });
  if (!needed) {
    return {};
  }
  return hold();
}

// A restore, a replace or a person may have removed it, and it may be asked for later.
base::Status Uninstall::keep_finalizer() {
  if (holds()) {
    memory().had_finalizer = true;
    return {};
  }
  const bool needed = memory().had_finalizer || is_requested(parts_.subject.cr, kUninstallWait) ||
                      std::ranges::any_of(parts_.inventory, [this](const auto& item) {
                        return needs_deletion(item.first, item.second);
                      });
  if (!needed) {
    return {};
  }
  return hold();
}

// Reports whether the deletion has to delete a child, to which garbage collection does not get, or
// to give up a patch.
bool Uninstall::needs_deletion(const kube::ObjectRef& ref,
                               const release::InventoryEntry& entry) const {
  const release::Owner& owner = parts_.subject.owner;
  const bool is_partial = entry.role == release::Role::kPartial;
  const bool is_reached = owner.ns.empty() || ref.ns == owner.ns;
  if (!is_partial && (entry.gone || (is_reached && !release::holds_data(ref.group_kind())))) {
    return false;
  }
  const auto live = live_of(parts_.subject, ref);
  return is_partial ? release::was_applied(&entry) || (live && live->has_fields_of(owner))
                    : !live || !live->keep_policy();
}

bool Uninstall::holds() const {
  const std::vector<std::string> finalizers = kube::finalizers_of(parts_.subject.cr);
  return held_ || std::any_of(finalizers.begin(), finalizers.end(), is_uninstall_finalizer);
}

base::Status Uninstall::hold() {
  if (holds()) {
    return {};
  }
  CW_TRY_VOID(parts_.live.add_finalizer(kUninstallFinalizer));
  held_ = true;
  return {};
}

// One patch that cannot be given up does not hold up the others.
base::Status Uninstall::give_up_patches() {
  base::Status result;
  release::Inventory& inventory = parts_.inventory;
  for (auto it = inventory.begin(); it != inventory.end();) {
    base::Status given_up;
    if (it->second.role == release::Role::kPartial) {
      given_up = give_up_patch(it->first);
      result = result.ok() ? given_up : result;
    }
    const bool is_over = it->second.role == release::Role::kPartial && given_up.ok();
    it = is_over ? inventory.erase(it) : std::next(it);
  }
  parts_.subject.services.caches.patch_conflicts().set(parts_.subject.owner.ref(), {});
  return result;
}

// Whatever the record says, only what we have applied, by the object itself.
base::Status Uninstall::give_up_patch(const kube::ObjectRef& ref) {
  const Subject& subject = parts_.subject;
  const kube::ObjectRef address = parts_.children.address(ref);
  auto live = subject.services.client.get(address, subject.call);
  if (!live.ok() && live.error().code() == base::ErrorCode::kNotFound) {
    return {};
  }
  CW_TRY(const value::Value target, std::move(live));
  const std::string manager = release::field_manager_of(subject.owner);
  const bool is_applied =
      std::ranges::any_of(fields::our_fields(target, std::nullopt).parts,
                          [&](const auto& part) { return part.manager == manager; });
  if (!is_applied || release::claim_on(target, subject.owner) == release::Claim::kOurs) {
    return {};
  }
  CW_TRY_VOID(release::give_up_fields(subject.services.client, address,
                                      std::string(kube::uid_of(target)), subject.owner,
                                      subject.call));
  subject.context.log.info("Gave up patch", {{"object", ref.to_string()}});
  return {};
}

// A deletion that asks to leave the dependents (`--cascade=orphan`) has a finalizer of garbage
// collection. That removes the owner references, those of our records too, and then its finalizer.
base::Result<bool> Uninstall::leaves_dependents(const std::vector<kube::ObjectRef>& refs) const {
  const Subject& subject = parts_.subject;
  if (!kube::is_deleting(subject.cr)) {
    return false;
  }
  if (std::ranges::count(kube::finalizers_of(subject.cr), "orphan") > 0) {
    return true;
  }
  const bool has_data = std::ranges::any_of(
      refs, [](const kube::ObjectRef& ref) { return release::holds_data(ref.group_kind()); });
  if (!has_data) {
    return false;  // The others show by themselves whether they are left.
  }
  CW_TRY(const auto records,
         release::list_records(subject.services.client, subject.call, subject.owner));
  return !records.empty() && std::ranges::all_of(records, [](const auto& record) {
    return record.holder == release::Holder::kNobody;
  });
}

// Children that garbage collection leaves, or would leave if they had owner references, stay.
base::Result<std::vector<kube::ObjectRef>> Uninstall::children_to_delete() const {
  std::vector<kube::ObjectRef> refs = in_order_of_deletion(parts_.subject.state.inventory);
  CW_TRY(const bool leaves, leaves_dependents(refs));
  const std::string& ns = parts_.subject.owner.ns;
  std::erase_if(refs,
                [&](const kube::ObjectRef& ref) { return leaves && (ns.empty() || ref.ns == ns); });
  return refs;
}

// True once nothing of ours is left. One child that cannot be deleted does not hold up the others.
base::Result<bool> Uninstall::delete_children() {
  CW_TRY_VOID(parts_.definitions.release_shared(Evidence::kChartAndRecord, {}));
  CW_TRY_VOID(parts_.children.look());
  bool all_gone = true;
  base::Status result;
  release::Inventory& inventory = parts_.inventory;
  CW_TRY(const std::vector<kube::ObjectRef> refs, children_to_delete());
  for (const kube::ObjectRef& ref : refs) {
    auto gone = delete_child(ref, inventory.at(ref));
    all_gone = all_gone && gone.ok() && *gone;
    if (!gone.ok() && result.ok()) {
      result = std::move(gone).error();
    }
  }
  CW_TRY_VOID(result);
  return all_gone;
}

// True if it is gone, or none of ours to delete.
base::Result<bool> Uninstall::delete_child(const kube::ObjectRef& ref,
                                           release::InventoryEntry& entry) {
  CW_TRY(const auto live, parts_.children.find(ref, entry));
  if (!live) {
    entry.gone = true;
    return true;
  }
  if (live->keep_policy() || live->claim(parts_.subject.owner) != release::Claim::kOurs) {
    return true;
  }
  if (live->deleting()) {
    return false;
  }
  kube::DeleteOptions options;
  options.uid = live->uid();
  options.propagation = live->propagation();
  CW_TRY(const bool deleted,
         release::remove_exact(parts_.subject.services.client, parts_.children.address(ref),
                               options, parts_.subject.call));
  if (deleted) {
    entry.deleted_uid = live->uid();
  }
  return false;
}

base::Status Uninstall::undo_install(int record) {
  base::Status deleted = delete_installed(record);
  if (parts_.hooks.failed()) {
    parts_.progress.end_attempt(deleted.error().message());
    parts_.hooks.tidy_failed();
  }
  return deleted;
}

base::Status Uninstall::delete_installed(int record) {
  CW_TRY(const std::vector<release::Hook> hooks, prepare_hooks(record));
  CW_TRY_VOID(run_hooks(hooks, HookEvent::kPreDelete));
  CW_TRY(const bool gone, delete_children());
  if (!gone) {
    return parts_.wait.wait_for_event("what the failed install had created is being deleted",
                                      kLookAgain);
  }
  CW_TRY_VOID(run_hooks(hooks, HookEvent::kPostDelete));
  std::erase_if(parts_.inventory, [this](const auto& item) {
    return item.second.role == release::Role::kChild && !live_of(parts_.subject, item.first);
  });
  parts_.progress.drop_attempt();
  memory().hooks.reset();
  return {};
}

runtime::Outcome Uninstall::run() {
  if (!holds()) {
    return runtime::Done{};  // Garbage collection does the rest.
  }
  auto gone = step();
  if (!gone.ok() && parts_.wait.waiting()) {
    return come_back();
  }
  if (!gone.ok()) {
    return report(gone.error());
  }
  if (!*gone) {
    return wait_for_children();
  }
  std::vector<std::string> finalizers = parts_.live.finalizers();
  std::erase_if(finalizers, is_uninstall_finalizer);
  auto written = parts_.live.write_finalizers(finalizers);
  if (!written.ok() && written.error().code() == base::ErrorCode::kNotFound) {
    return runtime::Done{};  // An earlier write was the last one, and the cache does not show it.
  }
  if (!written.ok()) {
    return runtime::Failed{std::move(written).error(), runtime::Retry::kBackoff};
  }
  parts_.subject.context.log.info("Uninstalled release", {{"release", parts_.subject.owner.name}});
  tell(parts_.subject, NoticeType::kNormal, "Uninstalled",
       "Release " + parts_.subject.owner.name + " is uninstalled");
  if (!finalizers.empty()) {
    // Others keep the custom resource, and may read its status.
    static_cast<void>(parts_.live.write_status({.activity = Activity::kWorking,
                                                .waiting = "uninstalled; another finalizer remains",
                                                .uninstallation = Uninstallation::kDone}));
  }
  return runtime::Done{};
}

// The deletion of each child is an event that leads here again, if the watch asks for those.
runtime::Outcome Uninstall::wait_for_children() {
  auto written = parts_.live.write_status({.activity = Activity::kWorking,
                                           .waiting = "waiting until all children are deleted",
                                           .uninstallation = Uninstallation::kWaiting});
  if (!written.ok() && !parts_.live.gone()) {
    return runtime::Failed{std::move(written).error(), runtime::Retry::kBackoff};
  }
  const bool has_events = parts_.subject.watch.watch_dependents && !parts_.children.needs_poll();
  return runtime::RequeueAfter{has_events ? kLookAgain : kPoll};
}

// An install that has failed, or that goes on, left objects and has hooks, too.
int Uninstall::record_of_deletion() const {
  const CrState& state = parts_.subject.state;
  if (state.progress.revision() > 0) {
    return state.progress.revision();
  }
  if (state.progress.attempt()) {
    return state.progress.attempt()->revision;
  }
  return state.progress.is_undoing() ? state.progress.failed_attempt()->revision : 0;
}

base::Result<bool> Uninstall::step() {
  CW_TRY(const std::vector<release::Hook> hooks, prepare_hooks(record_of_deletion()));
  CW_TRY_VOID(run_hooks(hooks, HookEvent::kPreDelete));
  base::Status given_up = give_up_patches();  // An error does not hold up the children.
  CW_TRY(const bool gone, delete_children());
  CW_TRY_VOID(std::move(given_up));
  if (!gone && is_requested(parts_.subject.cr, kUninstallWait)) {
    return false;
  }
  CW_TRY_VOID(run_hooks(hooks, HookEvent::kPostDelete));
  return true;
}

// A namespace that is being deleted takes no new objects, and must not wait for them for ever.
base::Status Uninstall::run_hooks(const std::vector<release::Hook>& hooks, HookEvent event) {
  base::Status ran = parts_.hooks.run(hooks, event);
  if (ran.ok() || !is_refused_by_end_of_namespace(ran.error())) {
    return ran;
  }
  parts_.subject.context.log.warn(
      "Hooks of the deletion cannot run: the namespace is being deleted",
      {{"event", to_string(event)}});
  return {};
}

// It stays the same if the record, and its key with it, is lost between two processes.
base::Result<std::string> Uninstall::digest_of_deletion(const std::string& text) const {
  const base::Signer* signer = parts_.subject.signer;
  return signer != nullptr ? signer->sign("deletion", text)
                           : release::keyed_digest(parts_.subject.state.key, text);
}

base::Result<std::vector<release::Hook>> Uninstall::prepare_hooks(int record) {
  const CrState& state = parts_.subject.state;
  if (!runs_hooks(parts_.subject) || record == 0) {
    return std::vector<release::Hook>();
  }
  std::optional<std::vector<release::Hook>>& known = memory().hooks;
  if (!known) {
    CW_TRY(known, parts_.deletion_hooks.find(record));
  }
  const std::vector<release::Hook>& hooks = *known;
  if (!has_hooks(hooks)) {
    return std::vector<release::Hook>();
  }
  CW_TRY(const std::string text,
         release::text_of_release("uninstall" + retry_requests(parts_.subject.cr), hooks));
  CW_TRY(std::string digest, digest_of_deletion(text));
  if (!state.progress.attempt() || state.progress.attempt()->digest != digest) {
    const bool is_of_install =
        state.progress.attempt() && state.progress.attempt()->revision == record;
    Attempt deletion;
    deletion.revision = record;
    deletion.digest = std::move(digest);
    deletion.content = is_of_install ? state.progress.attempt()->content : "";
    parts_.progress.begin(std::move(deletion));
  }
  if (!state.progress.attempt()->failure.empty()) {
    parts_.hooks.tidy_ended();
    return hook_failure(state.progress.attempt()->failure);
  }
  return hooks;
}

runtime::Outcome Uninstall::come_back() {
  auto written =
      parts_.live.write_status({.activity = Activity::kWorking, .waiting = *parts_.wait.waiting()});
  if (!written.ok() && !parts_.live.gone()) {
    return runtime::Failed{std::move(written).error(), runtime::Retry::kBackoff};
  }
  return runtime::RequeueAfter{parts_.wait.pace()};
}

runtime::Outcome Uninstall::report(const base::Error& cause) {
  const base::Error error = parts_.subject.overrides.texts().masked(cause);
  if (parts_.hooks.failed()) {
    parts_.progress.end_attempt(error.message());
    parts_.hooks.tidy_failed();
  }
  const Failure failure{Phase::kUninstall, error, ""};
  const Classification class_of = classify(failure);
  auto written = parts_.live.write_status({.activity = class_of.activity, .failure = failure});
  static_cast<void>(written.ok());  // The error of the deletion is the one to retry and to log.
  // A deletion has no other inputs to wait for, but a failed hook does not run again by itself.
  const bool ended = parts_.subject.progress.has_ended();
  return runtime::Failed{error, ended ? runtime::Retry::kNever : runtime::Retry::kBackoff,
                         class_of.at_most};
}

}  // namespace chartwright::op
