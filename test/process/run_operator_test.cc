// SPDX-License-Identifier: Apache-2.0
#include "process/run_operator.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "base/thread.h"
#include "kube/http_transport.h"
#include "runtime/http_routes.h"
#include "test/bundle/chart_folder.h"
#include "test/fakeapi/fake_server.h"
#include "value/json.h"

namespace chartwright::process {
namespace {

using base::ErrorCode;
using fakeapi::Reply;
using fakeapi::SeenRequest;

/// Log lines, and a way to wait for one.
class Log {
 public:
  void add(std::string_view line) {
    base::MutexLock lock(mutex_);
    text_ += std::string(line) + "\n";
    changed_.notify_all();
  }
  bool mentions(std::string_view text) const {
    base::MutexLock lock(mutex_);
    return text_.find(text) != std::string::npos;
  }
  /// There will be no more lines.
  void end(const base::Status& result) {
    base::MutexLock lock(mutex_);
    text_ += "ended: " + (result.ok() ? std::string("ok") : result.error().to_string()) + "\n";
    ended_ = true;
    changed_.notify_all();
  }
  /// Blocks until `text` has been logged. Aborts after a minute, or when there will be no more
  /// lines, with all of them.
  void await(std::string_view text) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    base::MutexLock lock(mutex_);
    while (text_.find(text) == std::string::npos) {
      INFO("waiting for: " << text << "\n" << text_);
      REQUIRE_FALSE(ended_);
      REQUIRE(std::chrono::steady_clock::now() < give_up);
      changed_.wait_until(mutex_, give_up);
    }
  }
  /// Blocks as await does, and returns the address on which an operator that was given kAnyPort
  /// serves `what`.
  std::string address_of(const std::string& what) {
    const std::string begin = "\"Serving " + what + "\",\"port\":";
    await(begin);
    base::MutexLock lock(mutex_);
    const size_t at = text_.find(begin) + begin.size();
    return "127.0.0.1:" + text_.substr(at, text_.find_first_not_of("0123456789", at) - at);
  }

 private:
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::string text_ CW_GUARDED_BY(mutex_);
  bool ended_ CW_GUARDED_BY(mutex_) = false;
};

/// An operator on a thread of its own.
class Running {
 public:
  explicit Running(const std::string& server) {
    options.metrics_address = "0";
    options.health_address = "0";
    options.api_server.server = server;
    follow("Widget");
  }
  ~Running() {
    stop_.request_stop();
    thread_.join();
  }

  OperatorOptions options;
  Log log;

  /// Adds a kind; before the start.
  void follow(const std::string& kind) {
    bundle::Watch watch;
    watch.gvk = {"example.com", "v1", kind};
    watch.bundle = CW_MUST(bundle::load_bundle(chart_.path()));
    watches_.push_back(std::move(watch));
  }
  void start() {
    thread_ = base::Thread("operator", size_t{1} << 20, [this] {
      result_ = run();
      log.end(result_);
    });
  }
  base::Status run() { return run_operator(options, watches_, clock_, logger_, stop_.get_token()); }
  /// Asks it to end, and waits.
  base::Status stop() {
    stop_.request_stop();
    thread_.join();
    return result_;
  }

 private:
  const bundle::testing::Folder chart_{bundle::testing::widget_chart()};
  std::vector<bundle::Watch> watches_;
  base::SystemClock clock_;
  base::Logger logger_{{}, clock_, [this](std::string_view line) { log.add(line); }};
  std::stop_source stop_;
  base::Status result_;
  base::Thread thread_;
};

constexpr std::string_view kCore = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{},"versions":[{"version":"v1","resources":[
    {"resource":"configmaps","responseKind":{"group":"","version":"v1","kind":"ConfigMap"},
     "scope":"Namespaced"},
    {"resource":"secrets","responseKind":{"group":"","version":"v1","kind":"Secret"},
     "scope":"Namespaced"}]}]}]})";
constexpr std::string_view kGroups = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[
    {"resource":"widgets","responseKind":{"group":"example.com","version":"v1","kind":"Widget"},
     "scope":"Namespaced","subresources":[
       {"subresource":"status","responseKind":{"kind":"Widget"}}]}]}]}]})";
constexpr std::string_view kGroupsWithGadget = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[
    {"resource":"widgets","responseKind":{"group":"example.com","version":"v1","kind":"Widget"},
     "scope":"Namespaced","subresources":[
       {"subresource":"status","responseKind":{"kind":"Widget"}}]},
    {"resource":"gadgets","responseKind":{"group":"example.com","version":"v1","kind":"Gadget"},
     "scope":"Namespaced","subresources":[
       {"subresource":"status","responseKind":{"kind":"Gadget"}}]}]}]}]})";
constexpr std::string_view kEndOfList =
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5","annotations":{)"
    R"("k8s.io/initial-events-end":"true"}}}})";
constexpr std::string_view kWidget =
    R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop",)"
    R"("uid":"u","resourceVersion":"3","generation":1},"spec":{"color":"blue"}})";

