// SPDX-License-Identifier: Apache-2.0
#include "external/grpc_status.h"

#include <catch2/catch.hpp>

#include "external/driver.h"

namespace chartwright::external {
namespace {

using base::ErrorCode;

TEST_CASE("A status that a client or a server gives after acting is not a refusal") {
  // CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE,
  // DATA_LOSS. Source: grpc/grpc doc/statuscodes.md.
  for (const int code : {1, 2, 4, 8, 10, 13, 14, 15}) {
    INFO("code " << code);
    CHECK_FALSE(was_refused(grpc_error(code, "")));
  }
}

TEST_CASE("A status that says why the server did nothing is a refusal") {
  // INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, FAILED_PRECONDITION,
  // OUT_OF_RANGE, UNIMPLEMENTED, UNAUTHENTICATED.
  for (const int code : {3, 5, 6, 7, 9, 11, 12, 16}) {
    INFO("code " << code);
    CHECK(was_refused(grpc_error(code, "")));
  }
}

TEST_CASE("A server whose resources are exhausted is spared") {
  CHECK(grpc_error(8, "").code() == ErrorCode::kTooManyRequests);
}

TEST_CASE("Every status has its name") {
  CHECK(grpc_error(2, "").message() == "gRPC status UNKNOWN");
  CHECK(grpc_error(10, "try again").message() == "gRPC status ABORTED: try again");
  CHECK(grpc_error(13, "").message() == "gRPC status INTERNAL");
  CHECK(grpc_error(15, "").message() == "gRPC status DATA_LOSS");
  CHECK(grpc_error(17, "").message() == "gRPC status 17");
}

}  // namespace
}  // namespace chartwright::external
