// SPDX-License-Identifier: Apache-2.0
#include "release/apply.h"

#include <utility>

#include "base/strings.h"
#include "fields/controllers.h"
#include "fields/exclusions.h"
#include "fields/managed_fields.h"
#include "fields/misfits.h"
#include "fields/wide_integers.h"
#include "kube/api_status.h"
#include "release/secret_digest.h"
#include "release/small_writes.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// No object ever has this resourceVersion. Server-side apply ignores it when the object is absent
// and fails with 409 when one exists: a create that can neither overwrite nor merge into an object
// of others.
constexpr std::string_view kNoSuchVersion = "1";

void set_metadata(Value& body, std::string_view key, std::string_view text) {
  body.mutable_dict().find("metadata")->mutable_dict().set(key, Value::string(text));
}

void record_held(const Held& held, InventoryEntry& entry) {
  entry.held = describe(held.shrinking);
  entry.frozen = base::join(held.frozen, ", ");
}

// The key gets the version in which the object is applied now: in that one it is read as well.
InventoryEntry& entry_of(const kube::ObjectRef& ref, Inventory& inventory) {
  auto node = inventory.extract(ref);
  if (node.empty()) {
    return inventory[ref];
  }
  node.key() = ref;
  return inventory.insert(std::move(node)).position->second;
}

void record(const Step& step, const kube::Applied& applied, const Held& held, const Owner& owner,
            Inventory& inventory) {
  InventoryEntry& entry = entry_of(step.ref, inventory);
  entry.role = step.desired->role;
  entry.desired = step.desired->digest;
  entry.observed = recorded_observed(applied.object, owner);
  entry.contest = {};
  entry.drift = {};
  entry.resource_version = kube::resource_version_of(applied.object);
  entry.written = health::readiness_of(applied.object);
  entry.ending = health::ending_of(applied.object);
  entry.deleted_uid.clear();
  entry.gone = false;
  entry.unverified = false;
  record_held(held, entry);
  entry.outdated = false;
  entry.motion = step.motion;
  entry.slot = step.desired->slot;
  entry.serial = step.desired->serial;
}

// After a restart the whole is tried again: its digest is not the one that was applied.
void record_contest(const Step& step, PatchContest contest, Inventory& inventory) {
  if (contest.fields.empty()) {
    return;
  }
  InventoryEntry& entry = inventory[step.ref];
  entry.contest = std::move(contest);
  entry.contest.desired = std::exchange(entry.desired, "");
}

void note_motion(const Step& step, Inventory& inventory) {
  if (auto it = inventory.find(step.ref); it != inventory.end()) {
    it->second.motion = step.motion;
  }
}

// Records what the rules hold back of an object that needs no call. A partial object is recorded
// only for that.
void note_held(const Step& step, Inventory& inventory) {
  if (step.desired == nullptr) {
    note_motion(step, inventory);
    return;
  }
  if (step.desired->role == Role::kChild) {
    InventoryEntry& entry = inventory[step.ref];
    entry.outdated = step.reason == Reason::kHeldByRule;
    entry.drift = step.drift;
    entry.motion = step.motion;
    return;
  }
  if (!inventory.contains(step.ref) && step.held.empty()) {
    return;
  }
  InventoryEntry& entry = inventory[step.ref];
  entry.role = Role::kPartial;
  record_held(step.held, entry);
}

// The object that was applied is gone. If the process ends before its successor is recorded, the
// next one must not take the successor for the one to replace.
void note_vacated(const Step& step, Reason reason, Inventory& inventory) {
  const bool changes = reason == Reason::kChanged || reason == Reason::kImmutable;
  auto it = inventory.find(step.ref);
  if (changes && it != inventory.end()) {
    it->second.desired.clear();
  }
}

