// SPDX-License-Identifier: Apache-2.0
#include "operator/applier.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "fields/controllers.h"
#include "history/chart_definitions.h"
#include "history/template_places.h"
#include "release/names.h"
#include "release/pace.h"
#include "resource/failure_policy.h"
#include "resource/status_size.h"
#include "subject/news.h"
#include "subject/verdicts.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

namespace {

// Reports whether an object is in flight that was not so before.
bool begins_motion(const release::Inventory& before, const release::Inventory& after) {
  return std::any_of(after.begin(), after.end(), [&before](const auto& item) {
    const release::Motion motion = item.second.motion;
    const auto known = before.find(item.first);
    return (motion == release::Motion::kComing || motion == release::Motion::kGoing) &&
           (known == before.end() || known->second.motion != motion);
  });
}

// Reports whether something was left out of an object that was not so before.
bool leaves_out_anew(const release::Inventory& before, const release::Inventory& after) {
  return std::any_of(after.begin(), after.end(), [&before](const auto& item) {
    const std::string& left_out = item.second.left_out;
    const auto known = before.find(item.first);
    return !left_out.empty() && (known == before.end() || known->second.left_out != left_out);
  });
}

std::vector<kube::ObjectRef> served_among(const std::vector<release::Desired>& desired) {
  std::vector<kube::ObjectRef> served;
  for (const release::Desired& one : desired) {
    if (one.serving == release::Serving::kYes) {
      served.push_back(one.ref);
    }
  }
  return served;
}

// Reports whether an error of make_desired concerns one kind: it is not served, or its server does
// not answer.
bool is_of_kind(const Error& error) {
  return error.reason() == kube::kNoMatchReason || error.code() == ErrorCode::kUnavailable;
}

}  // namespace

// Returns nullopt for a CRD that is shared.
base::Result<std::optional<release::Desired>> Applier::make_desired(
    const Value& object, release::Role role, const Siblings& siblings) const {
  if (role == release::Role::kChild && parts_.definitions.is_shared(object)) {
    return std::optional<release::Desired>();
  }
  const bundle::Bundle& bundle = subject_.watch.bundle;
  const release::DesiredContext context{subject_.owner, subject_.owner.release_namespace(),
                                        bundle.chart_label, bundle.rules.children,
                                        &siblings.autoscaled};
  CW_TRY(const Mapped mapped, parts_.definitions.map_kind(kube::gvk_of(object), siblings.coming));
  CW_TRY(auto one, release::make_desired(object, role, mapped.scope, context));
  one.serving = mapped.serving;
  return std::optional(std::move(one));
}

std::vector<release::Desired> Applier::with_live_names(
    std::vector<release::Desired> desired) const {
  const std::vector<release::Desired> none;
  return release::with_live_names(std::move(desired), plan_input(none, subject_.state.inventory));
}

Applier::Siblings Applier::siblings_among(const std::vector<Value>& objects,
                                          std::vector<release::Definition> coming) {
  for (release::Definition& one : definitions_among(objects)) {
    coming.push_back(std::move(one));
  }
  if (!coming.empty()) {
    parts_.wait.expect_new_kinds();
  }
  return {std::move(coming), fields::autoscaled(objects, subject_.owner.release_namespace())};
}

base::Result<std::vector<release::Desired>> Applier::desired_from(
    const std::vector<Value>& objects, release::Role role,
    std::vector<release::Definition> coming) {
  const Siblings siblings = siblings_among(objects, std::move(coming));
  std::vector<release::Desired> desired;
  for (const Value& object : objects) {
    CW_TRY(auto one, make_desired(object, role, siblings));
    if (one) {
      desired.push_back(*std::move(one));
    }
  }
  if (role != release::Role::kChild) {
    return desired;
  }
  CW_TRY_VOID(subject_.services.caches.watch_children(subject_.owner.ref(), served_among(desired),
                                                      subject_.context.stop));
  return with_live_names(std::move(desired));
}

base::Result<std::vector<release::Desired>> Applier::desired_from(const Candidate& candidate) {
  auto desired = desired_from(candidate.objects, release::Role::kChild, candidate.definitions);
  if (desired.ok() || desired.error().reason() != kube::kNoMatchReason) {
    return desired;
  }
  return all_unserved(candidate, desired.error());
}

