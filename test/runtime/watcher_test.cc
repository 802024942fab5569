// SPDX-License-Identifier: Apache-2.0
#include "runtime/watcher.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <new>
#include <string>
#include <vector>

#include "base/thread.h"
#include "test/base/manual_clock.h"
#include "test/fakeapi/scripted_client.h"

namespace chartwright::runtime {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using fakeapi::ScriptedClient;
using kube::ListPage;
using kube::WatchFrame;
using kube::WatchSink;
using std::chrono::minutes;
using std::chrono::seconds;
using value::Value;
using Lines = std::vector<std::string>;

Value object(const std::string& name, const std::string& version) {
  return Value::dict({{"apiVersion", Value::string("v1")},
                      {"kind", Value::string("Pod")},
                      {"metadata", Value::dict({{"name", Value::string(name)},
                                                {"resourceVersion", Value::string(version)}})}});
}

WatchFrame added(const std::string& name, const std::string& version) {
  return {WatchFrame::Type::kAdded, object(name, version)};
}
WatchFrame modified(const std::string& name, const std::string& version) {
  return {WatchFrame::Type::kModified, object(name, version)};
}
WatchFrame deleted(const std::string& name, const std::string& version) {
  return {WatchFrame::Type::kDeleted, object(name, version)};
}
WatchFrame bookmark(const std::string& version) {
  return {WatchFrame::Type::kBookmark, object("", version)};
}
WatchFrame list_ended(const std::string& version) {
  WatchFrame frame = bookmark(version);
  frame.object.find("metadata")
      ->mutable_dict()
      .set("annotations", Value::dict({{"k8s.io/initial-events-end", Value::string("true")}}));
  return frame;
}

Error expired() { return Error(ErrorCode::kExpired, "too old").with_http(410, "Expired"); }
Error unavailable() { return {ErrorCode::kUnavailable, "connection reset"}; }

/// A watcher on its own thread, with a scripted client. Read `events` when the script is over.
class WatcherFixture {
 public:
  WatcherFixture()
      : log_({base::LogLevel::kError}, clock, [](std::string_view /*line*/) {}),
        watcher_(options(), client, clock, log_) {}
  ~WatcherFixture() { finish(); }

  static WatcherOptions options() {
    WatcherOptions options;
    options.gvk = {"", "v1", "Pod"};
    options.idle = seconds(150);
    options.seed = 1;
    return options;
  }

  void start() {
    thread_ = base::Thread("watch", base::kDefaultStackBytes, [this] {
      watcher_.run(stop_.get_token(), [this](const WatchEvent& event) { note(event); });
    });
  }
  /// Lets the watcher run to the end of its script, skipping `pauses` pauses.
  void run(int pauses = 0) {
    start();
    for (int i = 0; i < pauses; ++i) {
      pass_pause();
    }
    client.await_end();
    finish();
  }
  void pass_pause() {
    clock.await_waiters(1);
    clock.advance(minutes(1));
  }
  void finish() {
    stop_.request_stop();
    thread_.join();
  }

  base::ManualClock clock;
  ScriptedClient client;
  Lines events;
  std::string fails_at;  ///< The first event of the object with this name throws.
  Watcher& watcher() { return watcher_; }

 private:
  void note(const WatchEvent& event) {
    using Type = WatchEvent::Type;
    const std::string name(kube::name_of(event.object));
    if (!name.empty() && name == fails_at) {
      fails_at.clear();
      throw std::bad_alloc();
    }
    switch (event.type) {
      case Type::kInit:
        events.emplace_back("init");
        break;
      case Type::kInitApply:
        events.push_back("listed " + name);
        break;
      case Type::kInitDone:
        events.push_back("done " + event.resource_version);
        break;
      case Type::kApply:
        events.push_back("apply " + name);
        break;
      case Type::kDelete:
        events.push_back("delete " + name);
        break;
      case Type::kProgress:
        events.push_back("progress " + event.resource_version);
        break;
    }
  }

