// SPDX-License-Identifier: Apache-2.0
#include "apiserver/api.h"

#include <catch2/catch.hpp>

#include "test/apiserver/served_paints.h"

namespace chartwright::apiserver {
namespace {

using runtime::HttpReply;
using value::Value;

constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
constexpr const char* kMetadata =
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";
const std::string kInitial =
    "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

/// Returns the first line of a watch's reply.
Value first_event(HttpReply reply) {
  const std::string text = reply.stream == nullptr ? reply.body : reply.stream->next().value_or("");
  return CW_MUST(value::parse_json(text.substr(0, text.find('\n')), value::Numbers::kInt64));
}

/// Returns "HTTP STATUS: TYPE CODE REASON" of a watch that ends at once.
std::string end_of(HttpReply reply) {
  const std::string line = "HTTP " + std::to_string(reply.status);
  const bool ends = reply.stream == nullptr;
  const Value event = first_event(std::move(reply));
  if (event.string_at({"kind"}) == "Status") {
    return line + ": Status " + std::string(event.string_at({"reason"}));
  }
  const Value& status = *event.find("object");
  CHECK(ends);
  CHECK(status.string_at({"kind"}) == "Status");
  CHECK(status.string_at({"status"}) == "Failure");
  return line + ": " + std::string(event.string_at({"type"})) + " " +
         std::to_string(status.find("code")->as_int()) + " " +
         std::string(status.string_at({"reason"}));
}

}  // namespace

// The expected replies are those of kube-apiserver: k8s.io/apiserver pkg/storage/cacher
// Cacher.Watch, pkg/endpoints/handlers ListResource.
TEST_CASE("A watch from a version that is too old is answered with an event") {
  ServedPaints paints;
  paints.sync();
  for (const char* accept : {"", kTable, kMetadata}) {
    CAPTURE(accept);
    const std::string old = std::string(ServedPaints::kPath) + "?watch=1&resourceVersion=2";
    CHECK(end_of(paints.ask("GET", old, accept)) == "HTTP 200: ERROR 410 Expired");
    const std::string all = "/apis/paint.example.com/v1/paints?watch=true&resourceVersion=19";
    CHECK(end_of(paints.ask("GET", all, accept)) == "HTTP 200: ERROR 410 Expired");
  }
  const std::string now = std::string(ServedPaints::kPath) + "?watch=1&resourceVersion=20";
  CHECK(paints.ask("GET", now).stream != nullptr);
}

TEST_CASE("A watch that cannot list what it begins with is answered with an event") {
  ServedPaints paints;
  paints.sync();
  const std::string path = std::string(ServedPaints::kPath) + "?" + kInitial;
  CHECK(first_event(paints.ask("GET", path + "&resourceVersion=2")).string_at({"type"}) == "ADDED");
  // One that wants more than there is does not get less.
  CHECK(end_of(paints.ask("GET", path + "&resourceVersion=21", kTable)) ==
        "HTTP 200: ERROR 504 Timeout");
  paints.source.failure =
      base::Error(base::ErrorCode::kNotFound, "gone").with_http(404, "NotFound");
  CHECK(end_of(paints.ask("GET", path, kMetadata)) == "HTTP 200: ERROR 503 ServiceUnavailable");
  paints.source.failure = base::Error(base::ErrorCode::kBudget, "much memory");
  CHECK(end_of(paints.ask("GET", path)) == "HTTP 200: ERROR 500 InternalError");
}

TEST_CASE("A watch that is wrong, or comes too early, is answered with a status") {
  ServedPaints paints;
  const std::string path = std::string(ServedPaints::kPath) + "?watch=1";
  CHECK(end_of(paints.ask("GET", path + "&resourceVersion=2")) ==
        "HTTP 503: Status ServiceUnavailable");
  paints.sync();
  CHECK(end_of(paints.ask("GET", path + "&resourceVersion=old")) == "HTTP 400: Status BadRequest");
  CHECK(end_of(paints.ask("GET", path + "&sendInitialEvents=true")) == "HTTP 422: Status Invalid");
  CHECK(end_of(paints.ask("GET", path + "&resourceVersion=2",
                          "application/vnd.kubernetes.protobuf")) ==
        "HTTP 406: Status NotAcceptable");
  const std::string list = std::string(ServedPaints::kPath) + "?resourceVersion=2";
  CHECK(paints.ask("GET", list).status == 200);
}

TEST_CASE("A refusal names the object, also where the request does not") {
  ServedPaints paints;
  paints.sync();
  const auto refused = [&](const std::string& method, const std::string& path,
                           const std::string& metadata) {
    const HttpReply reply =
        paints.ask(method, path, "",
                   R"({"apiVersion":"paint.example.com/v1","kind":"Paint","metadata":{)" +
                       metadata + R"(},"spec":{"colour":5}})");
    CHECK(reply.status == 422);
    const Value status = CW_MUST(value::parse_json(reply.body, value::Numbers::kInt64));
    const std::string name(status.string_at({"details", "name"}));
    CHECK(status.string_at({"details", "kind"}) == "Paint");
    CHECK(status.string_at({"message"}) ==
          "Paint.paint.example.com \"" + name +
              "\" is invalid: spec.colour: got number, want string");
    return name;
  };
  CHECK(refused("POST", ServedPaints::kPath, R"("name":"sea")") == "sea");
  const std::string made = refused("POST", ServedPaints::kPath, R"("generateName":"sea-")");
  CHECK(made.starts_with("sea-"));
  CHECK(made.size() == 9);
}

TEST_CASE("A view without a source costs no other view its readiness, and blocks no deletion") {
  ServedPaints paints;
  CHECK(paints.ask("GET", "/readyz").status == 503);
  REQUIRE(paints.served.start().ok());
  paints.clock.await_waiters(1);
  CHECK(paints.ask("GET", "/readyz").status == 200);
  for (const char* method : {"GET", "POST", "DELETE"}) {
    const HttpReply reply = paints.ask(method, ServedPaints::kPath, "", "{}");
    CHECK(reply.status == 503);
    CHECK(reply.body.find("the API server does not serve v1, kind ConfigMap") != std::string::npos);
  }
  const std::string resources = "/apis/paint.example.com/v1";
  CHECK(paints.ask("GET", resources)
            .body.find(R"("verbs":["get","list","watch","create","update","patch"])") !=
        std::string::npos);
  paints.kinds.add({"", "v1", "ConfigMap"});
  paints.clock.advance(std::chrono::seconds(10));
  paints.source.await_watch();
  CHECK(paints.ask("GET", ServedPaints::kPath).status == 200);
  CHECK(paints.ask("GET", resources).body.find("deletecollection") != std::string::npos);
  paints.served.stop();
}

}  // namespace chartwright::apiserver