// Their CRDs can then be installed at once.
Error Applier::all_unserved(const Candidate& candidate, const Error& first) {
  constexpr size_t kNamedMax = 10;
  const Siblings siblings = siblings_among(candidate.objects, candidate.definitions);
  std::set<kube::Gvk> kinds;
  std::vector<std::string> names;
  for (const Value& object : candidate.objects) {
    const kube::Gvk gvk = kube::gvk_of(object);
    const auto mapped = parts_.definitions.map_kind(gvk, siblings.coming);
    if (mapped.ok() || mapped.error().reason() != kube::kNoMatchReason ||
        !kinds.insert(gvk).second) {
      continue;
    }
    if (names.size() == kNamedMax) {
      names.emplace_back("and more");
      break;
    }
    const std::string path = template_of(object, candidate.manifest);
    names.push_back(gvk.to_string() + (path.empty() ? "" : " (" + path + ")"));
  }
  return Error(first.code(), "the server serves no kind " + base::join(names, "; "))
      .with_http(first.http_status(), first.reason());
}

base::Result<std::vector<release::Desired>> Applier::possible_from(
    const std::vector<Value>& objects) {
  const Siblings siblings = siblings_among(objects, {});
  std::vector<release::Desired> desired;
  for (const Value& object : objects) {
    auto one = make_desired(object, release::Role::kChild, siblings);
    if (!one.ok() && is_of_kind(one.error())) {
      parts_.children.note_unserved(kube::gvk_of(object).group_kind(), std::move(one).error());
      continue;
    }
    if (!one.ok()) {
      return std::move(one).error();
    }
    if (*one) {
      desired.push_back(**std::move(one));
    }
  }
  CW_TRY_VOID(parts_.children.watch(served_among(desired)));
  return with_live_names(std::move(desired));
}

// A kind that is not served has no objects. A generated name is not in the manifest.
base::Status Applier::remember(const std::vector<Value>& objects) {
  for (const Value& object : objects) {
    if (is_recorded(object)) {
      continue;  // Whether its server answers or not.
    }
    const auto one = make_desired(object, release::Role::kChild, {});
    if (!one.ok() && one.error().reason() == kube::kNoMatchReason) {
      continue;
    }
    if (!one.ok()) {
      return one.error();
    }
    if (*one && (*one)->slot.empty()) {
      confirm((*one)->ref);
      parts_.lacks_children |= parts_.inventory.try_emplace((*one)->ref).second;
    }
  }
  return {};
}

void Applier::confirm(const kube::ObjectRef& ref) {
  if (auto claimed = parts_.unconfirmed.extract(ref)) {
    parts_.inventory.insert(std::move(claimed));
  }
}

void Applier::confirm(const std::vector<release::Desired>& desired) {
  for (const release::Desired& one : desired) {
    confirm(one.ref);
  }
}

bool Applier::is_recorded(const Value& object) const {
  const std::string_view given = kube::namespace_of(object);
  const std::string ns(given.empty() ? subject_.owner.release_namespace() : given);
  const std::string name(kube::name_of(object));
  const kube::Gvk gvk = kube::gvk_of(object);
  const release::Inventory& inventory = subject_.state.inventory;
  return inventory.contains({gvk, ns, name}) || inventory.contains({gvk, "", name});
}

base::Status Applier::guard_empty(const std::vector<release::Desired>& desired) const {
  const release::Inventory& inventory = subject_.state.inventory;
  const bool has_children = std::any_of(inventory.begin(), inventory.end(), [](const auto& item) {
    return item.second.role == release::Role::kChild;
  });
  const bool allowed =
      subject_.watch.bundle.rules.allow_empty || is_requested(subject_.cr, kAllowEmptyRender);
  if (!desired.empty() || !has_children || allowed) {
    return {};
  }
  return Error(ErrorCode::kInvalidArgument,
               "the chart renders no object, and pruning every child needs the annotation " +
                   std::string(kAllowEmptyRender) + ": \"true\"");
}

// Until everything is applied, the status has the old ones, too.
base::Status Applier::check_room(const std::vector<release::Desired>& desired) const {
  constexpr size_t kPunctuation = 80;  // Of the item: braces, and the names of its members.
  std::set<kube::ObjectRef> refs;
  for (const release::Inventory* inventory :
       {&subject_.state.inventory, &subject_.state.unconfirmed}) {
    for (const auto& [ref, entry] : *inventory) {
      refs.insert(ref);
    }
  }
  for (const release::Desired& one : desired) {
    refs.insert(one.ref);
  }
  size_t bytes = 0;
  for (const kube::ObjectRef& ref : refs) {
    bytes += kPunctuation + ref.gvk.group.size() + ref.gvk.version.size() + ref.gvk.kind.size() +
             ref.ns.size() + ref.name.size();
  }
  return op::check_room(refs.size(), bytes);
}

