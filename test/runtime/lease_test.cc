// SPDX-License-Identifier: Apache-2.0
#include "runtime/lease.h"

#include <catch2/catch.hpp>
#include <optional>

#include "base/thread.h"
#include "test/base/manual_clock.h"
#include "test/fakeapi/refusing_client.h"

namespace chartwright::runtime {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using std::chrono::seconds;
using value::Value;

/// An API server with at most one object, a Lease.
class LeaseServer final : public fakeapi::RefusingClient {
 public:
  Result<Value> get(const kube::ObjectRef& /*ref*/, const kube::Call& call) override {
    base::MutexLock lock(mutex_);
    CW_TRY_VOID(fail(call));
    if (lease_.is_nil()) {
      return Error(ErrorCode::kNotFound, "no lease").with_http(404, "NotFound");
    }
    return lease_;
  }
  Result<Value> create(const Value& object, const kube::WriteOptions& /*options*/,
                       const kube::Call& call) override {
    base::MutexLock lock(mutex_);
    CW_TRY_VOID(fail(call));
    if (!lease_.is_nil()) {
      return Error(ErrorCode::kAlreadyExists, "there is one").with_http(409, "AlreadyExists");
    }
    return store(object);
  }
  Result<Value> update(const Value& object, const kube::WriteOptions& /*options*/,
                       const kube::Call& call) override {
    base::MutexLock lock(mutex_);
    CW_TRY_VOID(fail(call));
    if (kube::resource_version_of(object) != kube::resource_version_of(lease_)) {
      return Error(ErrorCode::kConflict, "modified").with_http(409, "Conflict");
    }
    return store(object);
  }

  void set_down(bool down) {
    base::MutexLock lock(mutex_);
    down_ = down;
  }
  /// From now on, answers nothing: on `clock`, each call takes all the time that it has.
  void set_silent(base::ManualClock& clock) {
    base::MutexLock lock(mutex_);
    silent_ = &clock;
  }
  Value lease() const {
    base::MutexLock lock(mutex_);
    return lease_;
  }
  int writes() const {
    base::MutexLock lock(mutex_);
    return version_;
  }
  /// Writes the lease as another process would, regardless of its version.
  void put(const std::string& holder, int64_t duration_s, const std::string& renewed,
           int64_t transitions = 3) {
    base::MutexLock lock(mutex_);
    store(Value::dict({{"metadata", Value::dict()},
                       {"spec", Value::dict({{"holderIdentity", Value::string(holder)},
                                             {"leaseDurationSeconds", Value::integer(duration_s)},
                                             {"leaseTransitions", Value::integer(transitions)},
                                             {"renewTime", Value::string(renewed)}})}}));
  }

 private:
  Status fail(const kube::Call& call) const CW_REQUIRES(mutex_) {
    if (silent_ != nullptr) {
      silent_->advance(call.timeout);
      return Error(ErrorCode::kTimeout, "no answer");
    }
    return down_ ? Status(Error(ErrorCode::kUnavailable, "down")) : Status();
  }
  Value store(const Value& object) CW_REQUIRES(mutex_) {
    lease_ = value::deep_copy(object);
    lease_.find("metadata")
        ->mutable_dict()
        .set("resourceVersion", Value::string(std::to_string(++version_)));
    return lease_;
  }

