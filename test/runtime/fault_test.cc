// SPDX-License-Identifier: Apache-2.0
// Tests the whole path from a socket to a store, with a server that fails on command.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kube/client.h"
#include "kube/http_transport.h"
#include "runtime/informer.h"
#include "test/base/manual_clock.h"
#include "test/fakeapi/fake_server.h"

namespace chartwright::runtime {
namespace {

using fakeapi::FakeServer;
using fakeapi::Reply;
using fakeapi::SeenRequest;
using std::chrono::seconds;

constexpr std::string_view kDiscovery = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{},"versions":[{"version":"v1","resources":[
    {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced"}]}]}]})";

std::string frame(const std::string& type, const std::string& name, const std::string& version) {
  return R"({"type":")" + type + R"(","object":{"kind":"Pod","apiVersion":"v1","metadata":{)" +
         R"("namespace":"n","name":")" + name + R"(","resourceVersion":")" + version + "\"}}}\n";
}

std::string end_of_list(const std::string& version) {
  return R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + version +
         R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})" + "\n";
}

constexpr std::string_view kExpired =
    R"({"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"})";

/// Serves Pods over HTTP: each watch gets the next step, and hangs if there is none.
class PodServer {
 public:
  using Step = std::function<void(Reply& reply)>;
  explicit PodServer(std::vector<Step> steps)
      : steps_(std::move(steps)),
        server_([this](const SeenRequest& request, Reply& reply) { answer(request, reply); }) {}

  std::string url() const { return server_.url(); }
  /// The request of each watch: "list", or the resourceVersion that it continued from.
  std::vector<std::string> watches() const {
    std::vector<std::string> asked;
    for (const SeenRequest& request : server_.requests()) {
      if (request.target.find("watch=true") == std::string::npos) {
        continue;
      }
      const std::string key = "resourceVersion=";
      const size_t at = request.target.find("&" + key);
      asked.push_back(
          at == std::string::npos
              ? "list"
              : request.target.substr(at + key.size() + 1,
                                      request.target.find('&', at + 1) - at - key.size() - 1));
    }
    return asked;
  }

 private:
  void answer(const SeenRequest& request, Reply& reply) {
    if (request.target == "/api") {
      return reply.send(200, kDiscovery);
    }
    if (request.target == "/apis") {
      return reply.send(200, R"({"kind":"APIGroupDiscoveryList","items":[]})");
    }
    const size_t turn = turn_++;
    if (turn < steps_.size()) {
      return steps_[turn](reply);
    }
    reply.hold();
  }

  const std::vector<Step> steps_;
  std::atomic<size_t> turn_{0};
  FakeServer server_;
};

/// Everything between the socket and the store.
class Stack {
 public:
  explicit Stack(const std::string& url) {
    kube::Config config;
    config.server = url;
    transport_ = CW_MUST(kube::make_transport(config, clock));
    mapper_ = std::make_unique<kube::RestMapper>(*transport_, clock);
    client_ = std::make_unique<kube::HttpClient>(*transport_, *mapper_, clock);
    informers_ = std::make_unique<InformerSet>(*client_, clock, log_);
    informer_ = informers_->get({{"", "v1", "Pod"}, {}}).get();
  }

  /// Advances the clock past the `count`-th pause after a failure.
  void pass_pause(int count) {
    {
      base::MutexLock lock(mutex_);
      while (failures_ < count) {
        changed_.wait(mutex_);
      }
    }
    clock.await_waiters(1);
    clock.advance(seconds(5));
  }
  /// Waits until the store has seen everything up to `version`.
  void await_version(const std::string& version) {
    const auto give_up = std::chrono::steady_clock::now() + seconds(10);
    while (informer_->store().resource_version() != version) {
      if (std::chrono::steady_clock::now() > give_up) {
        FAIL("the store never came to version " << version);
      }
      std::this_thread::yield();
    }
  }
  const Store& store() const { return informer_->store(); }

  base::ManualClock clock;

 private:
  void note(std::string_view line) {
    if (line.find("Watch failed") != std::string_view::npos) {
      base::MutexLock lock(mutex_);
      ++failures_;
      changed_.notify_all();
    }
  }

  base::Mutex mutex_;
  base::CondVar changed_;
  int failures_ CW_GUARDED_BY(mutex_) = 0;
  base::Logger log_{{base::LogLevel::kWarn}, clock, [this](std::string_view line) { note(line); }};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::RestMapper> mapper_;
  std::unique_ptr<kube::HttpClient> client_;
  std::unique_ptr<InformerSet> informers_;
  Informer* informer_ = nullptr;
};

TEST_CASE("A store survives cuts, expiries and dead streams without losing or inventing a pod") {
  PodServer server({
      // A list, then a broken connection in the middle of an event.
      [](Reply& reply) {
        reply.begin(200);
        reply.chunk(frame("ADDED", "a", "3") + end_of_list("5"));
        reply.chunk(frame("ADDED", "lost", "6").substr(0, 30));
        reply.cut();
      },
      // The next watch gets the status "expired".
      [](Reply& reply) { reply.send(410, kExpired); },
      // The new list has no "a"; then an event says that the stream has expired.
      [](Reply& reply) {
        reply.begin(200);
        reply.chunk(frame("ADDED", "b", "8") + end_of_list("9"));
        reply.chunk(R"({"type":"ERROR","object":)" + std::string(kExpired) + "}\n");
        reply.end();
      },
      // A list whose stream then stays silent.
      [](Reply& reply) {
        reply.begin(200);
        reply.chunk(frame("ADDED", "b", "8") + frame("ADDED", "c", "11") + end_of_list("12"));
        reply.hold();
      },
      // Another list, and a regular end after one event; the next watch continues from there.
      [](Reply& reply) {
        reply.begin(200);
        reply.chunk(frame("ADDED", "b", "8") + frame("ADDED", "c", "11") + end_of_list("12"));
        reply.chunk(frame("DELETED", "c", "13"));
        reply.end();
      },
      [](Reply& reply) {
        reply.begin(200);
        reply.chunk(frame("MODIFIED", "b", "14"));
        reply.hold();
      },
  });
  Stack stack(server.url());
  stack.await_version("5");
  CHECK(stack.store().get("n", "a") != nullptr);
  stack.pass_pause(1);  // After the broken connection.
  stack.await_version("9");
  CHECK(stack.store().get("n", "a") == nullptr);
  CHECK(stack.store().get("n", "lost") == nullptr);
  CHECK(stack.store().get("n", "b") != nullptr);
  stack.pass_pause(2);  // After the second expiry in a row.
  stack.await_version("12");
  CHECK(stack.store().size() == 2);
  stack.clock.await_waiters(1);
  stack.clock.advance(WatcherOptions().idle);  // The dead stream.
  stack.await_version("14");
  CHECK(stack.store().get("n", "c") == nullptr);
  CHECK(kube::resource_version_of(*stack.store().get("n", "b")) == "14");
  CHECK(server.watches() == std::vector<std::string>{"list", "5", "list", "list", "list", "13"});
}

}  // namespace
}  // namespace chartwright::runtime
