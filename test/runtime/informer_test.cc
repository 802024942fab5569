// SPDX-License-Identifier: Apache-2.0
#include "runtime/informer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "test/base/manual_clock.h"
#include "test/fakeapi/scripted_client.h"

namespace chartwright::runtime {
namespace {

using base::ErrorCode;
using base::Status;
using fakeapi::ScriptedClient;
using kube::WatchSink;
using std::chrono::seconds;
using value::Value;

const kube::Gvk kPod{"", "v1", "Pod"};

Value pod(const char* name, const char* version) {
  return Value::dict({{"apiVersion", Value::string("v1")},
                      {"kind", Value::string("Pod")},
                      {"metadata", Value::dict({{"name", Value::string(name)},
                                                {"namespace", Value::string("n")},
                                                {"resourceVersion", Value::string(version)}})}});
}

Status send_list(const WatchSink& sink, const char* version = "1") {
  CW_TRY_VOID(sink({kube::WatchFrame::Type::kAdded, pod("a", version)}));
  Value end = pod("", "2");
  end.find("metadata")
      ->mutable_dict()
      .set("annotations", Value::dict({{"k8s.io/initial-events-end", Value::string("true")}}));
  return sink({kube::WatchFrame::Type::kBookmark, end});
}

/// The informers over a Client.
template <typename Client>
struct Informers {
  base::ManualClock clock;
  Client client;
  InformerSet informers{client, clock,
                        base::Logger({base::LogLevel::kError}, clock, [](std::string_view) {})};
};

using InformerFixture = Informers<ScriptedClient>;

TEST_CASE("An informer fills its store and says when it has") {
  InformerFixture test;
  test.client.on_watch([&](const kube::WatchOptions&, const WatchSink& sink) -> Status {
    const Status sent = send_list(sink);
    test.clock.advance(seconds(5));
    return sent;
  });
  Informer& informer = *test.informers.get({kPod, {"n", "", ""}});
  REQUIRE(test.informers.wait_synced({}, seconds(60)).ok());
  CHECK(informer.has_synced());
  CHECK(informer.store().get("n", "a") != nullptr);
  CHECK(test.informers.has_synced());
  test.client.await_end();
  test.clock.advance(seconds(30));
  CHECK(test.informers.stalest().first >= seconds(30));
  CHECK(test.informers.stalest().second == "/v1, Kind=Pod");
}

TEST_CASE(
    "Objects that are listed anew stay, and count as not synced, until the new list is there") {
  InformerFixture test;
  test.client.on_watch([&](const kube::WatchOptions&, const WatchSink& sink) -> Status {
    CW_TRY_VOID(send_list(sink));
    test.clock.advance(seconds(5));  // A useful watch, which the server ends.
    return {};
  });
  Informer& informer = *test.informers.get({kPod, {"n", "", ""}});
  std::vector<Change> changes;
  informer.store().add_listener([&](const Change& change) { changes.push_back(change); });
  REQUIRE(test.informers.wait_synced({}, seconds(60)).ok());
  test.client.await_end();  // The next watch is silent.
  changes.clear();
  std::optional<bool> synced_before;
  std::string version_before;
  test.client.on_watch([&](const kube::WatchOptions&, const WatchSink& sink) -> Status {
    synced_before = informer.has_synced();
    version_before = kube::resource_version_of(*informer.store().get("n", "a"));
    CW_TRY_VOID(send_list(sink, "7"));
    test.clock.advance(seconds(5));
    return {};
  });
  test.informers.relist(Outdated::kBehind);
  REQUIRE(test.informers.wait_synced({}, seconds(60)).ok());
  CHECK(synced_before == false);
  CHECK(version_before == "1");
  CHECK(kube::resource_version_of(*informer.store().get("n", "a")) == "7");
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].before != nullptr);
  test.informers.stop();
}

/// A Client whose every watch lists one pod, in the version set for its namespace, and is silent
/// until it is stopped.
class VersionedClient final : public fakeapi::RefusingClient {
 public:
  void set(const std::string& ns, const std::string& version) {
    base::MutexLock lock(mutex_);
    versions_[ns] = version;
  }

