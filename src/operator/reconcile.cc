// SPDX-License-Identifier: Apache-2.0
#include "operator/reconcile.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "operator/annotations.h"
#include "operator/definitions.h"
#include "operator/failure.h"
#include "release/keyed_digest.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

release::Owner owner_from(const bundle::Watch& watch, const Services& services, const Value& cr) {
  return {watch.gvk, std::string(kube::namespace_of(cr)), std::string(kube::name_of(cr)),
          std::string(kube::uid_of(cr)), services.release_namespace};
}

bool annotation_is_true(const Value& cr, std::string_view key) {
  return kube::annotation_of(cr, key) == "true";
}

// What asks for another attempt with the same inputs.
std::string requests_of(const Value& cr) {
  std::string text;
  for (std::string_view request : {kAdopt, kAllowEmptyRender, kReconcileRequestedAt}) {
    text += " ";
    text += kube::annotation_of(cr, request).value_or("");
  }
  return text;
}

}  // namespace

Reconcile::Reconcile(const bundle::Watch& watch, const Services& services,
                     const runtime::ReconcileContext& context, const Value& cr, CrState& state)
    : watch_(watch),
      services_(services),
      context_(context),
      cr_(cr),
      state_(state),
      owner_(owner_from(watch, services, cr)),
      call_{.stop = context.stop},
      adoption_(annotation_is_true(cr, kAdopt) ? release::Adoption::kAdopt
                                               : release::Adoption::kRefuse),
      turn_(services.room, watch.render_memory.value_or(services.room.memory.bytes), context.stop) {
}

runtime::Outcome Reconcile::run() {
  if (kube::is_deleting(cr_)) {
    return remove();
  }
  base::Status result = prepare();
  if (result.ok()) {
    const Goal goal = choose_goal();
    if (goal == Goal::kKeep && is_settled()) {
      return come_back();
    }
    result = wait_out(bring_about(goal));
    if (!result.ok() && goal != Goal::kKeep && !gone_ && !waiting_) {
      state_.failure = failure_of(result.error());
    }
  }
  if (result.ok() && state_.revision > 0 && !watch_.bundle.patches.empty()) {
    result = apply_patches();
  }
  return finish(result);
}

base::Status Reconcile::prepare() {
  inputs_.name = owner_.name;
  inputs_.ns = owner_.release_namespace();
  if (inputs_.ns.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "a cluster-scoped custom resource has its revisions, and the objects whose "
                 "template names no namespace, in the operator's own: that is not known (set "
                 "POD_NAMESPACE), or WATCH_NAMESPACE leaves it out");
  }
  inputs_.revision = state_.revision + 1;
  CW_TRY(inputs_.config, release_config(cr_, watch_));
  inputs_.overrides = watch_.override_values;
  spec_key_ = services_.renderer.inputs_key(watch_.bundle, inputs_);
  if (watch_.bundle.has_crds && watch_.crds == release::DefinitionPolicy::kCreateOrUpdate) {
    spec_key_ = host::with_lookups(spec_key_, "crds: createOrUpdate");  // Takes effect when chosen.
  }
  inputs_key_ = spec_key_;
  CW_TRY_VOID(watch_.dry_run == bundle::DryRunMode::kServer ? add_lookups() : base::Status());
  attempt_ = inputs_key_ + requests_of(cr_);
  CW_TRY_VOID(name_inputs());
  CW_TRY(period_, resync_period(cr_, watch_, services_.default_period));
  return {};
}

// What was looked up is left out: after a restart it is not known, and the same render must have
// the same name then.
host::MarkKey Reconcile::mark_of(host::Material material) const {
  constexpr size_t kDigits = 32;
  std::string inputs = spec_key_ + requests_of(cr_) + " " CW_VERSION " " +
                       std::to_string(watch_.render_memory.value_or(services_.room.memory.bytes));
  if (pin_holds()) {
    inputs += " revision " + std::to_string(state_.pin->revision);
  }
  return {owner_.ref(), owner_.uid, material, base::sha256_hex(inputs).substr(0, kDigits)};
}