Error refusal(const Step& step, const Owner& owner) {
  std::string text = step.ref.to_string();
  text +=
      step.reason == Reason::kForeignOwner
          ? " is controlled by " + step.owner
          : " exists and belongs to nobody; to have it taken over, annotate the custom resource "
            "with chartwright.io/adopt: \"true\", and the object with " +
                std::string(kAdoptableBy) + ": \"" + name_text(owner) +
                "\" unless `adoption` in watches.yaml leaves it to the custom resource";
  return Error(ErrorCode::kOwnership, std::move(text));
}

// Reports whether a step brings an object back to the form in which it was last applied.
bool restores(const Step& step, const Inventory& inventory) {
  const auto entry = inventory.find(step.ref);
  const bool writes = step.action == Action::kCreate || step.action == Action::kApply;
  return writes && step.desired != nullptr && entry != inventory.end() &&
         was_applied(&entry->second) && entry->second.desired == step.desired->digest;
}

// The error of a call for an object that existed a moment ago. If it is gone, that is temporary:
// the next plan sees that it is missing.
Error present_error(const kube::ObjectRef& ref, Error error) {
  if (error.code() != ErrorCode::kNotFound) {
    return error;
  }
  return {ErrorCode::kConflict, ref.to_string() + " was deleted meanwhile"};
}

}  // namespace

Executor::Executor(kube::Client& client, const kube::Call& call, const Owner& owner,
                   ApplyPolicy policy, const base::Logger& log)
    : client_(client),
      call_(call),
      owner_(owner),
      manager_(field_manager_of(owner)),
      policy_(policy),
      log_(log) {}

ApplyReport Executor::run(const Plan& plan, Inventory& inventory, RepairObserver* observer) {
  observer_ = observer;
  Stage stage = Stage::kDefinitions;
  for (const Step& step : plan) {
    // After an error no later stage begins, and nothing is deleted. Objects that only have to be
    // restored depend on nothing new.
    const bool may_run = report_.ok() || restores(step, inventory) ||
                         (step.desired != nullptr && stage_of(step.ref.group_kind()) == stage);
    if (!may_run) {
      continue;
    }
    if (report_.ok()) {
      stage = stage_of(step.ref.group_kind());
    }
    run_step(step, inventory);
  }
  return std::move(report_);
}

base::Status Executor::rehearse(const Plan& plan, Inventory inventory, Foresight foresight) {
  dry_run_ = kube::DryRun::kServer;
  for (const Step& step : plan) {
    if (step.action == Action::kRefuse) {
      return refusal(step, owner_);
    }
    if (step.action == Action::kCreate || step.action == Action::kApply) {
      Done done{step.action, step.reason};
      base::Status status = apply_step(step, inventory, done);
      const bool counts =
          foresight == Foresight::kAll || status.ok() || !may_pass(step, status.error());
      if (!status.ok() && counts) {
        return status;
      }
    }
  }
  return {};
}

void Executor::run_step(const Step& step, Inventory& inventory) {
  base::Status status;
  Done done{step.action, step.reason};
  switch (step.action) {
    case Action::kNone:
      note_held(step, inventory);
      return;
    case Action::kWait:
      note_motion(step, inventory);
      return;
    case Action::kForget:
      inventory.erase(step.ref);
      return;
    case Action::kRefuse:
      status = refusal(step, owner_);
      break;
    case Action::kCreate:
    case Action::kApply:
    case Action::kMove:
      status = apply_step(step, inventory, done);
      break;
    case Action::kReplace:
    case Action::kPrune:
      status = remove(step, inventory);
      break;
    case Action::kRelinquish:
      ++report_.writes;
      status = give_up_fields(client_, step.ref, step.uid, owner_, call_);
      break;
  }
  if (!status.ok()) {
    report_.errors.push_back({step.ref, std::move(status).error()});
    return;
  }
  if (step.desired == nullptr && step.motion == Motion::kNone) {
    inventory.erase(step.ref);
  } else if (done.action == Action::kReplace || done.action == Action::kPrune) {
    note_motion(step, inventory);
    note_vacated(step, done.reason, inventory);
  }
  log_.info("Wrote object", {{"object", step.ref.to_string()},
                             {"action", release::to_string(done.action)},
                             {"reason", release::to_string(done.reason)}});
}

