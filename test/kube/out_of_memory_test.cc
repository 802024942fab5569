// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/memory_limit.h"
#include "kube/http_transport.h"
#include "test/fakeapi/fake_server.h"

namespace chartwright::kube {

TEST_CASE("A response that finds no memory fails its call") {
  fakeapi::FakeServer fake([](const fakeapi::SeenRequest&, fakeapi::Reply& reply) {
    reply.send(200, std::string(size_t{4} << 20, 'x'));
  });
  Config config;
  config.server = fake.url();
  base::SystemClock clock;
  const auto transport = CW_MUST(make_transport(config, clock, {}));
  Request request;
  request.target = "/x";
  const auto response = [&] {
    const base::MemoryLimit limit(size_t{1} << 20);
    return transport->perform(request, {{}, std::chrono::seconds(30)});
  }();
  REQUIRE_FALSE(response.ok());
  CHECK(response.error().code() == base::ErrorCode::kUnavailable);
  CHECK(transport->perform(request, {{}, std::chrono::seconds(30)}).ok());
}

}  // namespace chartwright::kube
