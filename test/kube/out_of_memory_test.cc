// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "kube/transport.h"
#include "test/fakeapi/fake_server.h"

namespace {

thread_local size_t block_bytes_max = SIZE_MAX;

}  // namespace

// Not inlined: the compiler would see malloc and free where it expects new and delete.
[[gnu::noinline]] void* operator new(size_t size) {
  if (void* const memory = size <= block_bytes_max ? std::malloc(size) : nullptr) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}

namespace chartwright::kube {

TEST_CASE("a response that finds no memory fails its call") {
  fakeapi::FakeServer fake([](const fakeapi::SeenRequest&, fakeapi::Reply& reply) {
    reply.send(200, std::string(size_t{4} << 20, 'x'));
  });
  Config config;
  config.server = fake.url();
  base::SystemClock clock;
  const auto transport = CW_MUST(make_transport(config, clock, {}));
  Request request;
  request.target = "/x";
  block_bytes_max = size_t{1} << 20;
  const auto response = transport->perform(request, {{}, std::chrono::seconds(30)});
  block_bytes_max = SIZE_MAX;
  REQUIRE_FALSE(response.ok());
  CHECK(response.error().code() == base::ErrorCode::kUnavailable);
  CHECK(transport->perform(request, {{}, std::chrono::seconds(30)}).ok());
}

}  // namespace chartwright::kube
