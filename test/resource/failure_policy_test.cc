// SPDX-License-Identifier: Apache-2.0
#include "resource/failure_policy.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "runtime/informer.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using runtime::Retry;

constexpr base::MonotonicTime kFailedAt{std::chrono::hours(1)};

void check(ErrorCode code, Activity activity, Retry retry) {
  INFO(base::to_string(code));
  CHECK(classify(code).activity == activity);
  CHECK(classify(code).retry == retry);
}

TEST_CASE("An error that the same inputs would meet again waits for other inputs") {
  for (const ErrorCode code : {ErrorCode::kInvalidArgument, ErrorCode::kParse, ErrorCode::kTemplate,
                               ErrorCode::kSchema, ErrorCode::kBudget}) {
    check(code, Activity::kStalled, Retry::kNever);
    CHECK(retry_time({.error = {code, "x"}}, kFailedAt, "uid") == std::nullopt);
  }
}

TEST_CASE("A refusal of the API server is tried again after minutes, not all at the same time") {
  std::set<base::MonotonicTime> times;
  for (const char* uid : {"a", "b", "c", "d", "e", "f"}) {
    const auto time = retry_time({.error = {ErrorCode::kInvalid, "x"}}, kFailedAt, uid);
    REQUIRE(time);
    CHECK(*time >= kFailedAt + std::chrono::minutes(3));
    CHECK(*time < kFailedAt + std::chrono::minutes(4));
    times.insert(*time);
  }
  CHECK(times.size() > 1);
  check(ErrorCode::kInvalid, Activity::kStalled, Retry::kLater);
  check(ErrorCode::kImmutable, Activity::kStalled, Retry::kLater);
}

TEST_CASE("Too many watches are a matter of time: others may end theirs") {
  const base::Error error =
      base::Error(ErrorCode::kBudget, "x").with_http(0, std::string(runtime::kTooManyWatches));
  const Failure failure{.error = error};
  CHECK(classify(failure).activity == Activity::kStalled);
  CHECK(classify(failure).retry == Retry::kLater);
  CHECK(retry_time(failure, kFailedAt, "uid") >= kFailedAt + std::chrono::minutes(3));
}

TEST_CASE("An error that a person must settle is reported as stalled and retried") {
  for (const ErrorCode code : {ErrorCode::kForbidden, ErrorCode::kUnauthorized,
                               ErrorCode::kOwnership, ErrorCode::kNotFound}) {
    check(code, Activity::kStalled, Retry::kBackoff);
    CHECK(classify(code).at_most == std::chrono::seconds(10));
  }
}

TEST_CASE("A chart that fails for what it looked up is retried, since that may change unseen") {
  for (const ErrorCode code : {ErrorCode::kTemplate, ErrorCode::kParse}) {
    const Classification found = classify(Failure{.error = {code, "x"}, .looked_up = true});
    CHECK(found.activity == Activity::kStalled);
    CHECK(found.retry == Retry::kBackoff);
    CHECK(found.at_most == std::chrono::seconds(10));
  }
  // The next render would take as long.
  CHECK(classify(Failure{.error = {ErrorCode::kBudget, "x"}, .looked_up = true}).retry ==
        Retry::kNever);
}

TEST_CASE("A temporary error is retried") {
  for (const ErrorCode code : {ErrorCode::kAlreadyExists, ErrorCode::kConflict, ErrorCode::kExpired,
                               ErrorCode::kTooManyRequests, ErrorCode::kUnavailable,
                               ErrorCode::kTimeout, ErrorCode::kCancelled, ErrorCode::kInternal}) {
    check(code, Activity::kRetrying, Retry::kBackoff);
    CHECK(classify(code).at_most == std::chrono::minutes(1));
    CHECK(retry_time({.error = {code, "x"}}, kFailedAt, "uid") == kFailedAt);
  }
}

}  // namespace
}  // namespace chartwright::op
