// SPDX-License-Identifier: Apache-2.0
#include "operator/failure.h"

#include <utility>

namespace chartwright::op {
namespace {

// Somebody who has just granted a right watches whether it helps.
constexpr base::Duration kPersonPatience = std::chrono::seconds(10);

}  // namespace

Classification classify(base::ErrorCode code) {
  using base::ErrorCode;
  using runtime::Retry;
  switch (code) {
    // The same inputs fail the same way, until the spec or the chart changes.
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kParse:
    case ErrorCode::kTemplate:
    case ErrorCode::kSchema:
    case ErrorCode::kBudget:
    case ErrorCode::kInvalid:
    case ErrorCode::kImmutable:
      return {Progress::kStalled, Retry::kNever};
    // A person has to act, and there is no event when that is done: report a stall, and retry.
    case ErrorCode::kForbidden:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kOwnership:
    case ErrorCode::kNotFound:
      return {Progress::kStalled, Retry::kBackoff, kPersonPatience};
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kConflict:
    case ErrorCode::kExpired:
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal:
      return {Progress::kRetrying, Retry::kBackoff};
  }
  return {};
}

runtime::Failed failed_with(base::Error error) {
  const Classification class_of = classify(error.code());
  return {std::move(error), class_of.retry, class_of.at_most};
}

}  // namespace chartwright::op
