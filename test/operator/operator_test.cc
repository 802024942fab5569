// SPDX-License-Identifier: Apache-2.0
#include "operator/operator.h"

#include <catch2/catch.hpp>

#include "base/thread.h"
#include "operator/watches.h"
#include "runtime/http_server.h"
#include "test/fakeapi/fake_server.h"
#include "test/operator/chart_folder.h"

namespace chartwright::op {
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
  /// Blocks until `text` has been logged; aborts after ten seconds, with what was.
  void await(std::string_view text) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    base::MutexLock lock(mutex_);
    while (text_.find(text) == std::string::npos) {
      INFO(text_);
      REQUIRE(std::chrono::steady_clock::now() < give_up);
      changed_.wait_until(mutex_, give_up);
    }
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  std::string text_ CW_GUARDED_BY(mutex_);
};

/// An operator on a thread of its own.
class Running {
 public:
  explicit Running(const std::string& server) {
    options.metrics_address = "0";
    options.health_address = "0";
    config.server = server;
    Watch watch;
    watch.gvk = {"example.com", "v1", "Widget"};
    watch.bundle = CW_MUST(load_bundle(chart_.path()));
    watches_.push_back(std::move(watch));
  }
  ~Running() {
    stop_.request_stop();
    thread_.join();
  }

  OperatorOptions options;
  kube::Config config;
  Log log;

  void start() {
    thread_ = base::Thread("operator", size_t{1} << 20, [this] { result_ = run(); });
  }
  base::Status run() {
    return run_operator(options, watches_, config, clock_, logger_, stop_.get_token());
  }
  /// Asks it to end and waits until it has.
  base::Status stop() {
    stop_.request_stop();
    thread_.join();
    return result_;
  }

 private:
  const testing::Folder chart_{testing::widget_chart()};
  std::vector<Watch> watches_;
  base::SystemClock clock_;
  base::Logger logger_{{}, clock_, [this](std::string_view line) { log.add(line); }};
  std::stop_source stop_;
  base::Status result_;
  base::Thread thread_;
};

constexpr std::string_view kCore = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{},"versions":[{"version":"v1","resources":[
    {"resource":"configmaps","responseKind":{"group":"","version":"v1","kind":"ConfigMap"},
     "scope":"Namespaced"}]}]}]})";
constexpr std::string_view kGroups = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[
    {"resource":"widgets","responseKind":{"group":"example.com","version":"v1","kind":"Widget"},
     "scope":"Namespaced","subresources":[
       {"subresource":"status","responseKind":{"kind":"Widget"}}]}]}]}]})";
constexpr std::string_view kEndOfList =
    R"({"type":"BOOKMARK","object":{"apiVersion":"example.com/v1",
  "kind":"Widget","metadata":{"resourceVersion":"5","annotations":
  {"k8s.io/initial-events-end":"true"}}}})";

/// A server with the kind Widget and no object.
void empty_cluster(const SeenRequest& request, Reply& reply) {
  if (request.target == "/version") {
    reply.send(200, R"({"major":"1","minor":"36","gitVersion":"v1.36.3"})");
  } else if (request.target == "/api") {
    reply.send(200, kCore);
  } else if (request.target == "/apis") {
    reply.send(200, kGroups);
  } else if (request.target.find("watch=") != std::string::npos) {
    std::string frame(kEndOfList);
    std::erase(frame, '\n');
    reply.begin(200);
    reply.chunk(frame + "\n");
    reply.hold();
  } else {
    reply.send(404, "{}");
  }
}

TEST_CASE("An operator starts, works and ends when asked") {
  fakeapi::FakeServer server(empty_cluster);
  Running running(server.url());
  running.start();
  running.log.await("Connected to API server");
  running.log.await("Watching resource");
  running.log.await("Starting workers");
  CHECK(running.stop().ok());
}

TEST_CASE("An API server that is not there yet is waited for") {
  std::string address;
  {
    fakeapi::FakeServer gone(empty_cluster);
    address = gone.url();
  }
  Running running(address);
  running.start();
  running.log.await("API server is not reachable, waiting");
  CHECK(running.stop().ok());
}

TEST_CASE("An API server that says no ends the start") {
  fakeapi::FakeServer server([](const SeenRequest& /*request*/, Reply& reply) {
    reply.send(403, R"({"kind":"Status","reason":"Forbidden","message":"no"})");
  });
  Running running(server.url());
  const auto result = running.run();
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kForbidden);
}

TEST_CASE("An address that is taken ends the start") {
  const auto other = CW_MUST(runtime::HttpServer::start("127.0.0.1:0", {}));
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
}  // namespace chartwright::op