base::Status Executor::apply_step(const Step& step, Inventory& inventory, Done& done) {
  found_uid_ = step.action == Action::kApply ? step.uid : "";
  restores_ = restores(step, inventory);
  base::Status status = write(step, inventory);
  const ChildRule* rule = step.desired->rule;
  const bool recreates = !found_uid_.empty() && step.desired->role == Role::kChild &&
                         rule != nullptr && rule->recreates();
  if (status.ok() || status.error().code() != ErrorCode::kImmutable || !recreates) {
    return status;
  }
  done = {Action::kReplace, Reason::kImmutable};
  Step removal = step;
  removal.uid = found_uid_;
  if (rule->update == Update::kOrphanRecreate) {
    removal.propagation = kube::Propagation::kOrphan;
  }
  return remove(removal, inventory);
}

// A text that says the same keeps the places that were found for it.
void Executor::note_left_out(InventoryEntry& entry) const {
  entry.left_out = fields::left_out_text(left_out_, entry.left_out);
}

base::Status Executor::write(const Step& step, Inventory& inventory) {
  if (step.moves) {
    CW_TRY(const bool is_done, move_fields(step, inventory));
    if (is_done) {
      return {};
    }
  }
  if (observer_ != nullptr) {
    observer_->look(step, inventory);
  }
  Held held = step.held;
  PatchContest contest;
  auto written = step.action == Action::kCreate ? create(step, inventory, held)
                                                : overwrite(step, inventory, held, contest);
  CW_TRY(const kube::Applied applied, std::move(written));
  record(step, applied, held, owner_, inventory);
  note_left_out(inventory[step.ref]);
  record_contest(step, std::move(contest), inventory);
  if (observer_ != nullptr) {
    observer_->note(step, applied);
  }
  return {};
}

base::Result<Repair> Executor::compare(Step step) {
  dry_run_ = kube::DryRun::kServer;
  step.reason = Reason::kDrifted;
  CW_TRY(Value before, get_same(step));
  Held held;
  PatchContest contest;
  CW_TRY(kube::Applied applied, overwrite(step, {}, held, contest));
  return Repair{step.ref, step.reason, std::move(before), std::move(applied.object)};
}

base::Result<kube::Applied> Executor::create(const Step& step, const Inventory& inventory,
                                             Held& held) {
  const auto entry = inventory.find(step.ref);
  const bool known =
      entry != inventory.end() && !entry->second.desired.empty() && !entry->second.unverified;
  CW_TRY(auto created, create_only(*step.desired, known ? Record::kKnown : Record::kNew, held));
  if (created.created) {
    report_.created.push_back(step.desired);
  }
  return created;
}

base::Result<kube::Applied> Executor::overwrite(const Step& step, const Inventory& inventory,
                                                Held& held, PatchContest& contest) {
  const auto known = inventory.find(step.ref);
  const bool was_observed =
      known == inventory.end() || !was_applied(&known->second) || !known->second.observed.empty();
  auto written = step.desired->role == Role::kPartial
                     ? write_part(step, contest)
                     : write_over(step, held, was_observed ? Left::kNothing : Left::kFields);
  CW_TRY(kube::Applied applied, std::move(written));
  CW_TRY_VOID(drop_stray_reference(step, applied.object));
  return applied;
}

// This write changes no value, so that a process that ends after it does no harm. Returns whether
// the object is then as it was last applied.
base::Result<bool> Executor::move_fields(const Step& step, Inventory& inventory) {
  CW_TRY(Value live, get_same(step));
  Value managers = step.desired->role == Role::kChild
                       ? fields::managed_fields_after_takeover(live, manager_)
                       : fields::managed_fields_with_shared(live, step.body, manager_);
  if (managers.is_nil()) {
    return false;
  }
  live.mutable_dict().find("metadata")->mutable_dict().set("managedFields", managers);
  CW_TRY(const Value reply, set_managers(step, live, std::move(managers)));
  const auto known = inventory.find(step.ref);
  if (step.action != Action::kMove || known == inventory.end() ||
      known->second.observed != recorded_observed(live, owner_)) {
    return false;
  }
  known->second.resource_version = kube::resource_version_of(reply);
  known->second.motion = step.motion;
  return true;
}

