// SPDX-License-Identifier: Apache-2.0
#include "operator/failure.h"

#include <catch2/catch.hpp>

namespace chartwright::op {
namespace {

using base::ErrorCode;
using runtime::Retry;

void check(ErrorCode code, Progress progress, Retry retry) {
  INFO(base::to_string(code));
  CHECK(classify(code).progress == progress);
  CHECK(classify(code).retry == retry);
}

TEST_CASE("An error that the same inputs would meet again waits for other inputs") {
  for (const ErrorCode code :
       {ErrorCode::kInvalidArgument, ErrorCode::kParse, ErrorCode::kTemplate, ErrorCode::kSchema,
        ErrorCode::kBudget, ErrorCode::kInvalid, ErrorCode::kImmutable}) {
    check(code, Progress::kStalled, Retry::kNever);
  }
}

TEST_CASE("An error that a person must settle is reported as stalled and retried") {
  for (const ErrorCode code : {ErrorCode::kForbidden, ErrorCode::kUnauthorized,
                               ErrorCode::kOwnership, ErrorCode::kNotFound}) {
    check(code, Progress::kStalled, Retry::kBackoff);
    CHECK(failed_with({code, "x"}).at_most == std::chrono::seconds(10));
  }
}

TEST_CASE("A temporary error is retried") {
  for (const ErrorCode code : {ErrorCode::kAlreadyExists, ErrorCode::kConflict, ErrorCode::kExpired,
                               ErrorCode::kTooManyRequests, ErrorCode::kUnavailable,
                               ErrorCode::kTimeout, ErrorCode::kCancelled, ErrorCode::kInternal}) {
    check(code, Progress::kRetrying, Retry::kBackoff);
    CHECK(failed_with({code, "x"}).at_most == base::Duration::max());
  }
}

}  // namespace
}  // namespace chartwright::op