base::Result<std::vector<Value>> Reconcile::parse(const std::string& manifest) {
  return in_turn(host::Material::kManifest,
                 [&manifest] { return Renderer::parse_manifest(manifest); });
}

release::RevisionStore Reconcile::records() {
  return {services_.client, call_, owner_, [this](const Value& secret) {
            return in_turn(host::Material::kManifest,
                           [&secret] { return release::decode_revision(secret); });
          }};
}

// A chart that may read the cluster depends on what it found there: the versions of that belong to
// the inputs. What a render before our start looked up is not known, so the next one finds out.
base::Status Reconcile::add_lookups() {
  if (!state_.lookups) {
    inputs_key_ += "?";
    return {};
  }
  CW_TRY(const std::string versions,
         host::current_versions(*state_.lookups, services_.client, call_, services_.clock));
  inputs_key_ = host::with_lookups(inputs_key_, versions);
  return {};
}

std::optional<std::string_view> Reconcile::requested_rollback() const {
  const auto request = kube::annotation_of(cr_, kRollbackTo);
  return request && !request->empty() ? request : std::nullopt;
}

// A rollback stays in force while spec and chart are those it turned down and its request stands.
bool Reconcile::pin_holds() const {
  return state_.pin && state_.pin->rejected_inputs == spec_digest_ && requested_rollback();
}

// A request is answered once: by a rollback, or by saying why there is none.
bool Reconcile::rollback_is_due() {
  const auto request = requested_rollback();
  if (!request) {
    state_.handled_rollback.clear();
    state_.rollback_refusal.clear();
    return false;
  }
  if (*request == state_.handled_rollback || state_.revision == 0) {
    return false;
  }
  auto target = rollback_target(*request);
  if (!target.ok()) {
    state_.handled_rollback = *request;
    state_.rollback_refusal = target.error().message();
    return false;
  }
  return true;
}

Goal Reconcile::choose_goal() {
  if (rollback_is_due()) {
    return Goal::kRollback;
  }
  if (pin_holds()) {
    return Goal::kKeep;
  }
  const bool failed_for_good =
      state_.failure && state_.failure->attempt == attempt_ &&
      classify(state_.failure->error.code()).retry == runtime::Retry::kNever;
  const bool current = state_.inputs == inputs_digest_ && !state_.pin && !state_.failure;
  return current || failed_for_good ? Goal::kKeep : Goal::kRender;
}

base::Status Reconcile::bring_about(Goal goal) {
  CW_TRY_VOID(release_definitions(Evidence::kChart, {}));
  if (goal == Goal::kKeep) {
    return keep();
  }
  phase_ = Phase::kRender;
  CW_TRY(Candidate candidate, goal == Goal::kRollback ? replay(*requested_rollback()) : render());
  CW_TRY_VOID(ensure_key());
  CW_TRY(candidate.digest, release::keyed_digest(state_.key, candidate.manifest));
  phase_ = state_.revision == 0 ? Phase::kInstall : Phase::kUpgrade;
  if (goal == Goal::kRender && !is_in_force(candidate.digest)) {
    warn_of_overrides();
  }
  CW_TRY_VOID(apply(candidate));
  state_.failure.reset();
  return {};
}

// The kinds of the recorded children, whose caches must be complete before "missing" means missing.
// Of a kind that is not served, nothing that is only announced was ever made.
std::vector<kube::Gvk> Reconcile::recorded_kinds() const {
  std::vector<kube::Gvk> kinds;
  for (const auto& [ref, entry] : state_.inventory) {
    if (entry.role == release::Role::kChild && !(entry.desired.empty() && is_unserved(ref.gvk))) {
      kinds.push_back(ref.gvk);
    }
  }
  return kinds;
}