  mutable base::Mutex mutex_;
  Value lease_ CW_GUARDED_BY(mutex_);
  int version_ CW_GUARDED_BY(mutex_) = 0;
  bool down_ CW_GUARDED_BY(mutex_) = false;
  base::ManualClock* silent_ CW_GUARDED_BY(mutex_) = nullptr;
};

std::string_view holder(const Value& lease) { return lease.string_at({"spec", "holderIdentity"}); }

struct LeaseFixture {
  LeaderElection candidate(const std::string& identity) {
    LeaseOptions options;
    options.ns = "system";
    options.name = "chartwright";
    options.identity = identity;
    return CW_MUST(LeaderElection::make(options, server, clock, log, fence));
  }
  base::ManualClock clock;
  LeaseServer server;
  Fence fence;
  base::Logger log{{base::LogLevel::kError}, clock, [](std::string_view) {}};
  std::stop_source stop;
};

TEST_CASE("The first candidate makes the lease") {
  LeaseFixture test;
  LeaderElection one = test.candidate("one");
  REQUIRE(one.acquire(test.stop.get_token()).ok());
  const Value lease = test.server.lease();
  CHECK(holder(lease) == "one");
  CHECK(lease.find_path({"spec", "leaseDurationSeconds"})->as_int() == 15);
  CHECK(lease.find_path({"spec", "leaseTransitions"})->as_int() == 0);
  CHECK(lease.string_at({"spec", "renewTime"}) == "2026-01-02T03:04:05.000000Z");
  CHECK(kube::gvk_of(lease).to_string() == "coordination.k8s.io/v1, Kind=Lease");
}

TEST_CASE("A foreign lease is judged by our own clock, not by the times in it") {
  LeaseFixture test;
  // Its own time says an hour ago, but we have only just seen it.
  test.server.put("other", 15, "2026-01-02T02:04:05.000000Z");
  LeaderElection one = test.candidate("one");
  base::Thread acquiring("acquire", base::kDefaultStackBytes, [&] {
    CHECK(CW_MUST(one.acquire(test.stop.get_token())) == Acquired::kAfterAnother);
  });
  for (int waited = 0; waited < 14; waited += 7) {
    test.clock.await_waiters(1);
    CHECK(holder(test.server.lease()) == "other");
    test.clock.advance(seconds(7));
  }
  test.clock.await_waiters(1);
  test.clock.advance(seconds(7));
  acquiring.join();
  CHECK(holder(test.server.lease()) == "one");
  CHECK(test.server.lease().find_path({"spec", "leaseTransitions"})->as_int() == 4);
}

TEST_CASE("A lease whose numbers cannot be is taken all the same") {
  const int64_t number = GENERATE(std::numeric_limits<int64_t>::max(),
                                  std::numeric_limits<int64_t>::min(), -1, int64_t{1} << 31);
  LeaseFixture test;
  test.server.put("", number, "a", number);
  LeaderElection one = test.candidate("one");
  CHECK(one.acquire(test.stop.get_token()).ok());
  CHECK(holder(test.server.lease()) == "one");
  CHECK(test.server.lease().find_path({"spec", "leaseTransitions"})->as_int() == 1);
}

TEST_CASE("A lease that is renewed is not taken, however long one waits") {
  LeaseFixture test;
  test.server.put("other", 15, "a");
  LeaderElection one = test.candidate("one");
  std::optional<base::Result<Acquired>> acquired;
  base::Thread acquiring("acquire", base::kDefaultStackBytes,
                         [&] { acquired.emplace(one.acquire(test.stop.get_token())); });
  for (int i = 0; i < 10; ++i) {
    test.clock.await_waiters(1);
    test.server.put("other", 15, std::to_string(i));
    test.clock.advance(seconds(10));
  }
  test.clock.await_waiters(1);
  test.stop.request_stop();
  acquiring.join();
  REQUIRE_FALSE(acquired->ok());
  CHECK(acquired->error().code() == ErrorCode::kCancelled);
  CHECK(holder(test.server.lease()) == "other");
}

TEST_CASE("An abandoned lease is taken at once") {
  LeaseFixture test;
  test.server.put("", 1, "x");
  LeaderElection one = test.candidate("one");
  CHECK(CW_MUST(one.acquire(test.stop.get_token())) == Acquired::kAtOnce);
  CHECK(holder(test.server.lease()) == "one");
}

/// A candidate that holds its lease on a thread of its own.
class Holder {
 public:
  explicit Holder(LeaseFixture& test) : election_(test.candidate("one")) {
    REQUIRE(election_.acquire(test.stop.get_token()).ok());
    thread_ = base::Thread("hold", base::kDefaultStackBytes,
                           [this, &test] { result_ = election_.hold(test.stop.get_token()); });
  }
  Status join() {
    thread_.join();
    return *std::move(result_);
  }
  LeaderElection& election() { return election_; }

