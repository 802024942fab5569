// SPDX-License-Identifier: Apache-2.0
#include "runtime/fence.h"

#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"
#include "test/fakeapi/fake_transport.h"

namespace chartwright::runtime {
namespace {

using kube::Method;
using std::chrono::seconds;

/// A fenced transport that answers 200.
struct FenceFixture {
  bool is_sent(Method method) {
    kube::Request request;
    request.method = method;
    const auto reply = fenced.perform(request, {});
    if (!reply.ok()) {
      CHECK(reply.error().code() == base::ErrorCode::kCancelled);
      CHECK(reply.error().reason() == kube::kNotSent);
    }
    return reply.ok();
  }
  base::ManualClock clock;
  Fence fence;
  fakeapi::FakeTransport transport{[](const kube::Request& /*request*/) {
    return base::Result<kube::Response>(kube::Response{200, 0, ""});
  }};
  FencedTransport fenced{transport, fence, clock};
};

constexpr Method kWrites[] = {Method::kPost, Method::kPut, Method::kPatch, Method::kDelete};

TEST_CASE("Without an end everything is sent, with all its time") {
  FenceFixture test;
  for (const Method method : kWrites) {
    CHECK(test.is_sent(method));
  }
  CHECK(test.is_sent(Method::kGet));
  CHECK(test.transport.last_timeout == seconds(30));
}

TEST_CASE("A write has the time that is left") {
  FenceFixture test;
  test.fence.set_end(test.clock.monotonic() + seconds(10));
  test.clock.advance(seconds(7));
  CHECK(test.is_sent(Method::kPatch));
  CHECK(test.transport.last_timeout == seconds(3));
  kube::Request request;
  request.method = Method::kPatch;
  REQUIRE(
      test.fenced.perform(request, {.stop = {}, .timeout = seconds(30), .spent = seconds(5)}).ok());
  CHECK(test.transport.last_timeout - test.transport.last_spent == seconds(3));
  REQUIRE(test.fenced.perform(request, {.stop = {}, .timeout = seconds(1)}).ok());
  CHECK(test.transport.last_timeout == seconds(1));
}

TEST_CASE("After the end nothing is written") {
  FenceFixture test;
  test.fence.set_end(test.clock.monotonic() + seconds(10));
  test.clock.advance(seconds(10));
  for (const Method method : kWrites) {
    CHECK_FALSE(test.is_sent(method));
  }
  CHECK(test.is_sent(Method::kGet));
  CHECK(test.transport.requests().size() == 1);
}

TEST_CASE("A call that begins before the end is bounded by it, and one after it is refused") {
  base::ManualClock clock;
  Fence fence;
  const kube::Call call{.stop = {}, .timeout = seconds(30)};
  CHECK(CW_MUST(fence.bounded(call, clock)).timeout == seconds(30));
  fence.set_end(clock.monotonic() + seconds(10));
  clock.advance(seconds(4));
  CHECK(CW_MUST(fence.bounded(call, clock)).timeout == seconds(6));
  clock.advance(seconds(6));
  CHECK(fence.bounded(call, clock).error().reason() == kube::kNotSent);
}

TEST_CASE("A stream is not a write") {
  FenceFixture test;
  test.fence.set_end(test.clock.monotonic());
  const auto ended =
      test.fenced.stream({}, {}, {}, [](std::string_view) { return base::Status(); });
  CHECK(ended.ok());
}

}  // namespace
}  // namespace chartwright::runtime