// The inventory is the union of old and new until everything is applied.
base::Status Applier::announce(const std::vector<release::Desired>& desired) {
  confirm(desired);
  for (const release::Desired& one : desired) {
    const auto [item, is_new] = parts_.inventory.try_emplace(one.ref);
    if (is_new) {
      item->second.slot = one.slot;
      item->second.serial = one.serial;
      parts_.lacks_children = true;
    }
  }
  if (!parts_.lacks_children) {
    return {};
  }
  return parts_.live.write_progress();
}

release::PlanInput Applier::plan_input(const std::vector<release::Desired>& desired,
                                       const release::Inventory& inventory) const {
  return {desired,
          inventory,
          subject_.owner,
          subject_.adoption,
          [this](const kube::ObjectRef& ref) { return judged_live(subject_, ref); },
          [this](const kube::ObjectRef& ref) { return seen_version_of(subject_, ref); },
          subject_.services.clock.wall(),
          requested_drift(subject_.cr)};
}

bool Applier::in_sync(Extent extent) const {
  const release::Inventory& inventory = subject_.state.inventory;
  const std::vector<release::Desired> none;
  const release::PlanInput input = plan_input(none, inventory);
  const base::MonotonicTime now = subject_.services.clock.monotonic();
  return std::all_of(inventory.begin(), inventory.end(), [&](const auto& item) {
    const bool was_applied = release::was_applied(&item.second);
    const bool was_there = was_applied || !item.second.deleted_uid.empty();
    const bool is_digested = was_applied || !kube::is_secret(item.first.gvk);
    const bool counts = (extent != Extent::kApplied || was_there) &&
                        (extent != Extent::kDigested || is_digested) &&
                        !parts_.children.is_unknown(item.first) &&
                        !release::has_to_wait(subject_.state.contests, item.first, now);
    return !counts || release::in_sync(item.first, item.second, input);
  });
}

release::Inventory Applier::recorded(release::Role role) const {
  release::Inventory inventory;
  for (const auto& [ref, entry] : subject_.state.inventory) {
    if (entry.role == role) {
      inventory.emplace(ref, entry);
    }
  }
  return inventory;
}

// Children and partial objects are planned apart: each plan prunes what it does not name.
base::Status Applier::execute(const std::vector<release::Desired>& desired, release::Role role,
                              Others others, release::Occasion occasion) {
  if (role == release::Role::kChild && others == Others::kPrune) {
    CW_TRY_VOID(parts_.definitions.release_shared(Evidence::kChartAndRecord, desired));
  }
  parts_.children.recognise();
  release::Inventory inventory = recorded(role);
  if (others == Others::kPrune) {
    look_for_dropped(desired, inventory);
  }
  const release::PlanInput input = plan_input(desired, inventory);
  release::Plan plan = release::make_plan(input);
  release::hold_drift(input, occasion, plan);
  release::hold_to_pace(input, subject_.watch.bundle.rules.children, plan);
  release::hold_repairs(subject_.state.contests, subject_.services.clock.monotonic(), plan);
  std::erase_if(plan, [this, others](const release::Step& step) {
    return parts_.children.is_unknown(step.ref) ||
           (others == Others::kKeep && step.desired == nullptr);
  });
  if (role == release::Role::kPartial) {
    note_targets(plan);
  }
  if (subject_.services.on_plan) {
    subject_.services.on_plan(plan);
  }
  const std::string to_come = hold_back(plan);
  CW_TRY_VOID(confirm_before_creating(plan));
  base::Status compared = compare_drift(plan);
  tell_drifts(plan);
  CW_TRY_VOID(run(plan, role, inventory));
  CW_TRY_VOID(std::move(compared));
  if (!to_come.empty()) {
    return parts_.wait.wait_for(to_come + " is not served yet");
  }
  return parts_.children.first_error();
}

// A cache that has not seen our last write knows neither whether the object is there, nor what we
// have set in it. Objects of which nothing can be learned stay recorded; Children knows why.
void Applier::look_for_dropped(const std::vector<release::Desired>& desired,
                               const release::Inventory& inventory) {
  std::set<kube::ObjectRef> wanted;
  for (const release::Desired& one : desired) {
    wanted.insert(one.ref);
  }
  for (const auto& [ref, entry] : inventory) {
    if (!wanted.contains(ref) && !parts_.children.is_unknown(ref)) {
      static_cast<void>(parts_.children.find(ref, entry).ok());
    }
  }
}

