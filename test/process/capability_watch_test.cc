// SPDX-License-Identifier: Apache-2.0
#include "process/capability_watch.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "base/thread.h"
#include "kube/http_transport.h"
#include "test/fakeapi/fake_server.h"

namespace chartwright::process {
namespace {

using fakeapi::Reply;
using fakeapi::SeenRequest;

/// A resource in aggregated discovery.
std::string group(const std::string& name, const std::string& plural, const std::string& kind) {
  return R"({"metadata":{"name":")" + name + R"("},"versions":[{"version":"v1","resources":[)" +
         R"({"resource":")" + plural + R"(","scope":"Cluster","responseKind":{"group":")" + name +
         R"(","version":"v1","kind":")" + kind + R"("}}]}]})";
}

std::string groups(const std::string& list) {
  return R"({"kind":"APIGroupDiscoveryList","items":[)" + list + "]}";
}

/// A server whose CRDs may be refused, may never arrive, and change on command.
class DefinitionServer {
 public:
  enum class Mode : uint8_t { kServes, kRefuses, kSilent };
  enum class Group : uint8_t { kAnswers, kSilent, kGone };
  explicit DefinitionServer(Mode mode) : mode_(mode) {}

  /// Defines the kind example.com/v1/Foo.
  void define() {
    base::MutexLock lock(mutex_);
    defined_ = true;
    changed_.notify_all();
  }

  /// Sets how discovery answers about the API group extra.io.
  void set(Group group) {
    base::MutexLock lock(mutex_);
    extra_ = group;
  }

  /// Lets watches end that wait for a definition.
  void close() {
    base::MutexLock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  void operator()(const SeenRequest& request, Reply& reply) {
    if (request.target == "/version") {
      reply.send(200, R"({"major":"1","minor":"36","gitVersion":"v1.36.3"})");
    } else if (request.target == "/api") {
      reply.send(200, groups(""));
    } else if (request.target == "/apis") {
      reply.send(200, discovery());
    } else if (mode_ == Mode::kRefuses) {
      reply.send(403, R"({"kind":"Status","reason":"Forbidden","message":"no"})");
    } else if (mode_ == Mode::kSilent) {
      reply.hold();
    } else if (request.target.find("watch=") == std::string::npos) {
      reply.send(200, R"({"kind":"List","metadata":{"resourceVersion":"5"},"items":[]})");
    } else {
      watch(request, reply);
    }
  }

 private:
  std::string discovery() {
    base::MutexLock lock(mutex_);
    const std::string always =
        group("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition") +
        "," + group("apiregistration.k8s.io", "apiservices", "APIService");
    std::string all = defined_ ? always + "," + group("example.com", "foos", "Foo") : always;
    if (extra_ == Group::kAnswers) {
      all += "," + group("extra.io", "bars", "Bar");
    } else if (extra_ == Group::kSilent) {
      all += R"(,{"metadata":{"name":"extra.io"},"versions":[)"
             R"({"version":"v1","freshness":"Stale","resources":[]}]})";
    }
    return groups(all);
  }
  void watch(const SeenRequest& request, Reply& reply) {
    reply.begin(200);
    reply.chunk(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5","annotations":{)"
                R"("k8s.io/initial-events-end":"true"}}}})"
                "\n");
    if (request.target.find("customresourcedefinitions") != std::string::npos) {
      base::MutexLock lock(mutex_);
      while (!defined_ && !closed_) {
        changed_.wait(mutex_);
      }
      reply.chunk(
          R"({"type":"ADDED","object":{"apiVersion":"apiextensions.k8s.io/v1",)"
          R"("kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com","uid":"u",)"
          R"("resourceVersion":"9"}}})"
          "\n");
    }
    reply.hold();
  }

  const Mode mode_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool defined_ CW_GUARDED_BY(mutex_) = false;
  bool closed_ CW_GUARDED_BY(mutex_) = false;
  Group extra_ CW_GUARDED_BY(mutex_) = Group::kGone;
};

/// The server, at an address.
struct Definitions : DefinitionServer {
  explicit Definitions(Mode mode) : DefinitionServer(mode) {}
  ~Definitions() { close(); }

  fakeapi::FakeServer server{
      [this](const SeenRequest& request, Reply& reply) { (*this)(request, reply); }};
};

/// A watch on a thread of its own.
class Watching {
 public:
  explicit Watching(const std::string& url)
      : transport_(CW_MUST(kube::make_transport(config_of(url), clock_, {}))) {
    thread_ =
        base::Thread("capabilities", size_t{1} << 20, [this] { watch_.run(stop.get_token()); });
  }
  ~Watching() {
    stop.request_stop();
    thread_.join();
    informers_.stop();
  }

  std::stop_source stop;
  std::atomic<int> warnings{0};