 private:
  LeaderElection election_;
  std::optional<Status> result_;
  base::Thread thread_;
};

TEST_CASE("A holder renews every two seconds with one write") {
  LeaseFixture test;
  Holder holding(test);
  for (int i = 0; i < 5; ++i) {
    test.clock.await_waiters(1);
    test.clock.advance(seconds(2));
  }
  test.clock.await_waiters(1);
  CHECK(test.server.writes() == 1 + 5);
  CHECK(test.server.lease().string_at({"spec", "renewTime"}) == "2026-01-02T03:04:15.000000Z");
  CHECK(test.server.lease().string_at({"spec", "acquireTime"}) == "2026-01-02T03:04:05.000000Z");
  test.stop.request_stop();
  CHECK(holding.join().ok());
}

TEST_CASE("A holder that cannot renew gives up before its lease can be taken") {
  LeaseFixture test;
  Holder holding(test);
  test.clock.await_waiters(1);
  test.server.set_down(true);
  for (int i = 0; i < 5; ++i) {
    test.clock.await_waiters(1);
    test.clock.advance(seconds(2));
  }
  const Status lost = holding.join();
  REQUIRE_FALSE(lost.ok());
  CHECK(lost.error().code() == ErrorCode::kTimeout);
}

TEST_CASE("A server that does not answer cannot prolong the hold") {
  LeaseFixture test;
  const base::MonotonicTime acquired = test.clock.monotonic();
  Holder holding(test);
  test.clock.await_waiters(1);
  CHECK(test.fence.end() == acquired + seconds(10));
  test.clock.advance(seconds(2));
  test.clock.await_waiters(1);
  CHECK(test.fence.end() == acquired + seconds(12));
  test.server.set_silent(test.clock);
  test.clock.advance(seconds(2));
  const Status lost = holding.join();
  REQUIRE_FALSE(lost.ok());
  CHECK(lost.error().code() == ErrorCode::kTimeout);
  CHECK(test.clock.monotonic() == acquired + seconds(12));
  CHECK(test.fence.end() == acquired + seconds(12));
}

TEST_CASE("A holder that was suspended for too long does not renew") {
  LeaseFixture test;
  Holder holding(test);
  test.clock.await_waiters(1);
  const base::MonotonicTime end = test.fence.end();
  test.clock.advance(seconds(20));
  const Status lost = holding.join();
  REQUIRE_FALSE(lost.ok());
  CHECK(lost.error().code() == ErrorCode::kTimeout);
  CHECK(test.server.writes() == 1);
  CHECK(test.fence.end() == end);
}

TEST_CASE("A short outage does not lose the lease") {
  LeaseFixture test;
  Holder holding(test);
  test.clock.await_waiters(1);
  test.server.set_down(true);
  for (int i = 0; i < 3; ++i) {
    test.clock.await_waiters(1);
    test.clock.advance(seconds(2));
  }
  test.clock.await_waiters(1);
  test.server.set_down(false);
  for (int i = 0; i < 4; ++i) {
    test.clock.advance(seconds(2));
    test.clock.await_waiters(1);
  }
  CHECK(holder(test.server.lease()) == "one");
  test.stop.request_stop();
  CHECK(holding.join().ok());
}

TEST_CASE("A stolen lease ends the hold") {
  LeaseFixture test;
  Holder holding(test);
  test.clock.await_waiters(1);
  test.server.put("thief", 15, "now");
  test.clock.advance(seconds(2));
  const Status lost = holding.join();
  REQUIRE_FALSE(lost.ok());
  CHECK(lost.error().code() == ErrorCode::kConflict);
  CHECK(lost.error().message() == "the lease is held by thief");
  CHECK(test.fence.end() == test.clock.monotonic());
  // A lease that is no longer ours is not released.
  CHECK(holding.election().release().ok());
  CHECK(holder(test.server.lease()) == "thief");
}

TEST_CASE("A released lease is free at once") {
  LeaseFixture test;
  LeaderElection one = test.candidate("one");
  REQUIRE(one.acquire(test.stop.get_token()).ok());
  REQUIRE(one.release().ok());
  CHECK(holder(test.server.lease()).empty());
  CHECK(test.server.lease().find_path({"spec", "leaseDurationSeconds"})->as_int() == 1);
  LeaderElection two = test.candidate("two");
  REQUIRE(two.acquire(test.stop.get_token()).ok());
  CHECK(holder(test.server.lease()) == "two");
}

TEST_CASE("Times that cannot work are refused") {
  LeaseFixture test;
  LeaseOptions good;
  good.ns = "n";
  good.name = "l";
  good.identity = "i";
  const auto refused = [&](const LeaseOptions& options) {
    const auto made = LeaderElection::make(options, test.server, test.clock, test.log, test.fence);
    return !made.ok() && made.error().code() == ErrorCode::kInvalidArgument;
  };
  CHECK_FALSE(refused(good));
  LeaseOptions odd = good;
  odd.renew_deadline = odd.lease_duration;
  CHECK(refused(odd));
  odd = good;
  odd.retry_period = seconds(9);
  CHECK(refused(odd));
  odd = good;
  odd.retry_period = seconds(0);
  CHECK(refused(odd));
  odd = good;
  odd.identity.clear();
  CHECK(refused(odd));
}

}  // namespace
}  // namespace chartwright::runtime