  Status watch(const kube::Gvk& /*gvk*/, const kube::WatchOptions& options, std::stop_token stop,
               const WatchSink& sink) override {
    std::string version;
    {
      base::MutexLock lock(mutex_);
      version = versions_[options.selection.ns];
    }
    CW_TRY_VOID(send_list(sink, version.c_str()));
    const std::stop_callback wake(stop, [this] {
      base::MutexLock lock(mutex_);
      changed_.notify_all();
    });
    base::MutexLock lock(mutex_);
    while (!stop.stop_requested()) {
      changed_.wait(mutex_);
    }
    return base::Error(ErrorCode::kCancelled, "stopped");
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  std::map<std::string, std::string> versions_ CW_GUARDED_BY(mutex_);
};

struct RestoredFixture : Informers<VersionedClient> {
  void sync(const std::vector<const Informer*>& awaited) {
    REQUIRE(informers.wait_synced(awaited, {}, seconds(60)).ok());
  }
  static std::string version(Informer& informer) {
    return std::string(kube::resource_version_of(*informer.store().list().at(0)));
  }
};

TEST_CASE("A list that proves a restore of the storage has all others listed anew, once") {
  RestoredFixture test;
  test.client.set("one", "7");
  test.client.set("other", "8");
  test.client.set("opened", "9");
  Informer& one = *test.informers.get({kPod, {"one", "", ""}});
  Informer& other = *test.informers.get({kPod, {"other", "", ""}});
  const auto opened = test.informers.open(kPod, {"opened", "", ""}, nullptr);
  const std::vector<const Informer*> all = {&one, &other, opened.get()};
  test.sync(all);
  CHECK(test.informers.follow_setbacks() == 0);

  test.client.set("one", "3");
  test.client.set("other", "10");  // It has passed the version that is known.
  test.client.set("opened", "4");
  one.relist(Outdated::kBehind);
  CHECK_FALSE(one.has_synced());
  test.sync(all);
  CHECK(test.version(other) == "8");
  CHECK(test.informers.follow_setbacks() == 1);
  test.sync(all);
  CHECK(test.version(one) == "3");
  CHECK(test.version(other) == "10");
  CHECK(test.version(*opened) == "4");
  CHECK(test.informers.follow_setbacks() == 3);            // Of the shared ones.
  CHECK(std::ranges::all_of(all, &Informer::has_synced));  // Nothing is listed again.
}

TEST_CASE("Informers may be listed anew from many threads, and while they are stopped") {
  RestoredFixture test;
  std::vector<const Informer*> all;
  for (const char* ns : {"a", "b", "c"}) {
    test.client.set(ns, "5");
    all.push_back(test.informers.get({kPod, {ns, "", ""}}).get());
  }
  test.sync(all);
  std::vector<base::Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back("relist", base::kDefaultStackBytes, [&test] {
      for (int round = 0; round < 50; ++round) {
        test.informers.relist(round % 2 == 0 ? Outdated::kBehind : Outdated::kRestored);
      }
    });
  }
  for (base::Thread& thread : threads) {
    thread.join();
  }
  test.sync(all);
  base::Thread last("relist", base::kDefaultStackBytes,
                    [&test] { test.informers.relist(Outdated::kBehind); });
  test.informers.stop();
  last.join();
  CHECK(all.at(0)->store().size() == 1);
}

TEST_CASE("Users of one source share its informer") {
  InformerFixture test;
  Informer& one = *test.informers.get({kPod, {"n", "", ""}});
  Informer& same = *test.informers.get({kPod, {"n", "", ""}});
  Informer& other = *test.informers.get({kPod, {"n", "app=x", ""}});
  CHECK(&one == &same);
  CHECK(&one != &other);
}

TEST_CASE("An ended informer ends with its last user, and the next one begins anew") {
  InformerFixture test;
  const InformerKey key{kPod, {"n", "", ""}};
  const std::shared_ptr<Informer> first = test.informers.get(key);
  test.informers.end(key);
  test.informers.end({kPod, {"m", "", ""}});  // Nobody has it.
  const std::shared_ptr<Informer> second = test.informers.get(key);
  CHECK(first != second);
  CHECK(first.use_count() == 1);
  CHECK(second.use_count() == 2);
}

TEST_CASE("Caches that do not sync are named with their reason") {
  InformerFixture test;
  test.client.on_watch([](const kube::WatchOptions&, const WatchSink&) -> Status {
    return base::Error(ErrorCode::kForbidden, "pods is forbidden").with_http(403, "Forbidden");
  });
  test.client.on_list([](const kube::ListOptions&) -> base::Result<kube::ListPage> {
    return base::Error(ErrorCode::kForbidden, "pods is forbidden").with_http(403, "Forbidden");
  });
  test.informers.get({kPod, {}});
  test.clock.await_waiters(1);  // The watcher pauses after its failure.
  std::optional<Status> waited;
  base::Thread waiter("wait", base::kDefaultStackBytes,
                      [&] { waited = test.informers.wait_synced({}, seconds(1)); });
  test.clock.await_waiters(2);
  test.clock.advance(seconds(1));
  waiter.join();
  REQUIRE_FALSE(waited->ok());
  CHECK(waited->error().code() == ErrorCode::kTimeout);
  CHECK(waited->error().message() ==
        "caches did not sync within 1s: /v1, Kind=Pod (pods is forbidden)");
  // A caller that waits for other kinds is not delayed.
  const std::set<kube::Gvk> others = {{"", "v1", "Node"}};
  CHECK(test.informers.wait_synced(others, {}, seconds(1)).ok());
}

TEST_CASE("A stopped set keeps its stores and starts nothing new") {
  InformerFixture test;
  Informer& informer = *test.informers.get({kPod, {}});
  test.informers.stop();
  CHECK(informer.store().size() == 0);
  CHECK_FALSE(test.informers.get({{"", "v1", "Node"}, {}})->has_synced());
  std::stop_source stop;
  stop.request_stop();
  const Status waited = test.informers.wait_synced(stop.get_token(), seconds(1));
  REQUIRE_FALSE(waited.ok());
  CHECK(waited.error().code() == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace chartwright::runtime