// Returns the owner of a child that takes no patch, for people.
std::string Applier::owner_of(const release::Step& step) const {
  const auto live = live_of(subject_, step.ref);
  const auto owner =
      live ? subject_.services.caches.owner_of_child(step.ref, live->condensed()) : std::nullopt;
  if (owner == subject_.owner.ref()) {
    return "this custom resource, whose chart has to write it";
  }
  return (owner ? owner->to_string() : step.owner) + ", and takes no patch";
}

// A target that takes no patch is not an error: the patch waits as long as that is a child.
void Applier::note_targets(release::Plan& plan) {
  PatchFindings& patches = parts_.patches;
  patches = {};
  for (const release::Step& step : plan) {
    if (step.reason == release::Reason::kPartialMissing) {
      patches.missing_targets.push_back(step.ref);
    }
    if (step.reason == release::Reason::kChild) {
      patches.refused_targets.push_back(step.ref);
      patches.refused.push_back(step.ref.to_string() + " is a child of " + owner_of(step));
    }
  }
  std::erase_if(plan,
                [](const release::Step& step) { return step.reason == release::Reason::kChild; });
}

// The holders of the fields learn of them, too.
void Applier::note_conflicts(const release::Plan& plan) {
  observe::Caches& caches = subject_.services.caches;
  std::vector<observe::PatchConflict> conflicts;
  for (const release::Step& step : plan) {
    const auto entry = subject_.state.inventory.find(step.ref);
    if (step.desired == nullptr || entry == subject_.state.inventory.end()) {
      continue;
    }
    for (const fields::FieldConflict& conflict : entry->second.contest.fields) {
      const std::string field = conflict.path + " of " + step.ref.to_string();
      const auto holder = caches.custom_resource_of(conflict.manager);
      parts_.patches.refused.push_back(
          field + " has another value, set by " +
          (holder ? holder->to_string() : "the field manager " + conflict.manager));
      if (holder) {
        conflicts.push_back({*holder, field});
      }
    }
  }
  caches.patch_conflicts().set(subject_.owner.ref(), conflicts);
}

bool Applier::writes_any(const std::vector<release::Desired>& partial) const {
  const release::Inventory inventory = recorded(release::Role::kPartial);
  return std::ranges::any_of(
      release::make_plan(plan_input(partial, inventory)), [](const release::Step& step) {
        return step.action == release::Action::kApply || step.action == release::Action::kMove;
      });
}

release::Executor Applier::executor() const {
  return {subject_.services.client,
          subject_.call,
          subject_.owner,
          {subject_.adoption, subject_.watch.strict_fields},
          subject_.context.log};
}

base::Status Applier::rehearse(const std::vector<release::Desired>& desired,
                               release::Foresight foresight) {
  const bool is_certain = foresight == release::Foresight::kCertain;
  release::Inventory inventory = recorded(release::Role::kChild);
  release::Plan plan = release::make_plan(plan_input(desired, inventory));
  std::erase_if(plan, [this, is_certain](const release::Step& step) {
    return is_certain && parts_.children.is_unknown(step.ref);
  });
  const std::string to_come = hold_back(plan);
  if (!is_certain && !to_come.empty()) {
    return Error(ErrorCode::kInvalid, to_come + " is not served");
  }
  return executor().rehearse(plan, std::move(inventory), foresight);
}

void Applier::note_repair(const release::Repair& repair) {
  const std::string managers = tell_repair(subject_, repair);
  const base::MonotonicTime now = subject_.services.clock.monotonic();
  if (release::note_repair(parts_.contests, repair.ref, now, managers)) {
    tell_contest(subject_, repair.ref, managers);
  }
}

// Returns "" where a repair would change no value.
base::Result<std::string> Applier::drift_of(const release::Step& step) const {
  const auto drift = executor().compare(step);
  if (drift.ok()) {
    return describe_drift(subject_, *drift);
  }
  if (is_refusal(drift.error())) {
    return std::string("changed by others, and the API server would refuse the repair");
  }
  return drift.error();
}