bool Reconcile::is_unserved(const kube::Gvk& gvk) const {
  const auto mapping = services_.client.mapping_for(gvk, call_);
  return !mapping.ok() && mapping.error().reason() == kube::kNoMatchReason;
}

base::Status Reconcile::keep() {
  if (state_.revision == 0) {
    return {};  // The first attempt failed for good; its error stands in the status.
  }
  CW_TRY_VOID(revisit_definitions());
  CW_TRY_VOID(services_.caches.watch_children(recorded_kinds(), context_.stop));
  const std::vector<release::Desired> none;
  const release::PlanInput input = plan_input(none, state_.inventory);
  const bool all_in_sync = std::all_of(
      state_.inventory.begin(), state_.inventory.end(),
      [&input](const auto& item) { return release::in_sync(item.first, item.second, input); });
  return all_in_sync ? base::Status() : repair();
}

// The stored manifest, not a new render: what was applied is what is repaired, also where a chart
// draws random numbers or a rollback is in force.
base::Status Reconcile::repair() {
  phase_ = Phase::kUpgrade;
  auto revision = load(state_.revision);
  if (!revision.ok()) {
    // Revisions are collected with their custom resource, often before we hear of its deletion.
    const bool missing = revision.error().code() == ErrorCode::kNotFound;
    CW_TRY_VOID(missing ? confirm_alive() : base::Status());
    return std::move(revision).error();
  }
  CW_TRY(auto objects, parse(revision->manifest));
  CW_TRY(auto desired, desired_from(objects, release::Role::kChild));
  return execute(desired, release::Role::kChild);
}

base::Status Reconcile::apply(const Candidate& candidate) {
  CW_TRY_VOID(install_definitions(candidate.definitions));
  CW_TRY(auto desired,
         desired_from(candidate.objects, release::Role::kChild, candidate.definitions));
  CW_TRY_VOID(guard_empty(desired));
  CW_TRY_VOID(ensure_finalizer(desired));
  CW_TRY_VOID(announce(desired));
  CW_TRY_VOID(execute(desired, release::Role::kChild));
  return record(candidate);
}

// `coming`: CRDs that are in force, or about to be, beside those among the objects.
base::Result<std::vector<release::Desired>> Reconcile::desired_from(
    const std::vector<Value>& objects, release::Role role,
    std::vector<release::Definition> coming) {
  for (release::Definition& one : definitions_among(objects)) {
    coming.push_back(std::move(one));
  }
  brings_kinds_ = brings_kinds_ || !coming.empty();
  std::vector<release::Desired> desired;
  std::vector<kube::Gvk> kinds;
  const release::DesiredContext context{owner_, owner_.release_namespace(),
                                        watch_.bundle.chart_name(), watch_.bundle.rules.children};
  for (const Value& object : objects) {
    if (role == release::Role::kChild && is_no_child(object)) {
      continue;
    }
    const kube::Gvk gvk = kube::gvk_of(object);
    CW_TRY(const Mapped mapped, map_kind(gvk, coming));
    CW_TRY(auto one, release::make_desired(object, role, mapped.scope, context));
    one.serving = mapped.serving;
    desired.push_back(std::move(one));
    if (mapped.serving == release::Serving::kYes) {
      kinds.push_back(gvk);
    }
  }
  if (role == release::Role::kChild) {
    CW_TRY_VOID(services_.caches.watch_children(kinds, context_.stop));
  }
  return desired;
}

// A template that suddenly renders nothing is more often a mistake than a wish.
base::Status Reconcile::guard_empty(const std::vector<release::Desired>& desired) const {
  const bool has_children =
      std::any_of(state_.inventory.begin(), state_.inventory.end(),
                  [](const auto& item) { return item.second.role == release::Role::kChild; });
  const bool allowed =
      watch_.bundle.rules.allow_empty || annotation_is_true(cr_, kAllowEmptyRender);
  if (!desired.empty() || !has_children || allowed) {
    return {};
  }
  return Error(ErrorCode::kInvalidArgument,
               "the chart renders no object, and pruning every child needs the annotation " +
                   std::string(kAllowEmptyRender) + ": \"true\"");
}

