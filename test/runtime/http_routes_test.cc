// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_routes.h"

#include <catch2/catch.hpp>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "test/runtime/raw_client.h"

namespace chartwright::runtime {
namespace {

using testing::ask;
using testing::RawClient;

std::unique_ptr<HttpServer> start_probes() {
  return CW_MUST(serve_routes(
      "127.0.0.1:0", {{"/healthz", [](const HttpRequest&) { return text_reply(200, "ok"); }},
                      {"/readyz", [](const HttpRequest&) { return text_reply(503, "not yet"); }}}));
}

TEST_CASE("Routes answer with their status and body") {
  const auto server = start_probes();
  const std::string ok =
      ask(server->port(), "GET /healthz?verbose HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  CHECK(ok.starts_with("HTTP/1.1 200 "));
  CHECK(ok.ends_with("\r\n\r\nok"));
  const std::string busy =
      ask(server->port(), "GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  CHECK(busy.starts_with("HTTP/1.1 503 "));
  CHECK(busy.ends_with("not yet"));
}

TEST_CASE("HEAD has no body, unknown paths and methods are refused") {
  const auto server = start_probes();
  const auto status = [&](std::string_view line) {
    return ask(server->port(),
               std::string(line) + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  };
  CHECK(status("HEAD /healthz").ends_with("\r\n\r\n"));
  CHECK(status("GET /").starts_with("HTTP/1.1 404 "));
  CHECK(status("GET /").ends_with("\r\n\r\n404 page not found\n"));
  CHECK(status("GET /healthz/x").starts_with("HTTP/1.1 404 "));
  CHECK(status("DELETE /healthz").starts_with("HTTP/1.1 405 "));
  CHECK(status("DELETE /nowhere").ends_with("\r\n\r\nmethod not allowed\n"));
}

TEST_CASE("A route that throws is answered with 500, and the server goes on") {
  const auto server = CW_MUST(serve_routes(
      "127.0.0.1:0",
      {{"/metrics", [](const HttpRequest&) -> HttpReply { throw std::bad_alloc(); }}}));
  for (int i = 0; i < 2; ++i) {
    CHECK(ask(server->port(), "GET /metrics HTTP/1.0\r\n\r\n").find(" 500 ") != std::string::npos);
  }
}

TEST_CASE("A probe is answered, however many connections are held") {
  const auto server = start_probes();
  std::vector<std::unique_ptr<RawClient>> held;
  for (int i = 0; i < 200; ++i) {
    held.push_back(std::make_unique<RawClient>(server->port()));
    if (i % 3 == 1) {
      held.back()->send("GET /healthz HTTP/1.1\r\nHos");
    } else if (i % 3 == 2) {
      held.back()->send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    const std::string ok =
        ask(server->port(), "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    REQUIRE(ok.starts_with("HTTP/1.1 200 "));
    held.erase(held.begin(), held.size() > 100 ? held.begin() + 1 : held.begin());
  }
}

TEST_CASE("A client that holds many connections is told to connect again") {
  const auto server = start_probes();
  std::vector<std::unique_ptr<RawClient>> held;
  std::string last;
  for (int i = 0; i < 8; ++i) {
    held.push_back(std::make_unique<RawClient>(server->port()));
    held.back()->send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    last = held.back()->read_until("\r\n\r\nok");
    CHECK((last.find("Connection: close") == std::string::npos) == (i < 4));
    if (i >= 4) {
      held.pop_back();
      held.push_back(std::make_unique<RawClient>(server->port()));
    }
  }
}

}  // namespace
}  // namespace chartwright::runtime
