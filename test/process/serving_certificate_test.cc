// SPDX-License-Identifier: Apache-2.0
#include "process/serving_certificate.h"

#include <catch2/catch.hpp>

#include "kube/http_transport.h"
#include "runtime/http_routes.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::process {
namespace {

using base::ErrorCode;
using runtime::HttpRequest;
using runtime::HttpServer;
using runtime::TlsIdentity;

constexpr size_t kLargeBytes = size_t{1} << 20;

/// The reply that a client gets which trusts only `authority`.
base::Result<kube::Response> get(uint16_t port, const std::string& authority,
                                 const std::string& target = "/metrics") {
  base::SystemClock clock;
  kube::Config config;
  config.server = "https://localhost:" + std::to_string(port);
  config.ca.data = authority;
  const auto transport = CW_MUST(kube::make_transport(config, clock, {}));
  kube::Request request;
  request.target = target;
  return transport->perform(request, {});
}

std::unique_ptr<HttpServer> serve(const TlsIdentity& identity) {
  return CW_MUST(runtime::serve_routes(
      "127.0.0.1:0",
      {{"/metrics",
        [](const HttpRequest& request) {
          return runtime::text_reply(200, request.method + " " + request.target);
        }},
       {"/large",
        [](const HttpRequest&) {
          return runtime::text_reply(200, std::string(kLargeBytes, 'x'));
        }}},
      identity));
}

TEST_CASE("Without files the server signs its own certificate") {
  const base::SystemClock clock;
  const bundle::testing::Folder none({});
  const TlsIdentity identity = CW_MUST(serving_identity(none.path(), clock));
  CHECK(end_of(identity) > clock.wall().time_since_epoch() / std::chrono::seconds(1));
  CHECK(end_of({"no certificate", ""}) == 0);
  const auto server = serve(identity);
  const auto answer = get(server->port(), identity.certificate);
  INFO((answer.ok() ? "" : answer.error().to_string()));
  REQUIRE(answer.ok());
  CHECK(answer->status == 200);
  CHECK(answer->body == "GET /metrics");
  // Another certificate is not trusted.
  const TlsIdentity other = CW_MUST(serving_identity(none.path(), clock));
  CHECK(other.certificate != identity.certificate);
  CHECK(other.key != identity.key);
  const auto refused = get(server->port(), other.certificate);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code() == ErrorCode::kUnavailable);
}

TEST_CASE("A large reply arrives whole over TLS") {
  const base::SystemClock clock;
  const bundle::testing::Folder none({});
  const TlsIdentity identity = CW_MUST(serving_identity(none.path(), clock));
  const auto server = serve(identity);
  const auto answer = CW_MUST(get(server->port(), identity.certificate, "/large"));
  CHECK(answer.status == 200);
  CHECK(answer.body.size() == kLargeBytes);
}

TEST_CASE("Files are used if both exist") {
  const base::SystemClock clock;
  const bundle::testing::Folder folder({});
  const TlsIdentity identity = CW_MUST(serving_identity(folder.path(), clock));
  folder.write("tls.crt", identity.certificate);
  CHECK(CW_MUST(serving_identity(folder.path(), clock)).certificate != identity.certificate);
  folder.write("tls.key", identity.key);
  const TlsIdentity read = CW_MUST(serving_identity(folder.path(), clock));
  CHECK(read.certificate == identity.certificate);
  CHECK(read.key == identity.key);
}

TEST_CASE("Files that cannot be used end the start, and are not quoted") {
  const base::SystemClock clock;
  const bundle::testing::Folder none({});
  const TlsIdentity one = CW_MUST(serving_identity(none.path(), clock));
  const TlsIdentity other = CW_MUST(serving_identity(none.path(), clock));
  const auto refused = [](const TlsIdentity& identity) {
    const auto server = runtime::serve_routes("127.0.0.1:0", {}, identity);
    REQUIRE_FALSE(server.ok());
    CHECK(server.error().code() == ErrorCode::kInvalidArgument);
    return server.error().message();
  };
  CHECK(refused({"no certificate", one.key}) ==
        "listen on 127.0.0.1:0: the certificate cannot be used");
  const std::string wrong_key =
      "listen on 127.0.0.1:0: the private key cannot be used, or is not the certificate's";
  CHECK(refused({one.certificate, "no key"}) == wrong_key);
  CHECK(refused({one.certificate, other.key}) == wrong_key);
}

}  // namespace
}  // namespace chartwright::process
