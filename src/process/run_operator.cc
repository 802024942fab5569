// SPDX-License-Identifier: Apache-2.0
#include "process/run_operator.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/machine_memory.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/release_memory.h"
#include "base/thread.h"
#include "external/call_counter.h"
#include "kube/client.h"
#include "kube/http_transport.h"
#include "kube/request_metrics.h"
#include "observe/caches.h"
#include "operator/reconciler.h"
#include "process/capability_watch.h"
#include "process/chart_trial.h"
#include "process/cr_metrics.h"
#include "process/key_guard.h"
#include "process/master_key.h"
#include "process/serving_certificate.h"
#include "runtime/activity.h"
#include "runtime/exposition.h"
#include "runtime/fence.h"
#include "runtime/http_routes.h"
#include "runtime/lease.h"
#include "runtime/pause.h"
#include "runtime/scrape_guard.h"
#include "subject/causes.h"
#include "subject/news.h"
#include "subject/record_meter.h"

namespace chartwright::process {
namespace {

constexpr base::Duration kServerRetry = std::chrono::seconds(1);
// Longer than the pauses between the reconciles of a burst, and than the opening of the watches.
constexpr base::Duration kQuiet = std::chrono::seconds(1);
// Running reconciles may finish for this long after a stop is requested. In a Deployment of
// operator-sdk's scaffold Kubernetes kills after 10 s, and the lease is to be released before.
constexpr base::Duration kDrainGrace = std::chrono::seconds(7);
// A cache without events for this long makes the process not ready: bookmarks come every minute.
constexpr base::Duration kStaleAfter = std::chrono::minutes(5);

// With this part of the usable memory in use, a single render may be too much.
constexpr size_t kBasePercent = 60;

base::MetricInfo base_memory() {
  return {"chartwright_base_memory_bytes",
          "Memory of everything but renders and their results, as it was measured before a render"};
}

base::MetricInfo certificate_end() {
  return {"chartwright_certificate_expiry_timestamp_seconds",
          "End of the certificate of a server of this process, since unix epoch in seconds; 0: it "
          "has none"};
}

/// Whether workers may run.
enum class Work : uint8_t {
  kWait,  ///< Another process leads.
  kBegin,
  kTakeOver,  ///< Begin once the caches show what another process did before.
  kEnd,
};

/// Waits until the API server answers. A failure is logged when its text changes, and none ends the
/// wait: a server that is starting refuses with 401, 403 and 5xx.
base::Result<kube::ServerVersion> wait_for_server(kube::RestMapper& mapper, base::Clock& clock,
                                                  const base::Logger& log,
                                                  const std::stop_token& stop) {
  std::string last;
  while (true) {
    auto version = mapper.server_version({.stop = stop});
    if (version.ok() || stop.stop_requested()) {
      return version;
    }
    if (version.error().message() != last) {
      last = version.error().message();
      log.error("API server is not reachable, waiting", version.error());
    }
    runtime::pause(clock, kServerRetry, stop);
  }
}

base::Result<std::shared_ptr<const bundle::CapabilitySet>> wait_for_capabilities(
    kube::RestMapper& mapper, base::Clock& clock, const base::Logger& log,
    const std::stop_token& stop) {
  CW_TRY(kube::ServerVersion version, wait_for_server(mapper, clock, log, stop));
  auto read = read_capabilities(mapper, version, {.stop = stop});
  while (!read.ok() && !stop.stop_requested()) {
    log.error("Discovery failed, trying again", read.error());
    runtime::pause(clock, kServerRetry, stop);
    read = read_capabilities(mapper, version, {.stop = stop});
  }
  CW_TRY(const auto capabilities, std::move(read));
  log.info("Connected to API server", {{"version", version.git_version}});
  for (const auto& [silent, why] : capabilities->unknown()) {
    log.warn("It is not known which kinds an API version has", {{"version", silent}, {"why", why}});
  }
  return capabilities;
}

// Empty if the operator does not watch its own namespace: it would not see the children there.
std::string release_namespace(const OperatorOptions& options) {
  const auto& watched = options.namespaces;
  const bool sees = watched.empty() || std::find(watched.begin(), watched.end(),
                                                 options.own_namespace) != watched.end();
  return sees ? options.own_namespace : std::string();
}

/// Everything that runs. Members end in reverse order of their declaration.
class Process {
 public:
  Process(const OperatorOptions& options, const std::vector<bundle::Watch>& watches,
          base::Clock& clock, const base::Logger& log)
      : options_(options), watches_(watches), clock_(clock), log_(log) {}

