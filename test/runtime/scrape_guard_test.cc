// SPDX-License-Identifier: Apache-2.0
#include "runtime/scrape_guard.h"

#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"
#include "test/fakeapi/refusing_client.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::runtime {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;
using value::testing::json;

/// An API server that knows the tokens "good" (of Ann) and "poor" (of Bob); only Ann may read.
class Reviews final : public fakeapi::RefusingClient {
 public:
  std::vector<Value> asked;
  std::optional<Error> failure;

  base::Result<Value> create(const Value& object, const kube::WriteOptions& /*options*/,
                             const kube::Call& /*call*/) override {
    if (failure) {
      return *failure;
    }
    asked.push_back(value::deep_copy(object));
    Value answer = value::deep_copy(object);
    const bool who = object.string_at({"kind"}) == "TokenReview";
    answer.mutable_dict().set("status", who ? caller(object.string_at({"spec", "token"}))
                                            : right(object.string_at({"spec", "user"})));
    return answer;
  }

 private:
  static Value caller(std::string_view token) {
    if (token == "good") {
      return json(R"({"authenticated":true,"user":{"username":"ann","uid":"u1",
                      "groups":["g"],"extra":{"k":["v"]}}})");
    }
    return token == "poor" ? json(R"({"authenticated":true,"user":{"username":"bob"}})")
                           : json(R"({"error":"unknown token"})");
  }
  static Value right(std::string_view user) {
    return user == "ann" ? json(R"({"allowed":true})")
                         : json(R"({"allowed":false,"reason":"no rule"})");
  }
};

HttpRequest scrape(const std::string& authorization, const std::string& method = "GET") {
  HttpRequest request;
  request.method = method;
  request.target = "/metrics?name=x";
  request.headers = {{"authorization", authorization}};
  return request;
}

struct Gate {
  Reviews api;
  base::ManualClock clock;
  std::string logged;
  ScrapeGuard guard{
      api, clock, base::Logger({}, clock, [this](std::string_view line) { logged += line; }), {}};

  /// The HTTP status of a scrape with that Authorization header; 200: it is allowed.
  int ask(const std::string& authorization, const std::string& method = "GET") {
    const auto refusal = guard.refusal(scrape(authorization, method));
    return refusal ? refusal->status : 200;
  }
};

TEST_CASE("The API server decides who may read metrics") {
  Gate gate;
  CHECK(gate.ask("Bearer good") == 200);
  REQUIRE(gate.api.asked.size() == 2);
  CHECK(CW_MUST(value::to_json(gate.api.asked[0])) ==
        R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","metadata":{},)"
        R"("spec":{"token":"good"}})");
  CHECK(CW_MUST(value::to_json(gate.api.asked[1])) ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","metadata":{},)"
        R"("spec":{"extra":{"k":["v"]},"groups":["g"],)"
        R"("nonResourceAttributes":{"path":"/metrics","verb":"get"},"uid":"u1","user":"ann"}})");
  const auto refusal = gate.guard.refusal(scrape("Bearer poor"));
  REQUIRE(refusal);
  CHECK(refusal->status == 403);
  CHECK(refusal->body == "Authorization denied for user bob\n");
  CHECK(gate.ask("Bearer unknown") == 401);
}

TEST_CASE("Without a token the API server is not asked") {
  Gate gate;
  for (const std::string header : {"", "Bearer", "Bearer ", "good", "Basic Z29vZA=="}) {
    INFO(header);
    CHECK(gate.ask(header) == 401);
  }
  CHECK(gate.api.asked.empty());
  CHECK(gate.ask("bearer  good") == 200);  // The case of the scheme does not matter.
}

TEST_CASE("A verdict is cached for a while") {
  Gate gate;
  CHECK(gate.ask("Bearer good") == 200);
  CHECK(gate.ask("Bearer poor") == 403);
  CHECK(gate.ask("Bearer unknown") == 401);
  const size_t asked = gate.api.asked.size();
  gate.clock.advance(std::chrono::seconds(29));
  CHECK(gate.ask("Bearer good") == 200);
  CHECK(gate.ask("Bearer poor") == 403);
  CHECK(gate.ask("Bearer unknown") == 401);
  CHECK(gate.api.asked.size() == asked);
  gate.clock.advance(std::chrono::seconds(1));
  CHECK(gate.ask("Bearer poor") == 403);
  CHECK(gate.ask("Bearer good") == 200);
  CHECK(gate.api.asked.size() == asked + 2);
  gate.clock.advance(std::chrono::seconds(30));
  CHECK(gate.ask("Bearer good") == 200);
  CHECK(gate.api.asked.size() == asked + 4);
  CHECK(gate.ask("Bearer good", "HEAD") == 200);  // Another verb needs another permission.
  CHECK(gate.api.asked.size() == asked + 6);
}

TEST_CASE("While the API server cannot be asked every caller is refused, and it is asked again") {
  Gate gate;
  gate.api.failure = Error(ErrorCode::kUnavailable, "connection refused");
  CHECK(gate.ask("Bearer good") == 500);
  CHECK(gate.logged.find("Caller of metrics could not be checked") != std::string::npos);
  CHECK(gate.logged.find("good") == std::string::npos);  // The token is never logged.
  gate.api.failure.reset();
  CHECK(gate.ask("Bearer good") == 200);
}

TEST_CASE("Made-up tokens do not fill the memory") {
  Gate gate;
  for (int i = 0; i < 3000; ++i) {
    CHECK(gate.ask("Bearer " + std::to_string(i)) == 401);
  }
  const size_t asked = gate.api.asked.size();
  CHECK(gate.ask("Bearer 0") == 401);
  CHECK(gate.api.asked.size() == asked + 1);  // No longer cached.
}

}  // namespace
}  // namespace chartwright::runtime
