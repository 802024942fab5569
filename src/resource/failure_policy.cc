// SPDX-License-Identifier: Apache-2.0
#include "resource/failure_policy.h"

#include <functional>

#include "host/render_gate.h"
#include "revision/revision.h"
#include "runtime/informer.h"

namespace chartwright::op {
namespace {

// Somebody who has just granted a right watches whether it helps.
constexpr base::Duration kPersonPatience = std::chrono::seconds(10);
// Servers that others wait for answer, or time out, unseen.
constexpr base::Duration kMemoryPatience = std::chrono::seconds(10);
// One policy may refuse all custom resources of a kind: they are spread over a minute.
constexpr base::Duration kRefusalPace = std::chrono::minutes(3);
constexpr size_t kRefusalSpreadSeconds = 60;
// A reconcile may fail before it comes to the work that is due.
constexpr base::Duration kDueLeast = std::chrono::minutes(1);

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
      return {Activity::kStalled, Retry::kNever};
    // The API server refuses the object, but its reasons change unseen: a policy, a webhook, a
    // quota, a volume that may grow again.
    case ErrorCode::kInvalid:
    case ErrorCode::kImmutable:
      return {Activity::kStalled, Retry::kLater};
    // A person has to act, and there is no event when that is done: report a stall, and retry.
    case ErrorCode::kForbidden:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kOwnership:
    case ErrorCode::kNotFound:
      return {Activity::kStalled, Retry::kBackoff, kPersonPatience};
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kConflict:
    case ErrorCode::kExpired:
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal:
      return {Activity::kRetrying, Retry::kBackoff};
  }
  return {};
}

Classification classify(const Failure& failure) {
  const base::ErrorCode code = failure.error.code();
  const bool by_chart = code == base::ErrorCode::kTemplate || code == base::ErrorCode::kParse;
  if (by_chart && failure.looked_up) {
    return {Activity::kStalled, runtime::Retry::kBackoff, kPersonPatience};
  }
  // Others may need less memory, or fewer watches, then.
  if (failure.error.reason() == release::kUnreadableNow ||
      failure.error.reason() == runtime::kTooManyWatches) {
    return {Activity::kStalled, runtime::Retry::kLater};
  }
  if (failure.error.reason() == host::kNoRoom) {
    return {Activity::kRetrying, runtime::Retry::kBackoff, kMemoryPatience};
  }
  return classify(code);
}

bool is_refusal(const base::Error& error) {
  return classify(error.code()).activity == Activity::kStalled &&
         error.reason() != release::kUnreadableNow;
}

std::optional<base::MonotonicTime> retry_time(const Failure& failure, base::MonotonicTime now,
                                              std::string_view uid) {
  switch (classify(failure).retry) {
    case runtime::Retry::kNever:
      return std::nullopt;
    case runtime::Retry::kLater:
      return now + kRefusalPace +
             std::chrono::seconds(std::hash<std::string_view>()(uid) % kRefusalSpreadSeconds);
    case runtime::Retry::kBackoff:
      break;
  }
  return now;
}

runtime::Outcome outcome_of(const Failure& failure, base::MonotonicTime now,
                            std::optional<base::Duration> due) {
  const Classification class_of = classify(failure);
  base::Duration later = failure.retry_at.value_or(now) - now;
  if (due) {
    const base::Duration bounded = std::max(*due, kDueLeast);
    later = class_of.retry == runtime::Retry::kLater ? std::min(later, bounded) : bounded;
  }
  return runtime::Failed{failure.error, class_of.retry, class_of.at_most, later};
}

}  // namespace chartwright::op