  base::Status run(const std::stop_token& stop);

 private:
  base::Status serve();
  base::Result<std::unique_ptr<runtime::HttpServer>> serve_metrics();
  void watch_files();
  void set_up_renders();
  void set_up_kinds();
  void watch_capabilities();
  void start_kind(op::KindController& kind);
  void release_memory_at_rest();
  void announce(Work work) CW_EXCLUDES(work_mutex_);
  Work work() const CW_EXCLUDES(work_mutex_);
  /// Returns once it need not wait any more.
  Work await_work() CW_EXCLUDES(work_mutex_);
  base::Status lead(const std::stop_token& stop);
  void drain();
  runtime::HttpReply ready() const;
  runtime::HttpReply exposition();
  std::string exposition_of_crs();
  bool works() const;
  void update_base_memory();

  const OperatorOptions& options_;
  const std::vector<bundle::Watch>& watches_;
  base::Clock& clock_;
  const base::Logger& log_;
  base::Metrics metrics_;
  op::RepairCounter repairs_{metrics_};
  op::CauseSearches causes_{clock_};
  op::RecordMeter records_{metrics_};
  external::CallCounter external_calls_{metrics_};
  CrMetrics cr_metrics_{options_.metrics_per_cr_max};
  runtime::Activity activity_{clock_};
  runtime::ProcessMetrics process_metrics_{metrics_, clock_};
  std::unique_ptr<kube::Transport> transport_;
  runtime::Fence fence_;
  std::unique_ptr<runtime::FencedTransport> fenced_;
  std::unique_ptr<kube::RestMapper> mapper_;
  std::unique_ptr<kube::HttpClient> http_;
  std::unique_ptr<KeyGuard> client_;
  std::string master_key_;
  std::unique_ptr<bundle::Renderer> renderer_;
  std::unique_ptr<host::RenderGate> gate_;
  std::unique_ptr<host::RenderMarks> marks_;
  std::unique_ptr<host::RenderResources> resources_;
  std::unique_ptr<runtime::InformerSet> informers_;
  std::unique_ptr<observe::Caches> caches_;
  std::unique_ptr<op::EventRecorder> events_;
  external::Connections connections_{clock_, nullptr, &external_calls_, &fence_};
  std::unique_ptr<op::Services> services_;
  std::vector<std::unique_ptr<op::KindController>> kinds_;
  std::unique_ptr<CapabilityWatch> capability_watch_;  ///< Null: no chart reads API versions.
  std::atomic<bool> set_up_{false};                    ///< Everything above exists and may be read.
  std::atomic<size_t> cold_{0};                        ///< Kinds that still wait for their caches.
  std::atomic<bool> told_of_base_{false};
  mutable base::Mutex work_mutex_;
  base::CondVar announced_;
  Work work_ CW_GUARDED_BY(work_mutex_) = Work::kWait;
  std::vector<base::Thread> starters_;  ///< The threads that start the kinds.
  std::optional<base::Thread> preflight_;
  std::optional<base::Thread> capability_thread_;
  std::stop_source ending_;     ///< Stops starters, preflight and capabilities.
  std::stop_source cut_short_;  ///< Stops running reconciles.
  std::unique_ptr<runtime::ScrapeGuard>
      guard_;  ///< The guard of the metrics; null: anyone may read them.
  std::vector<std::unique_ptr<runtime::HttpServer>> servers_;
  std::optional<Reload> reload_;
};

base::Status Process::run(const std::stop_token& stop) {
  runtime::register_build_info(metrics_);
  kube::TransportOptions transport_options;
  transport_options.on_finished =
      kube::count_requests(metrics_, kube::host_of(options_.api_server.server));
  CW_TRY(transport_, options_.make_transport
                         ? options_.make_transport(std::move(transport_options))
                         : kube::make_transport(options_.api_server, clock_, transport_options));
  mapper_ = std::make_unique<kube::RestMapper>(*transport_, clock_);
  fenced_ = std::make_unique<runtime::FencedTransport>(*transport_, fence_, clock_);
  http_ = std::make_unique<kube::HttpClient>(*fenced_, *mapper_, clock_);
  client_ = std::make_unique<KeyGuard>(*http_, options_.key_place.secret);
  CW_TRY_VOID(serve());
  watch_files();
  auto capabilities = wait_for_capabilities(*mapper_, clock_, log_, stop);
  if (!capabilities.ok()) {
    if (stop.stop_requested()) {
      return {};
    }
    return std::move(capabilities).error();
  }
  if (options_.preflight) {
    preflight_.emplace("preflight", base::kDefaultStackBytes,
                       [this] { options_.preflight(*client_, ending_.get_token()); });
  }
  kube::HttpClient unfenced(*transport_, *mapper_, clock_);  // Replicas that do not lead, too.
  auto key = obtain_master_key(unfenced, options_.key_place, clock_, log_, stop);
  if (!key.ok() && stop.stop_requested()) {
    return {};
  }
  CW_TRY(master_key_, std::move(key));
  renderer_ = std::make_unique<bundle::Renderer>(*std::move(capabilities), clock_);
  set_up_renders();
  set_up_kinds();
  base::Status result = lead(stop);
  drain();
  return result;
}

base::Status Process::serve() {
  if (options_.health_address != "0") {
    runtime::HttpRoutes routes = {
        {"/healthz", [](const runtime::HttpRequest&) { return runtime::text_reply(200, "ok"); }},
        {"/readyz", [this](const runtime::HttpRequest&) { return ready(); }}};
    CW_TRY(auto server, runtime::serve_routes(options_.health_address, std::move(routes)));
    log_.info("Serving health probes", {{"port", server->port()}});
    servers_.push_back(std::move(server));
  }
  if (options_.metrics_address != "0") {
    CW_TRY(auto server, serve_metrics());
    log_.info("Serving metrics", {{"port", server->port()}});
    servers_.push_back(std::move(server));
  }
  return {};
}

base::Result<std::unique_ptr<runtime::HttpServer>> Process::serve_metrics() {
  if (options_.metrics_require_rbac) {
    guard_ = std::make_unique<runtime::ScrapeGuard>(*client_, clock_, log_, ending_.get_token());
  }
  runtime::HttpRoutes routes = {{"/metrics", [this](const runtime::HttpRequest& request) {
                                   auto refusal =
                                       guard_ != nullptr ? guard_->refusal(request) : std::nullopt;
                                   return refusal ? *std::move(refusal) : exposition();
                                 }}};
  std::optional<runtime::TlsIdentity> identity;
  base::Gauge& end = metrics_.gauge(certificate_end(), {{"server", "metrics"}});
  if (options_.metrics_secure) {
    CW_TRY(identity, serving_identity(options_.metrics_certificates, clock_));
    end.set(static_cast<double>(end_of(*identity)));
  }
  return runtime::serve_routes(options_.metrics_address, std::move(routes), identity);
}

runtime::HttpReply Process::exposition() {
  if (set_up_.load()) {
    for (const auto& kind : kinds_) {
      kind->update_metrics();
    }
  }
  process_metrics_.update();
  update_base_memory();
  std::string text = metrics_.expose();
  if (set_up_.load()) {
    text += exposition_of_crs();
  }
  runtime::HttpReply reply;
  reply.headers.emplace_back("Content-Type", base::kMetricsContentType);
  reply.body = std::move(text);
  return reply;
}

std::string Process::exposition_of_crs() {
  std::vector<CrsOfKind> kinds;
  std::vector<runtime::Stored> all;
  for (size_t i = 0; i < kinds_.size(); ++i) {
    kinds.push_back({watches_[i].gvk, kinds_[i]->custom_resources()});
    all.insert(all.end(), kinds.back().all.begin(), kinds.back().all.end());
  }
  return (works() ? cr_metrics_.samples(kinds) : "") + runtime::created_at_samples(all);
}

// Only one of several replicas, so that sums over all of them count each custom resource once.
bool Process::works() const {
  const Work work = this->work();
  return cold_.load() == 0 && (work == Work::kBegin || work == Work::kTakeOver);
}

// Custom resources and children in the caches cannot be refused memory: only people can help.
void Process::update_base_memory() {
  if (!set_up_.load()) {
    return;
  }
  const size_t base = gate_->base_bytes();
  metrics_.gauge(base_memory(), {}).set(static_cast<double>(base));
  const bool is_much = base > resources_->memory.usable_bytes / 100 * kBasePercent;
  if (is_much && !told_of_base_.exchange(true)) {
    log_.warn(
        "Most of the memory is used by other things than renders: fewer renders run at once; raise "
        "the memory limit of the container",
        {{"baseBytes", base}, {"usableBytes", resources_->memory.usable_bytes}});
  }
}

runtime::HttpReply Process::ready() const {
  if (!set_up_.load() || cold_.load() > 0) {
    return runtime::text_reply(503, "caches are not synced");
  }
  const auto [age, kind] = informers_->stalest();
  if (age > kStaleAfter) {
    return runtime::text_reply(
        503, "no sign of life from the watch of " + kind + " for " + base::format_go_duration(age));
  }
  return runtime::text_reply(200, "ok");
}

int workers_of(const bundle::Watch& watch, const OperatorOptions& options) {
  return watch.max_concurrent_reconciles.value_or(options.max_concurrent_reconciles);
}

// While the caches fill, it is not known yet what there is to try.
void Process::watch_files() {
  if (!options_.reload) {
    return;
  }
  reload_.emplace(
      *options_.reload,
      [this](OperatorInputs inputs, const std::stop_token& stop) {
        if (set_up_.load() && cold_.load() == 0) {
          try_charts(inputs.watches, *services_, log_, stop);
        }
        if (!stop.stop_requested()) {
          options_.on_reload(std::move(inputs));
        }
      },
      clock_, log_);
}

void Process::set_up_renders() {
  int workers = 0;
  for (const bundle::Watch& watch : watches_) {
    workers += workers_of(watch, options_);
  }
  const host::RenderMemory memory =
      host::plan_render_memory(base::usable_memory(), workers, options_.render_memory);
  gate_ = std::make_unique<host::RenderGate>(memory, clock_);
  marks_ = std::make_unique<host::RenderMarks>(options_.state_dir, log_);
  resources_ =
      std::make_unique<host::RenderResources>(host::RenderResources{*gate_, *marks_, memory});
  log_.info("Memory for renders", {{"usableBytes", memory.usable_bytes},
                                   {"renderMemoryBytes", memory.bytes},
                                   {"rendersAtOnce", memory.at_once}});
  if (!host::fits(memory)) {
    log_.warn(
        "A render that takes all it may can end the process: raise the memory limit of the "
        "container, or lower --render-memory",
        {{"usableBytes", memory.usable_bytes}, {"renderMemoryBytes", memory.bytes}});
  }
  metrics_.gauge({"chartwright_render_memory_limit_bytes", "Memory that one render may hold"}, {})
      .set(static_cast<double>(memory.bytes));
  metrics_.gauge({"chartwright_renders_max", "Renders that may run at once"}, {})
      .set(memory.at_once);
  metrics_.gauge(base_memory(), {}).set(0);
}

void Process::set_up_kinds() {
  informers_ = std::make_unique<runtime::InformerSet>(*client_, clock_, log_);
  caches_ = std::make_unique<observe::Caches>(
      *informers_, observe::cache_options(options_.namespaces, watches_),
      [this](const kube::ObjectRef& cr, observe::Urgency urgency) {
        for (const auto& kind : kinds_) {
          kind->trigger(cr, urgency);
        }
      });
  events_ = std::make_unique<op::EventRecorder>(
      *client_, clock_,
      metrics_.gauge({"chartwright_events_waiting", "Events that are not yet written"}), log_);
  services_ = std::make_unique<op::Services>(op::Services{
      *client_, *caches_, *renderer_, *resources_, clock_, *events_, options_.reconcile_period,
      options_.history_max, release_namespace(options_), options_.suppress_override_values,
      connections_, nullptr, nullptr, &repairs_, &activity_, &causes_, master_key_,
      clock_.monotonic() + options_.trusts_unsigned_for, &records_});
  for (const bundle::Watch& watch : watches_) {
    repairs_.begin(watch.gvk.kind);
    records_.begin(watch.gvk.kind);
    kinds_.push_back(std::make_unique<op::KindController>(
        watch, *services_, workers_of(watch, options_), metrics_, log_));
  }
  for (const auto& kind : kinds_) {  // A second loop: their changes may concern any of the queues.
    kind->watch_inputs();
  }
  watch_capabilities();
  cold_.store(kinds_.size());
  set_up_.store(true);
  for (const auto& kind : kinds_) {
    starters_.emplace_back("start", base::kDefaultStackBytes,
                           [this, &starting = *kind] { start_kind(starting); });
  }
}

void Process::watch_capabilities() {
  const bool is_read = std::ranges::any_of(
      watches_, [](const bundle::Watch& watch) { return watch.bundle.capability_reads.any(); });
  // Values may read them, too: such a custom resource waits for what is not known yet.
  if (!is_read && renderer_->capabilities()->unknown().empty()) {
    return;
  }
  capability_watch_ = std::make_unique<CapabilityWatch>(
      CapabilityWatch::Parts{*client_, *mapper_, *informers_, *renderer_, clock_, log_},
      [this](const bundle::CapabilitySet& before, const bundle::CapabilitySet& after) {
        for (const auto& kind : kinds_) {
          kind->capabilities_changed(before, after);
        }
      });
  capability_thread_.emplace("capabilities", base::kDefaultStackBytes,
                             [this] { capability_watch_->run(ending_.get_token()); });
}

// Runs on a thread of the kind, so that a missing CRD or permission does not delay other kinds.
void Process::start_kind(op::KindController& kind) {
  kind.warm_up(*informers_, ending_.get_token());
  const bool is_last = --cold_ == 0;
  if (is_last) {
    base::release_file_pages();
  }
  if (await_work() == Work::kTakeOver) {
    kind.warm_up(*informers_, ending_.get_token());
  }
  if (work() != Work::kEnd) {
    kind.start(cut_short_.get_token());
  }
  if (is_last) {
    release_memory_at_rest();
  }
}

// Three quarters of the resident memory after a burst are pages of code and constants. The first
// event after a rest takes about a millisecond longer.
void Process::release_memory_at_rest() {
  activity_.note();  // The watches were opened just now.
  while (activity_.await_rest(kQuiet, ending_.get_token())) {
    base::release_file_pages();
    update_base_memory();
  }
}

void Process::announce(Work work) {
  base::MutexLock lock(work_mutex_);
  work_ = work;
  announced_.notify_all();
}

Work Process::work() const {
  base::MutexLock lock(work_mutex_);
  return work_;
}

Work Process::await_work() {
  base::MutexLock lock(work_mutex_);
  while (work_ == Work::kWait) {
    announced_.wait(work_mutex_);
  }
  return work_;
}

base::Result<std::string> election_identity() {
  CW_TRY(const std::string chance, base::random_bytes(8));
  return "chartwright_" + base::hex_encode(chance);
}

// Runs the workers while leading; without leader election, from the start.
base::Status Process::lead(const std::stop_token& stop) {
  base::Gauge& master = metrics_.gauge(
      {"leader_election_master_status", "Gauge of if the reporting system is master"},
      {{"name", options_.leader_election_id}});
  if (!options_.leader_elect) {
    announce(Work::kBegin);
    while (!stop.stop_requested()) {
      runtime::pause(clock_, std::chrono::hours(1), stop);
    }
    return {};
  }
  runtime::LeaseOptions lease;
  lease.ns = options_.leader_election_namespace;
  lease.name = options_.leader_election_id;
  CW_TRY(lease.identity, election_identity());
  kube::HttpClient unfenced(*transport_, *mapper_, clock_);
  CW_TRY(auto election, runtime::LeaderElection::make(lease, unfenced, clock_, log_, fence_));
  auto acquired = election.acquire(stop);
  if (!acquired.ok()) {
    if (stop.stop_requested()) {
      return {};
    }
    return std::move(acquired).error();
  }
  master.set(1);
  const bool takes_over = *acquired == runtime::Acquired::kAfterAnother;
  if (takes_over) {
    informers_->relist(runtime::Outdated::kBehind);
  }
  announce(takes_over ? Work::kTakeOver : Work::kBegin);
  base::Status held = election.hold(stop);
  if (!held.ok()) {
    cut_short_.request_stop();  // Another process may lead by now: no reconcile may write on.
  }
  drain();  // Before the lease is released: our last writes must not race a successor's.
  master.set(0);
  if (held.ok()) {
    return election.release();
  }
  return held;
}

// Begins no new work, and waits for running reconciles; after the grace period it stops them.
void Process::drain() {
  reload_.reset();
  if (marks_ != nullptr) {
    marks_->close();  // A render that is killed from now on was only too slow to end.
  }
  std::stop_source drained;
  base::Thread grace("drain", base::kDefaultStackBytes, [this, &drained] {
    runtime::pause(clock_, kDrainGrace, drained.get_token());
    if (!drained.stop_requested()) {
      cut_short_.request_stop();
    }
  });
  ending_.request_stop();
  if (preflight_) {
    preflight_->join();
  }
  if (capability_thread_) {
    capability_thread_->join();
  }
  announce(Work::kEnd);
  for (const auto& kind : kinds_) {
    kind->drop_queue();  // All of them, before one is waited for.
  }
  for (size_t i = 0; i < kinds_.size(); ++i) {
    starters_[i].join();
    kinds_[i]->stop_now();
  }
  events_->stop(cut_short_.get_token());
  drained.request_stop();
  grace.join();
  informers_->stop();
}

}  // namespace

base::Status run_operator(const OperatorOptions& options, const std::vector<bundle::Watch>& watches,
                          base::Clock& clock, const base::Logger& log, std::stop_token stop) {
  auto process = std::make_unique<Process>(options, watches, clock, log);
  return process->run(stop);
}

}  // namespace chartwright::process
