// SPDX-License-Identifier: Apache-2.0
#include "kube/curl_loop.h"

#include <catch2/catch.hpp>
#include <memory>

#include "test/fakeapi/fake_server.h"

namespace chartwright::kube {
namespace {

using base::MutexLock;
using fakeapi::FakeServer;
using fakeapi::Reply;
using fakeapi::SeenRequest;

struct LoopFixture {
  explicit LoopFixture(FakeServer::Handler handler) : fake(std::move(handler)) {
    Config config;
    config.server = fake.url();
    server = CW_MUST(CurlServer::make(config, {}));
    loop = CW_MUST(CurlLoop::make(*server, "test-io"));
  }
  ExchangePtr start() {
    auto exchange = std::make_shared<Exchange>();
    exchange->request.target = "/x";
    exchange->tls = std::make_shared<const TlsMaterial>();
    loop->start(exchange);
    return exchange;
  }
  static void await(Exchange& exchange) {
    MutexLock lock(exchange.mutex);
    while (!exchange.finished) {
      exchange.changed.wait(exchange.mutex);
    }
  }

  FakeServer fake;
  std::unique_ptr<CurlServer> server;
  std::unique_ptr<CurlLoop> loop;
};

TEST_CASE("An exchange is finished once its response is whole") {
  LoopFixture test([](const SeenRequest&, Reply& reply) { reply.send(201, "made"); });
  const ExchangePtr exchange = test.start();
  LoopFixture::await(*exchange);
  MutexLock lock(exchange->mutex);
  CHECK(exchange->status == 201);
  CHECK(exchange->body == "made");
  CHECK_FALSE(exchange->failure.has_value());
}

TEST_CASE("A transfer that is abandoned is finished as cancelled, a finished one stays as it is") {
  LoopFixture test([](const SeenRequest&, Reply& reply) { reply.hold(); });
  const ExchangePtr exchange = test.start();
  test.loop->abandon(exchange);
  LoopFixture::await(*exchange);
  {
    MutexLock lock(exchange->mutex);
    REQUIRE(exchange->failure.has_value());
    CHECK(exchange->failure->code() == base::ErrorCode::kCancelled);
  }
  test.loop->abandon(exchange);
}

TEST_CASE("A loop that ends finishes everything on its way") {
  LoopFixture test([](const SeenRequest&, Reply& reply) { reply.hold(); });
  const ExchangePtr one = test.start();
  const ExchangePtr two = test.start();
  test.loop.reset();
  for (const ExchangePtr& exchange : {one, two}) {
    MutexLock lock(exchange->mutex);
    CHECK(exchange->finished);
  }
}

}  // namespace
}  // namespace chartwright::kube
