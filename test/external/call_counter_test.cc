// SPDX-License-Identifier: Apache-2.0
#include "external/call_counter.h"

#include <catch2/catch.hpp>

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;

TEST_CASE("Calls are counted by their result") {
  base::Metrics metrics;
  CallCounter counter(metrics);
  counter.count(Reply{});
  for (const ErrorCode code :
       {ErrorCode::kUnavailable, ErrorCode::kTimeout, ErrorCode::kTooManyRequests,
        ErrorCode::kInvalid, ErrorCode::kForbidden, ErrorCode::kCancelled}) {
    counter.count(Error(code, "no"));
  }
  const std::string text = metrics.expose();
  for (const char* sample :
       {"{result=\"unavailable\"} 3\n", "{result=\"refused\"} 2\n", "{result=\"success\"} 1\n"}) {
    CAPTURE(sample, text);
    CHECK(text.find("chartwright_external_calls_total" + std::string(sample)) != std::string::npos);
  }
}

}  // namespace
}  // namespace chartwright::external
