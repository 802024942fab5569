// SPDX-License-Identifier: Apache-2.0
#include "runtime/backoff.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace chartwright::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const kube::ObjectRef kOne{{"x.io", "v1", "X"}, "n", "one"};
const kube::ObjectRef kTwo{{"x.io", "v1", "X"}, "n", "two"};

/// Whether a delay is `whole`, less up to a quarter.
bool is_about(base::Duration delay, base::Duration whole) {
  return delay <= whole && delay >= whole - whole / 4;
}

// The sequence of client-go's ItemExponentialFailureRateLimiter(5ms, 1000s).
TEST_CASE("A key's delay doubles with each failure up to the limit") {
  KeyBackoff backoff;
  CHECK(is_about(backoff.next(kOne), milliseconds(5)));
  CHECK(is_about(backoff.next(kOne), milliseconds(10)));
  CHECK(is_about(backoff.next(kOne), milliseconds(20)));
  CHECK(backoff.failures(kOne) == 3);
  base::Duration last{};
  for (int i = 0; i < 100; ++i) {
    last = backoff.next(kOne);
  }
  CHECK(is_about(last, seconds(1000)));
}

TEST_CASE("Keys back off on their own") {
  KeyBackoff backoff;
  CHECK(is_about(backoff.next(kOne), milliseconds(5)));
  CHECK(is_about(backoff.next(kOne), milliseconds(10)));
  CHECK(is_about(backoff.next(kTwo), milliseconds(5)));
}

TEST_CASE("Keys that have failed together are not tried again together") {
  KeyBackoff backoff({seconds(8), seconds(1000)}, 7);
  constexpr size_t kKeys = 100;
  std::set<base::Duration> delays;
  for (size_t i = 0; i < kKeys; ++i) {
    delays.insert(backoff.next({kOne.gvk, "ns", std::to_string(i)}));
  }
  CHECK(delays.size() == kKeys);
  CHECK(*delays.rbegin() - *delays.begin() > seconds(1));
}

TEST_CASE("A shorter delay on request does not make many failing keys many tries") {
  KeyBackoff backoff;
  for (int i = 0; i < 20; ++i) {
    backoff.next(kOne, seconds(10));
  }
  CHECK(is_about(backoff.next(kOne, seconds(10)), seconds(10)));
  CHECK(is_about(backoff.next(kOne), seconds(20)));  // However often it has failed.
  for (int i = 0; i < 299; ++i) {
    backoff.next({kOne.gvk, "ns", "other" + std::to_string(i)});
  }
  CHECK(is_about(backoff.next(kOne, seconds(10)), 300 * KeyBackoff::kShare));
  CHECK(is_about(backoff.next(kTwo, seconds(10)), milliseconds(5)));
}

TEST_CASE("A forgotten key starts again") {
  KeyBackoff backoff;
  CHECK(is_about(backoff.next(kOne), milliseconds(5)));
  CHECK(is_about(backoff.next(kOne), milliseconds(10)));
  backoff.forget(kOne);
  CHECK(backoff.failures(kOne) == 0);
  CHECK(is_about(backoff.next(kOne), milliseconds(5)));
  backoff.forget(kTwo);
}

TEST_CASE("A stream's pause grows with jitter and stays bounded") {
  StreamBackoff backoff({milliseconds(800), seconds(30), minutes(2)}, 7);
  base::MonotonicTime now{};
  base::Duration step = milliseconds(800);
  for (int i = 0; i < 20; ++i) {
    const base::Duration pause = backoff.next(now);
    CHECK(pause >= step);
    CHECK(pause <= 2 * step);
    step = std::min<base::Duration>(step * 2, seconds(30));
    now += seconds(10);
  }
}

TEST_CASE("A stream that was well for two minutes starts again") {
  StreamBackoff backoff({milliseconds(800), seconds(30), minutes(2)}, 7);
  base::MonotonicTime now{};
  for (int i = 0; i < 10; ++i) {
    backoff.next(now);
  }
  CHECK(backoff.next(now + minutes(2) - seconds(1)) >= seconds(30));
  CHECK(backoff.next(now + minutes(5)) <= 2 * milliseconds(800));
}

TEST_CASE("Two streams do not come back in step") {
  StreamBackoff a({}, 1);
  StreamBackoff b({}, 2);
  CHECK(a.next({}) != b.next({}));
}

}  // namespace
}  // namespace chartwright::runtime