// Writes the union of old and new inventory before the first effect, so that no crash can leave a
// child that nobody remembers.
base::Status Reconcile::announce(const std::vector<release::Desired>& desired) {
  bool grew = false;
  for (const release::Desired& one : desired) {
    grew = state_.inventory.try_emplace(one.ref).second || grew;
  }
  return grew ? write_status(Progress::kWorking, Value(), std::nullopt) : base::Status();
}

release::PlanInput Reconcile::plan_input(const std::vector<release::Desired>& desired,
                                         const release::Inventory& inventory) const {
  const Caches& caches = services_.caches;
  return {desired,
          inventory,
          owner_,
          adoption_,
          [&caches](const kube::ObjectRef& ref) { return caches.live(ref); },
          [&caches](const kube::ObjectRef& ref) { return caches.seen_version(ref); }};
}

base::Status Reconcile::execute(const std::vector<release::Desired>& desired, release::Role role) {
  if (role == release::Role::kChild) {
    CW_TRY_VOID(release_definitions(Evidence::kChartAndRecord, desired));
  }
  // Children and partial objects are planned apart: each plan prunes what it does not name.
  release::Inventory inventory;
  for (const auto& [ref, entry] : state_.inventory) {
    if (entry.role == role) {
      inventory.emplace(ref, entry);
    }
  }
  release::Plan plan = release::make_plan(plan_input(desired, inventory));
  const std::string to_come = hold_back(plan);
  CW_TRY_VOID(ensure_alive(plan));
  release::Executor executor(services_.client, call_, owner_, adoption_, context_.log);
  release::ApplyReport report = executor.run(plan, inventory);
  std::erase_if(state_.inventory, [role](const auto& item) { return item.second.role == role; });
  state_.inventory.merge(inventory);
  if (report.ok()) {
    return to_come.empty() ? base::Status() : wait_for(to_come + " is not served yet");
  }
  release::ObjectError& first = report.errors.front();
  return std::move(first.error);
}

base::Error Reconcile::gone() {
  gone_ = true;
  return Error(ErrorCode::kCancelled, "the custom resource is gone");
}

// Children vanish before we hear that their custom resource was deleted: the watches are not
// ordered among each other. Nothing is created before the API server confirms that somebody wants
// it.
base::Status Reconcile::ensure_alive(const release::Plan& plan) {
  const bool creates = std::any_of(plan.begin(), plan.end(), [](const release::Step& step) {
    return step.action == release::Action::kCreate || step.reason == release::Reason::kOrphaned;
  });
  return creates && !seen_alive_ ? confirm_alive() : base::Status();
}

base::Status Reconcile::confirm_alive() {
  auto live = services_.client.get(owner_.ref(), call_);
  if (!live.ok() && live.error().code() != ErrorCode::kNotFound) {
    return std::move(live).error();
  }
  if (!live.ok() || kube::uid_of(*live) != owner_.uid || kube::is_deleting(*live)) {
    return gone();
  }
  state_.version = kube::resource_version_of(*live);
  seen_alive_ = true;
  return {};
}

base::Status Reconcile::apply_patches() {
  phase_ = state_.revision <= 1 ? Phase::kInstall : Phase::kUpgrade;
  CW_TRY(const Value* data, scope());
  CW_TRY(auto objects, in_turn(host::Material::kOperatorFolder, [this, data] {
           return services_.renderer.render_patches(watch_.bundle, *data);
         }));
  CW_TRY(auto desired, desired_from(objects, release::Role::kPartial));
  return execute(desired, release::Role::kPartial);
}

}  // namespace chartwright::op
