// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "health/holds.h"
#include "model/memory_server.h"
#include "observe/caches.h"
#include "operator/reconciler.h"
#include "release/apply.h"
#include "resource/annotations.h"
#include "subject/causes.h"
#include "subject/news.h"
#include "subject/record_meter.h"
#include "test/base/lines.h"
#include "test/base/manual_clock.h"
#include "test/bundle/chart_folder.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::op::testing {

using base::testing::Lines;
using bundle::testing::Files;
using bundle::testing::Folder;
using bundle::testing::widget_chart;
using bundle::testing::with;

using value::testing::json;

/// Notices in place of Events.
class Notices final : public NoticeSink {
 public:
  explicit Notices(NoticeType type) : type_(type) {}
  void tell(Notice notice) override {
    if (notice.type == type_) {
      all.push_back(std::move(notice));
    } else if (other != nullptr) {
      other->tell(std::move(notice));
    }
  }
  /// "reason: message" of each since the last call.
  std::vector<std::string> take() {
    std::vector<std::string> texts;
    for (const Notice& one : std::exchange(all, {})) {
      texts.push_back(one.reason + ": " + one.message);
    }
    return texts;
  }

  std::vector<Notice> all;
  Notices* other = nullptr;  ///< Gets those of the other type.

 private:
  const NoticeType type_;
};

