// SPDX-License-Identifier: Apache-2.0
#include "external/call_counter.h"

#include <string>

namespace chartwright::external {
namespace {

using base::ErrorCode;

base::Counter& calls_with(base::Metrics& metrics, const std::string& result) {
  return metrics.counter(
      {"chartwright_external_calls_total",
       "Calls to servers outside the cluster; unavailable: no answer, or one that asks for time"},
      {{"result", result}});
}

}  // namespace

bool may_pass(const base::Error& error) {
  const ErrorCode code = error.code();
  return code == ErrorCode::kUnavailable || code == ErrorCode::kTimeout ||
         code == ErrorCode::kTooManyRequests;
}

CallCounter::CallCounter(base::Metrics& metrics)
    : success_(calls_with(metrics, "success")),
      refused_(calls_with(metrics, "refused")),
      unavailable_(calls_with(metrics, "unavailable")) {}

void CallCounter::count(const base::Result<Reply>& reply) {
  if (reply.ok()) {
    success_.increment();
  } else if (may_pass(reply.error())) {
    unavailable_.increment();
  } else if (reply.error().code() != ErrorCode::kCancelled) {
    refused_.increment();
  }
}

}  // namespace chartwright::external