constexpr std::string_view kGadget =
    R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g","namespace":"shop",)"
    R"("uid":"u","resourceVersion":"3","generation":1},"spec":{"color":"red"}})";

/// A watch that sends `frames` and the end of the list, and then nothing.
void stream(const std::vector<std::string>& frames, Reply& reply) {
  reply.begin(200);
  for (const std::string& frame : frames) {
    reply.chunk(frame + "\n");
  }
  reply.chunk(std::string(kEndOfList) + "\n");
  reply.hold();
}

/// A server with the kind Widget and no objects.
void empty_cluster(const SeenRequest& request, Reply& reply) {
  if (request.target == "/version") {
    reply.send(200, R"({"major":"1","minor":"36","gitVersion":"v1.36.3"})");
  } else if (request.target == "/api") {
    reply.send(200, kCore);
  } else if (request.target == "/apis") {
    reply.send(200, kGroups);
  } else if (request.target.find("watch=") != std::string::npos) {
    stream({}, reply);
  } else {
    reply.send(404, R"({"kind":"Status","reason":"NotFound"})");
  }
}

/// The same with one Widget. It accepts any write.
void cluster_with_widget(const SeenRequest& request, Reply& reply) {
  const bool is_widget = request.target.find("/widgets") != std::string::npos;
  const bool is_watch = request.target.find("watch=") != std::string::npos;
  if (request.method == "PATCH" || request.method == "POST") {
    value::Value object = CW_MUST(value::parse_json(request.body, value::Numbers::kInt64));
    object.find("metadata")->mutable_dict().set("uid", value::Value::string("u"));
    object.find("metadata")->mutable_dict().set("resourceVersion", value::Value::string("9"));
    reply.send(request.method == "POST" ? 201 : 200, CW_MUST(value::to_json(object)));
  } else if (is_widget && is_watch) {
    stream({R"({"type":"ADDED","object":)" + std::string(kWidget) + "}"}, reply);
  } else if (is_widget) {
    reply.send(200, kWidget);
  } else {
    empty_cluster(request, reply);
  }
}

constexpr std::string_view kAnyPort = "127.0.0.1:0";

kube::Response get(const std::string& address, const std::string& target) {
  base::SystemClock clock;
  kube::Config config;
  config.server = "http://" + address;
  const auto transport = CW_MUST(kube::make_transport(config, clock, {}));
  kube::Request request;
  request.target = target;
  return CW_MUST(transport->perform(request, {}));
}

TEST_CASE("An operator starts, works and ends when asked") {
  fakeapi::FakeServer server(empty_cluster);
  Running running(server.url());
  running.options.health_address = kAnyPort;
  running.options.metrics_address = kAnyPort;
  running.start();
  running.log.await("Connected to API server");
  running.log.await("Watching resource");
  running.log.await("Starting workers");
  CHECK(get(running.log.address_of("health probes"), "/healthz").status == 200);
  CHECK(get(running.log.address_of("health probes"), "/readyz").status == 200);
  const kube::Response metrics = get(running.log.address_of("metrics"), "/metrics");
  CHECK(metrics.status == 200);
  CHECK(metrics.body.find("chartwright_build_info") != std::string::npos);
  CHECK(metrics.body.find("helm_operator_build_info") != std::string::npos);
  CHECK(running.stop().ok());
}

TEST_CASE("An operator that waits for the API server is alive, not ready") {
  Running running("http://127.0.0.1:1");  // Where nobody listens.
  running.options.health_address = kAnyPort;
  running.start();
  running.log.await("API server is not reachable, waiting");
  CHECK(get(running.log.address_of("health probes"), "/healthz").status == 200);
  CHECK(get(running.log.address_of("health probes"), "/readyz").status == 503);
  CHECK(running.stop().ok());
}

TEST_CASE("A custom resource that exists at the start is reconciled") {
  fakeapi::FakeServer server(cluster_with_widget);
  Running running(server.url());
  running.start();
  running.log.await("Installed release");
  CHECK(running.stop().ok());
  std::string applied;
  for (const SeenRequest& request : server.requests()) {
    if (request.method == "PATCH" &&
        request.target.starts_with("/api/v1/namespaces/shop/configmaps/w?")) {
      applied = request.body;
    }
  }
  CHECK(applied.find(R"("color":"blue")") != std::string::npos);
}

/// The same as cluster_with_widget, and the kind Gadget with one object once its CRD exists.
class GadgetCluster {
 public:
  std::atomic<bool> has_crd{false};

  void operator()(const SeenRequest& request, Reply& reply) const {
    const bool is_gadget = request.target.find("/gadgets") != std::string::npos;
    if (request.target == "/apis" && has_crd.load()) {
      reply.send(200, kGroupsWithGadget);
    } else if (is_gadget && request.target.find("watch=") != std::string::npos) {
      stream({R"({"type":"ADDED","object":)" + std::string(kGadget) + "}"}, reply);
    } else if (is_gadget && request.method == "GET") {
      reply.send(200, kGadget);
    } else {
      cluster_with_widget(request, reply);
    }
  }
};

