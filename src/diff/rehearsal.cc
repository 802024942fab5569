// SPDX-License-Identifier: Apache-2.0
#include "diff/rehearsal.h"

#include <algorithm>
#include <utility>

#include "base/machine_memory.h"
#include "observe/caches.h"
#include "operator/reconcile.h"
#include "operator/reconciler.h"

namespace chartwright::diff {
namespace {

// Far more than a release with hooks needs: one for each hook, and some for CRDs.
constexpr int kPassesMax = 1000;

class NoNotices final : public op::NoticeSink {
 public:
  void tell(op::Notice /*notice*/) override {}
};

/// Everything that a reconcile needs, around the client of the rehearsal.
class Stage {
 public:
  Stage(const Scene& scene, const std::stop_token& stop)
      : scene_(scene),
        stop_(stop),
        client_(scene.client, scene.cr),
        informers_(client_, scene.clock, log_),
        caches_(informers_, observe::cache_options(scene.namespaces, {scene.watch}),
                [](const kube::ObjectRef& /*cr*/, observe::Urgency /*urgency*/) {}) {}
  ~Stage() { informers_.stop(); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  base::Result<Rehearsal> run();

 private:
  base::Status watch_inputs();
  runtime::Outcome reconcile(const value::Value& cr);
  void note(const release::Plan& plan);
  std::string awaited() const;

  const Scene& scene_;
  const std::stop_token stop_;
  const base::Logger log_{{}, scene_.clock, [](std::string_view /*line*/) {}};
  RehearsalClient client_;
  runtime::InformerSet informers_;
  observe::Caches caches_;
  NoNotices notices_;
  const host::RenderMemory memory_ =
      host::plan_render_memory(base::usable_memory(), 1, std::nullopt);
  host::RenderGate gate_{memory_, scene_.clock};
  host::RenderMarks marks_{"", log_};
  const host::RenderResources resources_{gate_, marks_, memory_};
  Rehearsal result_;
  external::Connections connections_{
      scene_.clock, [this](const std::string& call) { result_.withheld.push_back(call); }};
  const op::Services services_{client_,
                               caches_,
                               scene_.renderer,
                               resources_,
                               scene_.clock,
                               notices_,
                               base::Duration::zero(),
                               static_cast<int>(op::kHistoryMax),
                               scene_.release_namespace,
                               true,
                               connections_,
                               [this](const release::Plan& plan) { note(plan); },
                               [this](const op::Decision& decision) {
                                 if (!result_.decision) {
                                   result_.decision = decision;
                                 }
                               }};
};

void Stage::note(const release::Plan& plan) {
  for (const release::Step& step : plan) {
    PlannedStep planned{step.ref, step.action, step.reason, {}};
    if (step.desired != nullptr) {
      planned.desired = value::deep_copy(step.desired->body);
      if (kube::is_secret(step.ref.gvk)) {
        client_.secrets().add(planned.desired);
      }
    }
    const auto known = std::ranges::find(result_.steps, step.ref, &PlannedStep::ref);
    if (known == result_.steps.end()) {
      result_.steps.push_back(std::move(planned));
    }
  }
}

// As an operator does at its start.
base::Status Stage::watch_inputs() {
  for (const bundle::RelatedConfig& related : scene_.watch.bundle.rules.related) {
    if (const auto query = related.query()) {
      CW_TRY_VOID(caches_.watch_related(*query));
    }
  }
  const std::vector<kube::ObjectRef> children =
      op::applied_children(op::state_from_status(scene_.cr).inventory);
  auto watched = caches_.watch_children(kube::ref_of(scene_.cr), children, stop_);
  if (!watched.ok() && watched.error().code() != base::ErrorCode::kNotFound) {
    return watched;  // A kind that is not served any more has no objects.
  }
  if (scene_.watch.bundle.externals.empty()) {
    return {};
  }
  caches_.watch_custom_resources(scene_.watch.gvk, scene_.watch.label_selector,
                                 [](const runtime::Change& /*change*/) {});
  return informers_.wait_synced({scene_.watch.gvk}, stop_, observe::kSyncTimeout);
}

runtime::Outcome Stage::reconcile(const value::Value& cr) {
  const runtime::ReconcileContext context{stop_, log_, "", 0};
  return op::Reconcile(scene_.watch, services_, context, cr, result_.after).run();
}

// A reconcile that has to wait for a CRD or a hook ends, and the next one finds it done.
base::Result<Rehearsal> Stage::run() {
  CW_TRY_VOID(watch_inputs());
  result_.before = op::state_from_status(scene_.cr);
  result_.after = op::state_from_status(scene_.cr);
  result_.after.uid = kube::uid_of(scene_.cr);
  result_.pause = op::requested_pause(scene_.cr, scene_.clock.wall());
  const auto effects = [this] { return std::ranges::count_if(client_.writes(), changes); };
  for (int pass = 0; pass < kPassesMax; ++pass) {
    const auto before = effects();
    const runtime::Outcome outcome = reconcile(client_.custom_resource());
    if (const auto* failed = std::get_if<runtime::Failed>(&outcome)) {
      result_.failure = failed->error;
      break;
    }
    if (effects() == before) {
      break;
    }
  }
  result_.writes = client_.writes();
  result_.cr = client_.custom_resource();
  result_.secrets = client_.secrets();
  result_.waiting = result_.pause ? "" : awaited();
  if (result_.failure) {
    result_.failure = result_.secrets.masked(*result_.failure);
  }
  return std::move(result_);
}

// The reason is in the condition Ready.
std::string Stage::awaited() const {
  const op::CrState& state = result_.after;
  const bool waits = state.waiting_since || state.progress.has_begun();
  const value::Value* conditions = result_.cr.find_path({"status", "conditions"});
  if (!waits || result_.failure || conditions == nullptr || !conditions->is_list()) {
    return "";
  }
  for (const value::Value& condition : conditions->as_list().items) {
    if (condition.string_at({"type"}) == "Ready") {
      return std::string(condition.string_at({"message"}));
    }
  }
  return "";
}

}  // namespace

base::Result<Rehearsal> rehearse(const Scene& scene, const std::stop_token& stop) {
  return Stage(scene, stop).run();
}

}  // namespace chartwright::diff