// Fields that others have changed, and changed back, are theirs. They become ours again by a write
// that changes no value, or else each later change of the object would have to be compared.
//
// A comparison that fails must not hold up the other objects: its error is returned in the end.
base::Status Applier::compare_drift(release::Plan& plan) const {
  base::Status first;
  for (release::Step& step : plan) {
    if (!step.compares) {
      continue;
    }
    auto change = drift_of(step);
    if (!change.ok()) {
      step.drift.version.clear();  // It is compared again by the next reconcile.
      first = first.ok() ? base::Status(std::move(change).error()) : std::move(first);
      continue;
    }
    step.drift.change = *std::move(change);
    if (step.drift.change.empty()) {
      step.action = release::Action::kApply;
      step.reason = release::Reason::kDrifted;
      step.yields = true;
    }
  }
  return first;
}

void Applier::tell_drifts(const release::Plan& plan) const {
  for (const release::Step& step : plan) {
    const auto entry = subject_.state.inventory.find(step.ref);
    const bool is_known =
        entry != subject_.state.inventory.end() && entry->second.drift.change == step.drift.change;
    if (step.reason == release::Reason::kDriftKept && !is_known) {
      tell_drift(subject_, step.ref, step.drift.change);
    }
  }
}

// Fields that are not ours any more are nothing that a reconcile waits for, but for these children.
void Applier::follow_drift(const release::Inventory& inventory) const {
  std::set<kube::ObjectRef> drifted;
  for (const auto& [ref, entry] : inventory) {
    if (!entry.drift.change.empty()) {
      drifted.insert(ref);
    }
  }
  subject_.services.caches.follow_closely(subject_.owner.ref(), std::move(drifted));
}

base::Status Applier::run(const release::Plan& plan, release::Role role,
                          release::Inventory& inventory) {
  release::RepairObserver observer(subject_.services.client, subject_.call,
                                   [this](const release::Repair& repair) { note_repair(repair); });
  release::ApplyReport report =
      executor().run(plan, inventory, subject_.services.repairs == nullptr ? nullptr : &observer);
  if (subject_.state.seems_restored) {
    tell_made_anew(subject_, report.created);
  }
  for (const release::Step& step : plan) {
    if (step.acts()) {
      acted_ = true;
      parts_.uncached_children.erase(step.ref);  // It is older than our write.
    }
  }
  release::Inventory& all = parts_.inventory;
  set_in_motion_ = set_in_motion_ || begins_motion(all, inventory);
  left_out_anew_ = left_out_anew_ || leaves_out_anew(all, inventory);
  std::erase_if(all, [role](const auto& item) { return item.second.role == role; });
  if (role == release::Role::kChild) {
    // An object that was patched before, and is a child now, is recorded as that.
    std::erase_if(all, [&inventory](const auto& item) { return inventory.contains(item.first); });
  }
  all.merge(inventory);
  if (role == release::Role::kChild) {
    follow_drift(all);
  }
  if (role == release::Role::kPartial) {
    note_conflicts(plan);
  }
  if (!report.ok()) {
    return std::move(report.errors.front().error);
  }
  return {};
}

// Children vanish before the event of their custom resource's deletion arrives: watches have no
// order among each other. So nothing is created until the API server confirms that it is wanted.
base::Status Applier::confirm_before_creating(const release::Plan& plan) {
  const bool creates = std::any_of(plan.begin(), plan.end(), [](const release::Step& step) {
    return step.action == release::Action::kCreate || step.reason == release::Reason::kOrphaned;
  });
  if (!creates) {
    return {};
  }
  return parts_.live.confirm_once();
}

// A kind may have gone since the kinds were last asked for: its objects must not hold up the
// others.
base::Status Applier::restore(const std::vector<Value>& objects, release::Reach reach) {
  base::Status applied = apply_possible(objects, reach);
  if (applied.ok() || applied.error().code() != ErrorCode::kNotFound ||
      applied.error().reason() == kube::kNoMatchReason || parts_.wait.waiting()) {
    return applied;
  }
  CW_TRY(const bool lost, parts_.children.lost_kind());
  return lost ? apply_possible(objects, reach) : applied;
}

// Objects that cannot be brought about do not hold up the others, and are the error in the end.
base::Status Applier::apply_possible(const std::vector<Value>& objects, release::Reach reach) {
  CW_TRY(auto desired, possible_from(objects));
  if (reach == release::Reach::kOwnNamespace) {
    std::erase_if(desired,
                  [this](const release::Desired& one) { return is_elsewhere(subject_, one.ref); });
  }
  CW_TRY_VOID(announce(desired));
  return execute(desired, release::Role::kChild,
                 reach == release::Reach::kEverything ? Others::kPrune : Others::kKeep,
                 release::Occasion::kRestore);
}

}  // namespace chartwright::op