TEST_CASE("A kind whose CRD is missing delays no other kind, and starts when the CRD appears") {
  GadgetCluster cluster;
  fakeapi::FakeServer server(std::ref(cluster));
  Running running(server.url());
  running.follow("Gadget");
  running.options.health_address = kAnyPort;
  running.start();
  running.log.await(R"("release":"w","revision":1)");
  // The other kind has not timed out yet.
  CHECK_FALSE(running.log.mentions("Some caches are not complete yet"));
  CHECK(get(running.log.address_of("health probes"), "/readyz").status == 503);
  cluster.has_crd.store(true);
  running.log.await(R"("release":"g","revision":1)");
  CHECK(running.stop().ok());
}

TEST_CASE("A kind that stays missing does not prevent the process from being ready") {
  const GadgetCluster cluster;
  fakeapi::FakeServer server(std::ref(cluster));
  Running running(server.url());
  running.follow("Gadget");
  running.options.health_address = kAnyPort;
  running.start();
  running.log.await(R"("msg":"Some caches are not complete yet","apiVersion":"example.com/v1",)"
                    R"("kind":"Gadget")");
  running.log.await(R"("msg":"Starting workers","apiVersion":"example.com/v1","kind":"Gadget")");
  CHECK(get(running.log.address_of("health probes"), "/readyz").status == 200);
  CHECK(running.stop().ok());
}

TEST_CASE("An API server that refuses is asked again: one that is starting does so for a while") {
  std::atomic<int> refusals{1};
  fakeapi::FakeServer server([&refusals](const SeenRequest& request, Reply& reply) {
    if (refusals-- > 0) {
      reply.send(403, R"({"kind":"Status","reason":"Forbidden","message":"no"})");
    } else {
      empty_cluster(request, reply);
    }
  });
  Running running(server.url());
  running.start();
  running.log.await("Connected to API server");
  CHECK(running.stop().ok());
}

constexpr std::string_view kGroupsWithLease = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"coordination.k8s.io"},"versions":[{"version":"v1","resources":[
    {"resource":"leases",
     "responseKind":{"group":"coordination.k8s.io","version":"v1","kind":"Lease"},
     "scope":"Namespaced"}]}]},
  {"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[
    {"resource":"widgets","responseKind":{"group":"example.com","version":"v1","kind":"Widget"},
     "scope":"Namespaced","subresources":[
       {"subresource":"status","responseKind":{"kind":"Widget"}}]}]}]}]})";

/// The same as cluster_with_widget, where the lease is not to be had at the first try. By then the
/// Widget has another color, which only a new list shows: the first watch lags behind.
class StandbyCluster {
 public:
  void operator()(const SeenRequest& request, Reply& reply) {
    const bool is_widget = request.target.find("/widgets?") != std::string::npos;
    if (request.target == "/apis") {
      reply.send(200, kGroupsWithLease);
    } else if (request.method == "PUT") {  // The lease is renewed, and released.
      reply.send(200, request.body);
    } else if (request.target.find("/leases/") != std::string::npos) {
      listed_.wait(false);
      const bool is_first = !asked_for_lease_.exchange(true);
      reply.send(is_first ? 500 : 404, R"({"kind":"Status","reason":"NotFound"})");
    } else if (is_widget && asked_for_lease_.load()) {
      std::string green(kWidget);
      green.replace(green.find("blue"), 4, "green");
      green.replace(green.find(R"("3")"), 3, R"("4")");
      stream({R"({"type":"ADDED","object":)" + green + "}"}, reply);
    } else {
      if (is_widget) {
        listed_.store(true);
        listed_.notify_all();
      }
      cluster_with_widget(request, reply);
    }
  }

 private:
  std::atomic<bool> listed_{false};
  std::atomic<bool> asked_for_lease_{false};
};

TEST_CASE("A standby that takes over works from a new list") {
  StandbyCluster cluster;
  fakeapi::FakeServer server(std::ref(cluster));
  Running running(server.url());
  running.options.leader_elect = true;
  running.options.leader_election_namespace = "system";
  running.options.leader_election_id = "lease";
  running.start();
  running.log.await("Installed release");
  CHECK(running.stop().ok());
  for (const SeenRequest& request : server.requests()) {
    if (request.target.find("/configmaps/") != std::string::npos && request.method == "PATCH") {
      CHECK(request.body.find(R"("color":"green")") != std::string::npos);
    }
  }
}

TEST_CASE("An address that is taken ends the start") {
  const auto other = CW_MUST(runtime::serve_routes("127.0.0.1:0", {}));
  const std::string taken = "127.0.0.1:" + std::to_string(other->port());
  Running running("http://127.0.0.1:1");
  SECTION("of metrics") { running.options.metrics_address = taken; }
  SECTION("of health") { running.options.health_address = taken; }
  const auto result = running.run();
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kUnavailable);
}

TEST_CASE("Leader election without a name for its lease is refused") {
  fakeapi::FakeServer server(empty_cluster);
  Running running(server.url());
  running.options.leader_elect = true;
  const auto result = running.run();
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace chartwright::process