/// An operator for one kind, Widget, over an API server in memory: real caches, reconciler and
/// renderer, and a manual clock. Each reconcile() runs on the test's thread.
class World {
 public:
  explicit World(const Files& files = widget_chart())
      : looks_up_(has_lookup(files)), folder_(files) {
    watch.gvk = {"example.com", "v1", "Widget"};
    watch.chart_path = folder_.path();
    watch.bundle = CW_MUST(bundle::load_bundle(folder_.path()));
  }
  ~World() { stop(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  model::MemoryServer api;
  base::ManualClock clock;
  bundle::Watch watch;
  Lines lines;
  Notices warnings{NoticeType::kWarning};
  Notices news{NoticeType::kNormal};
  base::Metrics metrics;
  RepairCounter repairs{metrics};
  CauseSearches causes{clock};
  bool searches_causes = false;
  RecordMeter records{metrics};
  bool suppress_override_values = false;
  int history_max = 10;
  base::Duration default_period{};
  std::string master_key = std::string(64, 'a');  ///< Another one: the key was lost.
  base::Duration trusts_unsigned_for{};
  host::RenderMemory memory = host::plan_render_memory(size_t{1} << 30, 1, std::nullopt);
  std::string state_dir;                   ///< For marks; empty: none.
  std::string release_namespace = "shop";  ///< For cluster-scoped custom resources.

  /// Before the start: the kind is cluster-scoped.
  void make_cluster_scoped() {
    watch.gvk.kind = "ClusterWidget";
    ns_.clear();
  }
  /// Turns to the custom resource of that name: all of the following is about it.
  void turn_to(std::string name) { name_ = std::move(name); }
  kube::ObjectRef ref() const { return {watch.gvk, ns_, name_}; }
  kube::ObjectRef config_map(const std::string& name) const {
    return {{"", "v1", "ConfigMap"}, "shop", name};
  }
  kube::ObjectRef secret(int revision) const {
    return {{"", "v1", "Secret"},
            "shop",
            "sh.helm.release.v1." + name_ + ".v" + std::to_string(revision)};
  }

  /// The user writes this spec. The rest of the custom resource stays.
  void spec(std::string_view text) {
    value::Value object = cr();
    object.mutable_dict().set("spec", json(text));
    api.put(object);
  }
  /// The user sets an annotation, or removes it.
  void annotate(std::string_view key, std::optional<std::string> text) {
    value::Value object = cr();
    value::Dict& metadata = object.find("metadata")->mutable_dict();
    value::Value annotations = metadata.find("annotations") == nullptr
                                   ? value::Value::dict()
                                   : *metadata.find("annotations");
    if (text) {
      annotations.mutable_dict().set(key, value::Value::string(*text));
    } else {
      annotations.mutable_dict().erase(key);
    }
    metadata.set("annotations", annotations);
    api.put(object);
  }
  /// The user sets the label `tier`, or removes it.
  void tier(std::optional<std::string> text) {
    const value::Value object = value::deep_copy(cr());
    value::Dict& metadata = object.find("metadata")->mutable_dict();
    metadata.erase("labels");
    if (text) {
      metadata.set("labels", value::Value::dict({{"tier", value::Value::string(*text)}}));
    }
    api.put(object);
  }
  /// The custom resource as the server has it, or a new one.
  value::Value cr() const {
    if (auto live = api.find(ref())) {
      return *live;
    }
    value::Value object = json(R"({"apiVersion":"example.com/v1","metadata":{}})");
    object.find("metadata")->mutable_dict().set("name", value::Value::string(name_));
    object.mutable_dict().set("kind", value::Value::string(watch.gvk.kind));
    if (!ns_.empty()) {
      object.find("metadata")->mutable_dict().set("namespace", value::Value::string(ns_));
    }
    return object;
  }

  /// One reconcile, once the caches have seen everything. Earlier calls are forgotten.
  runtime::Outcome reconcile() {
    if (reconciler_ == nullptr) {
      start();
    }
    api.settle();
    api.forget_calls();
    runtime::Outcome outcome = reconciler_->reconcile(ref(), context());
    const std::vector<std::string> in_turn = std::exchange(calls_in_turn_, {});
    CHECK(in_turn == std::vector<std::string>{});
    CHECK(gate_->kept() == 0);
    return outcome;
  }
  /// The context that a worker gives to a reconcile.
  runtime::ReconcileContext context() const { return {stop_.get_token(), log_, "id", 0}; }
  /// The custom resource in the cache, once the caches have seen everything.
  value::Value cached() {
    if (reconciler_ == nullptr) {
      start();
    }
    api.settle();
    return observe::unpack_custom_resource(*caches_->custom_resource(ref()));
  }
  /// A reconcile that must succeed.
  void converge() {
    const auto outcome = reconcile();
    if (const auto* failed = std::get_if<runtime::Failed>(&outcome)) {
      INFO(failed->error.to_string());
      REQUIRE_FALSE(std::holds_alternative<runtime::Failed>(outcome));
    }
  }
  /// A reconcile that must fail.
  runtime::Failed fail() {
    const auto outcome = reconcile();
    REQUIRE(std::holds_alternative<runtime::Failed>(outcome));
    return std::get<runtime::Failed>(outcome);
  }
  std::vector<std::string> calls() const { return api.whats(); }

  /// The process ends.
  void stop() {
    api.observe_calls(nullptr);
    if (informers_ != nullptr) {
      informers_->stop();
    }
    reconciler_.reset();
    services_.reset();
    caches_.reset();
    informers_.reset();
  }
  /// The process ends and another one starts: memory is lost, the status stays.
  void restart() {
    stop();
    start();
  }
  /// The watches are found dead, and everything is listed anew.
  void relist() {
    informers_->relist(runtime::Outdated::kBehind);
    await_caches();
  }
  /// Waits until everything that is to be listed anew has been.
  void await_caches() {
    CW_MUST(informers_->wait_synced(stop_.get_token(), std::chrono::seconds(10)));
  }
  /// A new version of the chart is deployed with the next process.
  void deploy(const Files& files) {
    stop();
    for (const auto& [name, text] : files) {
      folder_.write(name, text);
    }
    looks_up_ = looks_up_ || has_lookup(files);
    watch.bundle = CW_MUST(bundle::load_bundle(folder_.path()));
  }
  void start() {
    informers_ = std::make_unique<runtime::InformerSet>(api, system_, log_);
    observe::CacheOptions options;
    options.charts = {watch.bundle.chart_label};
    if (watch.bundle.reads_live) {
      options.charts_with_live.insert(watch.bundle.chart_name());
    }
    caches_ = std::make_unique<observe::Caches>(
        *informers_, options, [this](const kube::ObjectRef& cr, observe::Urgency /*urgency*/) {
          base::MutexLock lock(mutex_);
          triggered_.insert(cr.to_string());
        });
    for (const bundle::RelatedConfig& related : watch.bundle.rules.related) {
      if (const auto query = related.query()) {
        CW_MUST(caches_->watch_related(*query));
      }
    }
    caches_->watch_custom_resources(watch.gvk, watch.label_selector,
                                    [](const runtime::Change& /*change*/) {});
    caches_->watch_unselected(watch.gvk, watch.label_selector,
                              [](const runtime::Change& /*change*/) {});
    CW_MUST(informers_->wait_synced(stop_.get_token(), std::chrono::seconds(10)));
    gate_ = std::make_unique<host::RenderGate>(memory, clock);
    marks_ = std::make_unique<host::RenderMarks>(state_dir, log_);
    api.observe_calls([this](const std::string& what) { note_call(what); });
    render_resources_.emplace(host::RenderResources{*gate_, *marks_, memory});
    services_.emplace(Services{api, *caches_, *renderer_, *render_resources_, clock, warnings,
                               default_period, history_max, release_namespace,
                               suppress_override_values, connections_});
    services_->repairs = &repairs;
    services_->causes = searches_causes ? &causes : nullptr;
    services_->records = &records;
    services_->master_key = master_key;
    services_->trusts_unsigned_until = clock.monotonic() + trusts_unsigned_for;
    warnings.other = &news;
    reconciler_ = std::make_unique<CrReconciler>(watch, *services_);
  }
  observe::Caches& caches() { return *caches_; }
  const Services& services() const { return *services_; }
  /// Custom resources that caches asked to reconcile, since the last call.
  std::set<std::string> triggered() {
    api.settle();
    base::MutexLock lock(mutex_);
    return std::exchange(triggered_, {});
  }

  // Readers of the results.

  std::string color(const std::string& name = "w") const {
    const value::Value live = api.peek(config_map(name));
    return live.is_nil() ? "none" : std::string(live.string_at({"data", "color"}));
  }
  bool exists(const std::string& config_map_name) const {
    return api.has(config_map(config_map_name));
  }
  value::Value status() const { return value::deep_copy(peek_status()); }
  int64_t revision() const {
    const value::Value object = peek_status();
    const value::Value* found = object.find("revision");
    return found == nullptr ? 0 : found->as_int();
  }
  /// "True InstallSuccessful: message", or "absent".
  std::string condition(std::string_view type) const {
    const value::Value object = peek_status();
    const value::Value* conditions = object.find("conditions");
    if (conditions != nullptr) {
      for (const value::Value& c : conditions->as_list().items) {
        if (c.string_at({"type"}) == type) {
          return std::string(c.string_at({"status"})) + " " + std::string(c.string_at({"reason"})) +
                 ": " + std::string(c.string_at({"message"}));
        }
      }
    }
    return "absent";
  }
  /// Returns the whole text of the error that the status tells of, "" if it tells of none.
  std::string error() const {
    const value::Value object = peek_status();
    const value::Value* found = health::error_condition(object.find("conditions"));
    return found == nullptr ? "" : std::string(found->string_at({"message"}));
  }
  /// "1 superseded Install complete" of every line of status.history, newest first.
  std::vector<std::string> history() const {
    std::vector<std::string> items;
    const value::Value object = peek_status();
    const value::Value* found = object.find("history");
    if (found != nullptr) {
      for (const value::Value& item : found->as_list().items) {
        items.push_back(std::to_string(item.find("revision")->as_int()) + " " +
                        std::string(item.string_at({"status"})) + " " +
                        std::string(item.string_at({"description"})));
      }
    }
    return items;
  }

 private:
  /// Not to be changed: the server has it.
  value::Value peek_status() const {
    const value::Value object = api.peek(ref());
    const value::Value* found = object.find("status");
    return found == nullptr ? value::Value::dict() : *found;
  }
  static bool has_lookup(const Files& files) {
    return std::ranges::any_of(
        files, [](const auto& file) { return file.second.find("lookup") != std::string::npos; });
  }
  // No reconcile holds its turn while it waits for the server, unless the chart looks objects up.
  void note_call(const std::string& what) {
    const bool may_be_lookup = looks_up_ && (what.starts_with("get ") || what.starts_with("list "));
    if (pthread_equal(pthread_self(), thread_) != 0 && gate_->taken() > 0 && !may_be_lookup) {
      calls_in_turn_.push_back(what);
    }
  }

  const pthread_t thread_ = pthread_self();
  bool looks_up_;  ///< The chart may send requests while it is rendered.
  const Folder folder_;
  std::string ns_ = "shop";
  std::string name_ = "w";
  base::SystemClock system_;  ///< For the informers, whose threads wait in real time.
  base::Logger log_{{}, clock, [this](std::string_view line) { lines.add(line); }};
  std::stop_source stop_;
  base::Mutex mutex_;
  std::set<std::string> triggered_ CW_GUARDED_BY(mutex_);
  std::unique_ptr<bundle::Renderer> renderer_ =
      std::make_unique<bundle::Renderer>(helm::Capabilities::offline(), clock);
  std::unique_ptr<runtime::InformerSet> informers_;
  std::unique_ptr<observe::Caches> caches_;
  std::unique_ptr<host::RenderGate> gate_;
  std::unique_ptr<host::RenderMarks> marks_;
  std::optional<host::RenderResources> render_resources_;
  std::vector<std::string> calls_in_turn_;  ///< Of the reconcile that runs.
  external::Connections connections_{clock};
  std::optional<Services> services_;
  std::unique_ptr<CrReconciler> reconciler_;
};

}  // namespace chartwright::op::testing