  base::Logger log_;
  Watcher watcher_;
  std::stop_source stop_;
  base::Thread thread_;
};

/// A watch step that sends `frames`, lets `lasted` pass and ends with `end`.
ScriptedClient::WatchStep stream(base::ManualClock& clock, std::vector<WatchFrame> frames,
                                 Status end = {}, base::Duration lasted = minutes(5)) {
  return [&clock, frames = std::move(frames), end, lasted](const kube::WatchOptions& /*options*/,
                                                           const WatchSink& sink) -> Status {
    for (const WatchFrame& frame : frames) {
      CW_TRY_VOID(sink(frame));
    }
    clock.advance(lasted);
    return end;
  };
}

ScriptedClient::WatchStep refuse(Error error) {
  return [error](const kube::WatchOptions& /*options*/, const WatchSink& /*sink*/) -> Status {
    return error;
  };
}

ScriptedClient::ListStep page(std::vector<Value> items, std::string version,
                              std::string next = "") {
  return [page = ListPage{std::move(items), std::move(version), std::move(next)}](
             const kube::ListOptions& /*options*/) -> Result<ListPage> { return page; };
}

const Error kNoStreamedLists =
    Error(ErrorCode::kInvalid, "sendInitialEvents is forbidden").with_http(422, "Invalid");

TEST_CASE("A streamed list ends at its bookmark and becomes the watch") {
  WatcherFixture test;
  test.client.on_watch(
      stream(test.clock, {added("a", "7"), added("b", "3"), list_ended("9"), modified("a", "10"),
                          deleted("b", "11"), bookmark("15")}));
  test.run();
  CHECK(test.events ==
        Lines{"init", "listed a", "listed b", "done 9", "apply a", "delete b", "progress 15"});
  // After a clean end it continues from the last bookmark, without a pause or a list.
  CHECK(test.client.asked() == Lines{"watch rv= initial=yes", "watch rv=15 initial=no"});
}

TEST_CASE("An event that there is no memory for is listed anew") {
  WatcherFixture test;
  test.fails_at = "b";
  test.client.on_watch(stream(test.clock, {added("a", "7"), added("b", "8"), list_ended("9")}));
  test.client.on_watch(stream(test.clock, {added("a", "7"), added("b", "8"), list_ended("9")}));
  test.run(1);
  CHECK(test.events == Lines{"init", "listed a", "init", "listed a", "listed b", "done 9"});
}

TEST_CASE("Changes inside a streamed list belong to the list") {
  WatcherFixture test;
  test.client.on_watch(stream(test.clock, {added("a", "7"), added("b", "3"), modified("a", "8"),
                                           deleted("b", "9"), list_ended("9")}));
  test.run();
  CHECK(test.events == Lines{"init", "listed a", "listed b", "listed a", "delete b", "done 9"});
}

TEST_CASE("A server that does not stream lists is asked for pages, ever after") {
  WatcherFixture test;
  test.client.on_watch(refuse(kNoStreamedLists));
  test.client.on_list(page({object("a", "1")}, "4", "next"));
  test.client.on_list(page({object("b", "2")}, "4"));
  test.client.on_watch(stream(test.clock, {added("c", "5")}, expired()));
  test.client.on_list(page({}, "20"));
  test.run();
  CHECK(test.events ==
        Lines{"init", "init", "listed a", "listed b", "done 4", "apply c", "init", "done 20"});
  CHECK(test.client.asked() ==
        Lines{"watch rv= initial=yes", "list rv= continue=", "list rv= continue=next",
              "watch rv=4 initial=no", "list rv= continue=", "watch rv=20 initial=no"});
}

TEST_CASE("A streamed list that ends without its bookmark falls back to pages") {
  for (const bool silent : {false, true}) {
    WatcherFixture test;
    test.client.on_watch(
        stream(test.clock, {added("a", "1")},
               silent ? Status(Error(ErrorCode::kTimeout, "the stream was silent")) : Status()));
    test.client.on_list(page({object("a", "1")}, "4"));
    test.run();
    CHECK(test.events == Lines{"init", "listed a", "init", "listed a", "done 4"});
    CHECK(test.client.asked().at(1) == "list rv= continue=");
  }
}

TEST_CASE("Bookmarks alone do not keep a list from ending") {
  WatcherFixture test;
  test.client.on_watch([&](const kube::WatchOptions&, const WatchSink& sink) -> Status {
    for (int i = 0; i < 100; ++i) {
      test.clock.advance(minutes(1));
      CW_TRY_VOID(sink(bookmark("5")));
    }
    return {};
  });
  test.client.on_list(page({}, "4"));
  test.run();
  CHECK(test.events == Lines{"init", "init", "done 4"});
}

TEST_CASE("A streamed list that is cut is tried again, not given up") {
  WatcherFixture test;
  test.client.on_watch(stream(test.clock, {added("a", "1")}, unavailable()));
  test.client.on_watch(stream(test.clock, {added("a", "1"), list_ended("2")}));
  test.run(1);
  CHECK(test.events == Lines{"init", "listed a", "init", "listed a", "done 2"});
  CHECK(test.client.asked() ==
        Lines{"watch rv= initial=yes", "watch rv= initial=yes", "watch rv=2 initial=no"});
}

TEST_CASE("A cut watch goes on from where it was, after a pause") {
  WatcherFixture test;
  test.client.on_watch(stream(test.clock, {list_ended("2"), added("a", "5")}, unavailable()));
  test.client.on_watch(refuse(unavailable()));
  test.client.on_watch(stream(test.clock, {modified("a", "6")}));
  test.run(2);
  CHECK(test.events == Lines{"init", "done 2", "apply a", "apply a"});
  CHECK(test.client.asked() == Lines{"watch rv= initial=yes", "watch rv=5 initial=no",
                                     "watch rv=5 initial=no", "watch rv=6 initial=no"});
}

TEST_CASE("A 410, as a status or inside the stream, leads to a new list at once") {
  for (const bool in_stream : {false, true}) {
    WatcherFixture test;
    test.client.on_watch(stream(test.clock, {list_ended("2")}));
    test.client.on_watch(in_stream ? stream(test.clock, {added("a", "5")}, expired())
                                   : refuse(expired()));
    test.client.on_watch(stream(test.clock, {added("b", "1"), list_ended("50")}));
    test.run();
    CHECK(test.client.asked() == Lines{"watch rv= initial=yes", "watch rv=2 initial=no",
                                       "watch rv= initial=yes", "watch rv=50 initial=no"});
    CHECK(test.events.back() == "done 50");
  }
}

TEST_CASE("Lists that expire as soon as they are there are slowed down") {
  WatcherFixture test;
  for (int i = 0; i < 3; ++i) {
    test.client.on_watch(stream(test.clock, {list_ended("2")}));
    test.client.on_watch(refuse(expired()));
  }
  test.start();
  test.client.await_end();
  const size_t unhindered = test.client.asked().size();
  test.finish();
  CHECK(unhindered == 7);

  WatcherFixture failing;
  for (int i = 0; i < 4; ++i) {
    failing.client.on_watch(
        stream(failing.clock, {added("a", "1"), list_ended("2")}, expired(), base::Duration{}));
  }
  failing.run(3);
  CHECK(failing.client.asked().size() == 5);
}

TEST_CASE("An expired page token starts the list over") {
  WatcherFixture test;
  test.client.on_watch(refuse(kNoStreamedLists));
  test.client.on_list(page({object("a", "1")}, "4", "next"));
  test.client.on_list([](const kube::ListOptions&) -> Result<ListPage> { return expired(); });
  test.client.on_list(page({object("b", "1")}, "8"));
  test.run(1);
  CHECK(test.events == Lines{"init", "init", "listed a", "init", "listed b", "done 8"});
}

TEST_CASE("A dead watch is replaced without a pause") {
  WatcherFixture test;
  test.client.on_watch(stream(test.clock, {list_ended("2")},
                              Error(ErrorCode::kTimeout, "the stream was silent"), minutes(3)));
  test.run();
  CHECK(test.client.asked() == Lines{"watch rv= initial=yes", "watch rv=2 initial=no"});
}

TEST_CASE(
    "A watch that was accepted and stays silent may wait in vain: everything is listed anew") {
  WatcherFixture test;
  test.client.on_watch(stream(test.clock, {list_ended("90")}, unavailable(), minutes(3)));
  test.client.on_watch([&test](const kube::WatchOptions& options, const WatchSink&) -> Status {
    options.on_accepted();
    test.clock.advance(minutes(3));
    return Error(ErrorCode::kTimeout, "the stream was silent");
  });
  test.run(1);
  CHECK(test.client.asked() ==
        Lines{"watch rv= initial=yes", "watch rv=90 initial=no", "watch rv= initial=yes"});
}

TEST_CASE("Watches ask for 5 to 10 minutes and for life signs") {
  WatcherFixture test;
  std::vector<kube::WatchOptions> asked;
  for (int i = 0; i < 30; ++i) {
    test.client.on_watch(
        [&, i](const kube::WatchOptions& options, const WatchSink& sink) -> Status {
          asked.push_back(options);
          test.clock.advance(minutes(5));
          return i == 0 ? sink(list_ended("2")) : Status();
        });
  }
  test.run();
  bool differ = false;
  for (const kube::WatchOptions& options : asked) {
    CHECK(options.timeout_s >= 300);
    CHECK(options.timeout_s <= 600);
    CHECK(options.limits.idle == seconds(150));
    differ = differ || options.timeout_s != asked[0].timeout_s;
  }
  CHECK(differ);
}

TEST_CASE("Watches that end at once are slowed down, and then the kind is listed again") {
  WatcherFixture test;
  test.client.on_watch(stream(test.clock, {list_ended("2")}));
  for (int i = 0; i < 3; ++i) {
    test.client.on_watch(stream(test.clock, {}, {}, base::Duration{}));
  }
  test.client.on_watch(stream(test.clock, {list_ended("90")}));
  test.run(3);
  CHECK(test.client.asked() == Lines{"watch rv= initial=yes", "watch rv=2 initial=no",
                                     "watch rv=2 initial=no", "watch rv=2 initial=no",
                                     "watch rv= initial=yes", "watch rv=90 initial=no"});
}

TEST_CASE("A busy server is not asked again before its Retry-After") {
  WatcherFixture test;
  test.client.on_watch(stream(test.clock, {list_ended("2")}));
  test.client.on_watch(refuse(Error(ErrorCode::kTooManyRequests, "busy")
                                  .with_http(429, "TooManyRequests")
                                  .with_retry_after(40)));
  test.client.on_watch(stream(test.clock, {}));
  test.start();
  test.clock.await_waiters(1);
  test.clock.advance(seconds(39));
  CHECK(test.client.asked().size() == 2);
  CHECK(test.watcher().last_error()->code() == ErrorCode::kTooManyRequests);
  test.clock.await_waiters(1);
  test.clock.advance(seconds(1));
  test.client.await_end();
  CHECK(test.client.asked().at(2) == "watch rv=2 initial=no");
  CHECK_FALSE(test.watcher().last_error().has_value());
}

// So it answers for a kind whose CRD was made just before.
TEST_CASE("A server that fills its cache of the kind is asked again at once, for some seconds") {
  WatcherFixture test;
  const Error filling = Error(ErrorCode::kTooManyRequests, "storage is (re)initializing")
                            .with_http(429, "TooManyRequests")
                            .with_retry_after(1);
  const int tries = 27;
  for (int i = 0; i < tries; ++i) {
    test.client.on_watch(refuse(filling));
  }
  test.client.on_watch(stream(test.clock, {list_ended("2")}));
  test.start();
  for (int i = 1; i < tries - 1; ++i) {
    test.clock.await_waiters(1);
    CHECK(test.client.asked().size() == static_cast<size_t>(i));
    CHECK_FALSE(test.watcher().last_error().has_value());
    test.clock.advance(std::chrono::milliseconds(200));
  }
  // It is not well: from now on, there are pauses and a warning each.
  test.clock.await_waiters(1);
  REQUIRE(test.watcher().last_error().has_value());
  test.clock.advance(std::chrono::milliseconds(200));
  CHECK(test.client.asked().size() == tries - 1);
  test.clock.advance(minutes(1));
  test.clock.await_waiters(1);
  test.clock.advance(minutes(1));
  test.client.await_end();
  CHECK_FALSE(test.watcher().last_error().has_value());
}

/// Returns a watcher's longest pause while ten tries in a row fail with `error`.
base::Duration longest_pause(const Error& error) {
  WatcherFixture test;
  for (int i = 0; i < 10; ++i) {
    test.client.on_watch(refuse(error));
    // Asked for if lists are not streamed.
    test.client.on_list([error](const kube::ListOptions& /*options*/) { return error; });
  }
  test.start();
  base::Duration longest{};
  test.clock.await_waiters(1);
  for (int i = 0; i < 9; ++i) {
    const base::MonotonicTime began = test.clock.monotonic();
    const size_t asked = test.client.asked().size();
    while (test.client.asked().size() == asked) {
      test.clock.advance(seconds(1));
      test.clock.await_waiters(1);  // Still in this pause, or in the one after the next try.
    }
    longest = std::max<base::Duration>(longest, test.clock.monotonic() - began);
  }
  return longest;
}

TEST_CASE(
    "A failure that a person is about to fix is tried more often than a server that is down") {
  const Error no_match = Error(ErrorCode::kNotFound, "no kind").with_http(0, "NoMatch");
  CHECK(longest_pause(no_match) <= seconds(11));
  CHECK(longest_pause(Error(ErrorCode::kForbidden, "no right")) <= seconds(11));
  CHECK(longest_pause(unavailable()) >= seconds(30));
}

TEST_CASE("Staleness counts from the last sign of life") {
  WatcherFixture test;
  test.clock.advance(seconds(3));
  CHECK(test.watcher().staleness() == seconds(3));
  test.client.on_watch(stream(test.clock, {list_ended("2"), bookmark("3")}, {}, seconds(20)));
  test.start();
  test.client.await_end();
  CHECK(test.watcher().staleness() == seconds(0));
  test.clock.advance(seconds(9));
  CHECK(test.watcher().staleness() == seconds(9));
}

TEST_CASE(
    "A refused watch is a sign of life; refused credentials and a server that is down are not") {
  const auto staleness_after = [](const Error& error) {
    WatcherFixture test;
    test.client.on_watch(refuse(error));
    test.client.on_list(
        [error](const kube::ListOptions&) -> base::Result<kube::ListPage> { return error; });
    test.clock.advance(seconds(30));
    test.start();
    test.clock.await_waiters(1);  // In the pause after the failure.
    return test.watcher().staleness();
  };
  CHECK(staleness_after(Error(ErrorCode::kNotFound, "no kind").with_http(0, "NoMatch")) ==
        seconds(0));
  CHECK(staleness_after(Error(ErrorCode::kForbidden, "no right").with_http(403, "Forbidden")) ==
        seconds(0));
  CHECK(staleness_after(Error(ErrorCode::kUnauthorized, "who?").with_http(401, "")) == seconds(30));
  CHECK(staleness_after(unavailable()) == seconds(30));
}

TEST_CASE("A watch that is accepted is a sign of life, its silence is not") {
  WatcherFixture test;
  test.client.on_watch(stream(test.clock, {list_ended("2")}, {}, seconds(20)));
  test.client.on_watch([&test](const kube::WatchOptions& options, const kube::WatchSink&) {
    test.clock.advance(seconds(30));
    options.on_accepted();
    test.clock.advance(seconds(150));
    return Error(ErrorCode::kTimeout, "the stream was silent for 2m30s");
  });
  test.start();
  test.client.await_end();
  CHECK(test.watcher().staleness() == seconds(150));
}

TEST_CASE("A watcher in a pause ends when it is stopped") {
  WatcherFixture test;
  test.client.on_watch(refuse(unavailable()));
  test.start();
  test.clock.await_waiters(1);
  test.finish();
  CHECK(test.events == Lines{"init"});
}

}  // namespace
}  // namespace chartwright::runtime