// Over fields of others by force, but not over those of other custom resources: of two that set one
// field, the first one keeps it. The other one gives up its own value, so that the first one can
// follow.
base::Result<kube::Applied> Executor::write_part(const Step& step, PatchContest& contest) {
  const kube::Force force = step.others.empty() ? kube::Force::kYes : kube::Force::kNo;
  auto applied = apply_over(step.body, step.uid, force);
  if (applied.ok() || force == kube::Force::kYes ||
      applied.error().code() != ErrorCode::kConflict) {
    return applied;
  }
  CW_TRY(const Value live, get_same(step));
  Value body = value::deep_copy(step.body);
  contest.fields = fields::leave_conflicts(live, manager_, body);
  contest.others = step.others;
  set_metadata(body, "resourceVersion", kube::resource_version_of(live));
  return apply_over(std::move(body), step.uid);
}

// Leaves to others what is theirs in an object that exists.
Held Executor::hold_over(const Desired& desired, const Value& live, Value& body) const {
  if (desired.is_injected) {
    fields::leave_to_injectors(live, manager_, body);
  }
  return hold_fields(rule_over_live(desired), live, manager_, body);
}

base::Result<kube::Applied> Executor::write_over(const Step& step, Held& held, Left left) {
  const Desired& desired = *step.desired;
  Value body = value::deep_copy(desired.body);
  if (const ChildRule rule = rule_over_live(desired); rule.needs_live() || desired.is_injected) {
    CW_TRY(Value live, get_same(step));
    held = hold_over(desired, live, body);
  }
  auto applied =
      apply_with_exclusions(step, body, step.yields ? kube::Force::kNo : kube::Force::kYes);
  if (!applied.ok() && fields::is_of_list_items(applied.error()) &&
      step.reason == Reason::kDrifted) {
    CW_TRY(const bool claimed, claim_items(step, applied.error()));
    if (claimed) {
      applied = apply_over(body, step.uid);
    }
  }
  if (applied.ok() && left == Left::kFields && dry_run_ == kube::DryRun::kOff) {
    return take_left(step, body, *std::move(applied));
  }
  return applied;
}

// Fields of different versions of a kind cannot be united, but the API server converts them at an
// apply: so they become ours one version after another.
base::Result<kube::Applied> Executor::take_left(const Step& step, const Value& body,
                                                kube::Applied applied) {
  constexpr int kVersionsMax = 4;
  for (int i = 0; i < kVersionsMax; ++i) {
    Value managers = fields::managed_fields_after_apply(applied.object, manager_);
    if (managers.is_nil()) {
      break;
    }
    CW_TRY_DISCARD(set_managers(step, applied.object, std::move(managers)));
    CW_TRY(applied, apply_over(body, step.uid));
  }
  return applied;
}

// Returns the reply, which has the metadata alone.
base::Result<Value> Executor::set_member(const Step& step, const Value& live,
                                         std::string_view member, Value wanted) {
  ++report_.writes;
  kube::WriteOptions options = short_reply();
  options.dry_run = dry_run_;
  return client_.patch(step.ref,
                       {kube::PatchType::kMerge, metadata_patch(live, member, std::move(wanted))},
                       options, call_);
}

base::Result<Value> Executor::set_managers(const Step& step, const Value& live, Value managers) {
  return set_member(step, live, "managedFields", std::move(managers));
}

// An apply leaves a reference that somebody else has set as well.
base::Status Executor::drop_stray_reference(const Step& step, Value& live) {
  if (dry_run_ == kube::DryRun::kOff && has_stray_reference(live, owner_)) {
    CW_TRY(const Value reply,
           set_member(step, live, "ownerReferences", other_owners(live, owner_)));
    set_metadata(live, "resourceVersion", kube::resource_version_of(reply));
  }
  return {};
}

