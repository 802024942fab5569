// SPDX-License-Identifier: Apache-2.0
#include "runtime/api_server.h"

#include <catch2/catch.hpp>

namespace chartwright::runtime {

TEST_CASE("An API server needs an address that it can listen on") {
  ApiServerOptions options;
  options.address = "nowhere";
  const auto handler = [](const ApiRequest&) { return ApiReply(); };
  CHECK(ApiServer::start(options, handler).error().code() == base::ErrorCode::kInvalidArgument);
  options.address = "127.0.0.1:0";
  const auto server = ApiServer::start(options, handler);
  REQUIRE(server.ok());
  options.address = "127.0.0.1:" + std::to_string((*server)->port());
  CHECK((*server)->identify({"no certificate", "no key"}, "").error().code() ==
        base::ErrorCode::kInvalidArgument);
  (*server)->drain(std::chrono::seconds(1));
}

TEST_CASE("A header is found by its lower-case name") {
  ApiRequest request;
  request.headers = {{"accept", "a"}, {"accept", "b"}};
  CHECK(request.header("accept") == "a");
  CHECK(request.header("x").empty());
}

}  // namespace chartwright::runtime
