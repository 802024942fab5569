// SPDX-License-Identifier: Apache-2.0
#include "operator/failure.h"

namespace chartwright::op {

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
      return {Progress::kStalled, Retry::kBackoff};
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

}  // namespace chartwright::op