// An apply keeps list items that others added next to ours (a renumbered port keeps its name), and
// the two can be invalid together. Items that are ours, the next apply removes. This write changes
// nothing else, so that the object goes to its right state in one step.
base::Result<bool> Executor::claim_items(const Step& step, const Error& refusal) {
  CW_TRY(const Value live, get_same(step));
  std::vector<std::string> fields;
  for (const base::ErrorCause& cause : refusal.causes()) {
    fields.push_back(cause.field);
  }
  Value managers = fields::managed_fields_with_items(live, manager_, fields);
  if (managers.is_nil()) {
    return false;
  }
  CW_TRY_DISCARD(set_managers(step, live, std::move(managers)));
  return true;
}

// An apply keeps members that others, or defaults, have set beside ours, and validation may refuse
// the two together. Those that are ours, the next apply removes. The write that makes them ours
// changes no value, so that the object goes to its right state in one step.
base::Result<kube::Applied> Executor::apply_with_exclusions(const Step& step, const Value& body,
                                                            kube::Force force) {
  auto applied = apply_over(body, step.uid, force);
  if (applied.ok() || applied.error().code() != ErrorCode::kInvalid ||
      applied.error().causes().empty()) {
    return applied;
  }
  Error refusal = std::move(applied).error();
  CW_TRY(const Value live, get_same(step));
  auto found = fields::find_exclusions(client_, {live, body, refusal, manager_}, call_);
  if (!found.ok()) {
    return present_error(step.ref, std::move(found).error());
  }
  if (found->managers.is_nil()) {
    return refusal;
  }
  if (dry_run_ != kube::DryRun::kOff) {
    return kube::Applied{std::move(found->tried), false};
  }
  log_.info("Took over fields that exclude those of the chart",
            {{"object", step.ref.to_string()}, {"fields", base::join(found->fields, ", ")}});
  CW_TRY_DISCARD(set_managers(step, live, std::move(found->managers)));
  return apply_over(std::move(found->body), step.uid);
}

// Reads an object that existed a moment ago.
base::Result<Value> Executor::get_present(const kube::ObjectRef& ref) {
  auto live = client_.get(ref, call_);
  if (!live.ok()) {
    return present_error(ref, std::move(live).error());
  }
  return live;
}

// The object as it is now, not as a cache has it.
base::Result<Value> Executor::get_same(const Step& step) {
  CW_TRY(Value live, get_present(step.ref));
  if (kube::uid_of(live) != step.uid) {
    return Error(ErrorCode::kConflict, step.ref.to_string() + " was replaced meanwhile");
  }
  return live;
}

base::Result<kube::Applied> Executor::create_only(const Desired& desired, Record record,
                                                  Held& held) {
  Value guarded = value::deep_copy(desired.body);
  set_metadata(guarded, "resourceVersion", kNoSuchVersion);
  auto applied = send(guarded, apply_options());
  if (applied.ok() || applied.error().code() != ErrorCode::kConflict) {
    return applied;
  }
  return take_over(desired, record, held);
}

// The name is taken by an object that our caches do not have: one of others, or a child that lost
// its label.
base::Result<kube::Applied> Executor::take_over(const Desired& desired, Record record, Held& held) {
  CW_TRY(Value live, get_present(desired.ref));
  if (kube::is_deleting(live)) {
    return Error(ErrorCode::kConflict, desired.ref.to_string() + " is still being deleted");
  }
  const Claim claim = claim_on(live, owner_);
  const bool free_to_take = policy_.adoption == Adoption::kAdopt || record == Record::kKnown ||
                            (policy_.adoption == Adoption::kConsent && consents(live, owner_));
  Step step;
  step.ref = desired.ref;
  step.uid = kube::uid_of(live);
  if (claim == Claim::kOther || (claim == Claim::kNobody && !free_to_take)) {
    step.reason = claim == Claim::kOther ? Reason::kForeignOwner : Reason::kUnowned;
    step.owner = describe_owner(live);
    return refusal(step, owner_);
  }
  Value body = value::deep_copy(desired.body);
  held = hold_over(desired, live, body);
  if (observer_ != nullptr) {
    observer_->found(live);
  }
  found_uid_ = claim == Claim::kOurs ? kube::uid_of(live) : "";
  return apply_with_exclusions(step, body, kube::Force::kYes);
}

