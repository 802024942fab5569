// SPDX-License-Identifier: Apache-2.0
#include "operator/reconciler.h"

#include <chrono>
#include <set>
#include <utility>

#include "base/strings.h"
#include "observe/triggers.h"
#include "operator/reconcile.h"

namespace chartwright::op {
namespace {

// A kind waits this long for its caches, and then starts without them.
constexpr base::Duration kStartupWait = std::chrono::seconds(5);
// The next look at a custom resource of which the cache is known to be behind.
constexpr base::Duration kCatchUp = std::chrono::seconds(1);

runtime::ControllerOptions controller_options(const bundle::Watch& watch, int workers) {
  runtime::ControllerOptions options;
  options.name = base::to_lower_ascii(watch.gvk.kind) + "-controller";
  options.workers = workers;
  return options;
}

}  // namespace

// A child that is only announced may be of a kind that is not served yet.
std::vector<kube::ObjectRef> applied_children(const release::Inventory& inventory) {
  std::vector<kube::ObjectRef> children;
  for (const auto& [ref, entry] : inventory) {
    const bool was_applied = !entry.desired.empty() || kube::is_secret(ref.gvk);
    if (entry.role == release::Role::kChild && was_applied) {
      children.push_back(ref);
    }
  }
  return children;
}

CrReconciler::CrReconciler(const bundle::Watch& watch, const Services& services)
    : watch_(watch), services_(services), estranged_(watch, services) {}

// One that is gone is forgotten. One that has lost a label may have to be uninstalled first.
runtime::Outcome CrReconciler::take_leave(const kube::ObjectRef& key,
                                          const runtime::ReconcileContext& context) {
  auto seen = estranged_.look(key, context);
  if (!seen.ok()) {
    return runtime::Failed{std::move(seen).error(), runtime::Retry::kBackoff};
  }
  if (seen->again) {
    return runtime::RequeueAfter{*seen->again};
  }
  if (seen->cr) {
    return run(key, *seen->cr, context);
  }
  estranged_.forget(key);
  states_.forget(key);
  services_.caches.forget(key);
  services_.render_resources.marks.forget(key);
  return runtime::Done{};
}

runtime::Outcome CrReconciler::reconcile(const kube::ObjectRef& key,
                                         const runtime::ReconcileContext& context) {
  const runtime::Stored kept = services_.caches.custom_resource(key);
  if (kept == nullptr) {
    return take_leave(key, context);
  }
  estranged_.forget(key);
  return run(key, *kept, context);
}

runtime::Outcome CrReconciler::run(const kube::ObjectRef& key, const value::Value& kept,
                                   const runtime::ReconcileContext& context) {
  const value::Value cr = observe::unpack_custom_resource(kept);
  if (const size_t now = services_.caches.follow_setbacks(); setbacks_.exchange(now) != now) {
    states_.clear();
  }
  const auto signer = base::Signer::make(services_.master_key, kube::uid_of(cr));
  if (!signer.ok()) {
    return runtime::Failed{signer.error()};
  }
  std::shared_ptr<CrState> state = states_.get(key, cr, &*signer);
  if (!state->stored.overtaken.empty() || !services_.caches.is_current(key)) {
    return runtime::RequeueAfter{kCatchUp};
  }
  state->spec_change = observe::spec_change_of(kept);
  return Reconcile(watch_, services_, context, cr, *state).run();
}

KindController::KindController(const bundle::Watch& watch, const Services& services, int workers,
                               base::Metrics& metrics, const base::Logger& log)
    : watch_(watch),
      services_(services),
      log_(log),
      reconciler_(watch, services),
      controller_(controller_options(watch, workers), reconciler_,
                  {services.clock, metrics,
                   log.named("helm.controller")
                       .with({{"apiVersion", watch.gvk.api_version()}, {"kind", watch.gvk.kind}}),
                   services.activity}) {}

void KindController::watch_inputs() {
  for (const bundle::RelatedConfig& related : watch_.bundle.rules.related) {
    if (const auto query = related.query()) {
      const base::Status begun = services_.caches.watch_related(*query);
      if (!begun.ok()) {  // Each reconcile says so, too.
        log_.error("Related objects are not watched", begun.error(), {{"related", related.name}});
      }
    }
  }
  const kube::Gvk& gvk = watch_.gvk;
  services_.caches.watch_custom_resources(
      gvk, watch_.label_selector, [this, gvk](const runtime::Change& change) {
        if (observe::concerns_reconcile(change)) {
          controller_.queue().add({gvk, change.ref.ns, change.ref.name}, priority());
        }
      });
  if (!watch_.label_selector.empty()) {
    services_.caches.watch_unselected(
        gvk, watch_.label_selector, [this, gvk](const runtime::Change& change) {
          if (kube::is_deleting(change.after ? *change.after : *change.before)) {
            controller_.queue().add({gvk, change.ref.ns, change.ref.name}, priority());
          }
        });
  }
  log_.info("Watching resource",
            {{"apiVersion", gvk.api_version()}, {"kind", gvk.kind}, {"chart", watch_.chart_path}});
}

void KindController::warm_up(runtime::InformerSet& informers, const std::stop_token& stop) {
  std::set<kube::Gvk> reads = {watch_.gvk};
  for (const bundle::RelatedConfig& related : watch_.bundle.rules.related) {
    reads.insert(related.gvk);  // Those that have a watch by now.
  }
  auto complete = informers.wait_synced(reads, stop, kStartupWait);
  if (!complete.ok() && complete.error().code() != base::ErrorCode::kCancelled) {
    log_.error("Some caches are not complete yet", complete.error(),
               {{"apiVersion", watch_.gvk.api_version()}, {"kind", watch_.gvk.kind}});
  }
  if (complete.ok()) {
    forget_marks_of_the_gone();
  }
  watch_known_children(stop);
}

// Thousands may be there at the start, mostly with nothing to do: changes by users come first.
runtime::Priority KindController::priority() const {
  return started_.load() ? runtime::Priority::kNormal : runtime::Priority::kLow;
}

void KindController::start(std::stop_token cut_short) {
  started_.store(true);
  controller_.start(std::move(cut_short));
  log_.info("Starting workers",
            {{"apiVersion", watch_.gvk.api_version()}, {"kind", watch_.gvk.kind}});
}

void KindController::trigger(const kube::ObjectRef& cr, observe::Urgency urgency) {
  if (watch_.gvk.group_kind() == cr.group_kind() && watch_.watch_dependents) {
    controller_.queue().add_after({watch_.gvk, cr.ns, cr.name}, observe::delay_of(urgency));
  }
}

void KindController::capabilities_changed(const bundle::CapabilitySet& before,
                                          const bundle::CapabilitySet& after) {
  const bundle::CapabilityReads& reads = watch_.bundle.capability_reads;
  const bool is_answered = reads.unknown(before) && !reads.unknown(after);
  const bool differs = reads.digest(before) != reads.digest(after);
  if (reads.unknown(after) || (!differs && !is_answered)) {
    return;  // Nothing may be rendered yet, or nothing is new.
  }
  for (const runtime::Stored& cr : custom_resources()) {
    const kube::ObjectRef ref = kube::ref_of(*cr);
    controller_.queue().add({watch_.gvk, ref.ns, ref.name}, runtime::Priority::kLow);
  }
}

std::vector<runtime::Stored> KindController::custom_resources() const {
  return services_.caches.custom_resources(watch_.gvk);
}

// There is no event for a deletion while no process ran.
void KindController::forget_marks_of_the_gone() {
  host::RenderMarks& marks = services_.render_resources.marks;
  for (const kube::ObjectRef& cr : marks.remembered(watch_.gvk)) {
    if (services_.caches.custom_resource(cr) == nullptr) {
      marks.forget(cr);
    }
  }
}

// Watches the kinds of recorded children before the first reconcile asks for them, so that a
// restart costs one list per kind, and no wait per custom resource.
void KindController::watch_known_children(const std::stop_token& stop) {
  base::Status watched;
  for (const runtime::Stored& cr : custom_resources()) {
    const auto children =
        applied_children(state_from_status(observe::unpack_custom_resource(*cr)).inventory);
    auto one = services_.caches.watch_children(kube::ref_of(*cr), children, stop);
    if (watched.ok()) {
      watched = std::move(one);
    }
  }
  if (!watched.ok() && watched.error().code() != base::ErrorCode::kCancelled) {
    log_.error("Some caches of children are not complete yet", watched.error());
  }
}

}  // namespace chartwright::op