  /// Waits until `holds` does. Fails after a minute.
  template <typename Condition>
  void await(Condition holds) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    base::MutexLock lock(mutex_);
    while (!holds()) {
      REQUIRE(std::chrono::steady_clock::now() < give_up);
      told_.wait_until(mutex_, give_up);
    }
  }
  void end() {
    stop.request_stop();
    thread_.join();
  }
  bool serves(std::string_view name) const {
    return std::holds_alternative<bundle::Served>(renderer_.capabilities()->presence(name));
  }
  bool knows(std::string_view name) const {
    return !std::holds_alternative<bundle::Unknown>(renderer_.capabilities()->presence(name));
  }

 private:
  static kube::Config config_of(const std::string& url) {
    kube::Config config;
    config.server = url;
    return config;
  }
  void tell() {
    base::MutexLock lock(mutex_);
    told_.notify_all();
  }

  base::SystemClock clock_;
  base::Mutex mutex_;
  base::CondVar told_;
  base::Logger log_{{}, clock_, [this](std::string_view line) {
                      warnings += line.find("cannot be watched") != std::string_view::npos ? 1 : 0;
                      tell();
                    }};
  std::unique_ptr<kube::Transport> transport_;
  kube::RestMapper mapper_{*transport_, clock_};
  kube::HttpClient client_{*transport_, mapper_, clock_};
  bundle::Renderer renderer_{helm::Capabilities(), clock_};
  runtime::InformerSet informers_{client_, clock_, log_};
  CapabilityWatch watch_{
      {client_, mapper_, informers_, renderer_, clock_, log_},
      [this](const bundle::CapabilitySet&, const bundle::CapabilitySet&) { tell(); }};
  base::Thread thread_;
};

TEST_CASE("A kind that is defined later is among the capabilities") {
  Definitions cluster(DefinitionServer::Mode::kServes);
  Watching watching(cluster.server.url());
  watching.await([&] { return watching.serves("apiregistration.k8s.io/v1/APIService"); });
  CHECK_FALSE(watching.serves("example.com/v1/Foo"));
  cluster.define();
  watching.await([&] { return watching.serves("example.com/v1/Foo"); });
  CHECK(watching.warnings.load() == 0);
}

TEST_CASE("A group that falls silent keeps its kinds, until it is gone") {
  using Group = DefinitionServer::Group;
  Definitions cluster(DefinitionServer::Mode::kServes);
  cluster.set(Group::kAnswers);
  Watching watching(cluster.server.url());
  watching.await([&] { return watching.serves("extra.io/v1/Bar"); });
  cluster.set(Group::kSilent);
  cluster.define();  // Discovery is read anew.
  watching.await([&] { return watching.serves("example.com/v1/Foo"); });
  CHECK(watching.serves("extra.io/v1/Bar"));
  cluster.set(Group::kGone);
  watching.await([&] { return !watching.serves("extra.io/v1/Bar"); });
  CHECK(watching.knows("extra.io/v1/Bar"));
}

TEST_CASE("A group that is silent from the start is not known until it answers") {
  using Group = DefinitionServer::Group;
  Definitions cluster(DefinitionServer::Mode::kServes);
  cluster.set(Group::kSilent);
  Watching watching(cluster.server.url());
  watching.await([&] { return !watching.knows("extra.io/v1/Bar"); });
  cluster.set(Group::kAnswers);
  watching.await([&] { return watching.serves("extra.io/v1/Bar"); });
}

TEST_CASE("A group that comes without an answer changes nothing until it answers") {
  using Group = DefinitionServer::Group;
  Definitions cluster(DefinitionServer::Mode::kServes);
  Watching watching(cluster.server.url());
  watching.await([&] { return watching.serves("apiregistration.k8s.io/v1/APIService"); });
  cluster.set(Group::kSilent);
  watching.await([&] { return !watching.knows("extra.io/v1/Bar"); });
  CHECK_FALSE(watching.serves("extra.io/v1"));
  CHECK_FALSE(watching.knows("extra.io/v1"));
  cluster.set(Group::kAnswers);
  watching.await([&] { return watching.serves("extra.io/v1/Bar"); });
  CHECK(watching.serves("extra.io/v1"));
}

TEST_CASE("Without the right to watch definitions one warning says so") {
  Definitions cluster(DefinitionServer::Mode::kRefuses);
  Watching watching(cluster.server.url());
  watching.await([&] { return watching.warnings.load() > 0; });
  watching.end();
  CHECK(watching.warnings.load() == 1);
}

TEST_CASE("A watch of capabilities ends when asked, also before it has begun") {
  Definitions cluster(DefinitionServer::Mode::kSilent);
  const auto began = std::chrono::steady_clock::now();
  {
    Watching watching(cluster.server.url());
    watching.end();
  }
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(10));
}

}  // namespace
}  // namespace chartwright::process