base::Result<kube::Applied> Executor::apply_over(Value body, const std::string& uid,
                                                 kube::Force force) {
  // With the uid in the body, an apply cannot recreate a deleted object.
  set_metadata(body, "uid", uid);
  kube::ApplyOptions options = apply_options();
  options.force = force;
  return send(std::move(body), options);
}

/// Returns what the API server keeps of the numbers of a body.
base::Result<Value> Executor::kept_of(const Value& body, kube::ApplyOptions options) {
  if (restores_) {
    if (auto live = client_.get(kube::ref_of(body), call_); live.ok()) {
      return live;
    }
  }
  options.dry_run = kube::DryRun::kServer;
  CW_TRY(kube::Applied tried, client_.apply(body, options, call_));
  return std::move(tried.object);
}

// A server-side apply cuts a number to the bits of its field, where a create refuses it. A number
// that is in force, cut by Helm's patch, is sent as it was kept: as the key of a list item it would
// not find its item. If the object is refused, the apply that follows says why.
base::Status Executor::check_integers(Value& body, const kube::ApplyOptions& options) {
  const auto kept =
      fields::has_wide_integer(body) ? kept_of(body, options) : base::Result<Value>(Value());
  if (!kept.ok()) {
    if (kube::refuses_object(kept.error())) {
      return {};
    }
    return kept.error();
  }
  const std::vector<fields::CutInteger> cut = fields::cut_integers(body, *kept);
  if (!cut.empty() && !restores_) {
    return Error(ErrorCode::kInvalid,
                 "apply " + kube::ref_of(body).to_string() + ": " + cut.front().text);
  }
  body = cut.empty() ? body : value::deep_copy(body);
  for (const fields::CutInteger& number : cut) {
    CW_TRY_VOID(number.place.set(body, Value::integer(number.kept)));
    left_out_.push_back(number.text);
  }
  return {};
}

// A server-side apply refuses what does not fit the schema; every other write drops it, with a
// warning. Charts are made for those.
base::Result<kube::Applied> Executor::send(Value body, const kube::ApplyOptions& options) {
  constexpr int kRoundsMax = 4;  // A fault may hide others.
  left_out_.clear();
  for (int round = 1;; ++round) {
    CW_TRY_VOID(check_integers(body, options));
    ++report_.writes;
    auto applied = client_.apply(body, options, call_);
    if (applied.ok() || policy_.strict_fields || round == kRoundsMax) {
      return applied;
    }
    body = value::deep_copy(body);
    const auto fields = fields::leave_misfits(applied.error(), body);
    if (!fields) {
      return applied;
    }
    left_out_.insert(left_out_.end(), fields->begin(), fields->end());
  }
}

kube::ApplyOptions Executor::apply_options() const {
  kube::ApplyOptions options;
  options.field_manager = manager_;
  options.force = kube::Force::kYes;
  options.dry_run = dry_run_;
  return options;
}

base::Status Executor::remove(const Step& step, Inventory& inventory) {
  ++report_.writes;
  kube::DeleteOptions options;
  options.uid = step.uid;
  options.propagation = step.propagation;
  options.dry_run = dry_run_;
  CW_TRY(const bool deleted, remove_exact(client_, step.ref, options, call_));
  if (auto it = inventory.find(step.ref); deleted && it != inventory.end()) {
    it->second.deleted_uid = step.uid;
  }
  return {};
}

}  // namespace chartwright::release
