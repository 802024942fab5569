// SPDX-License-Identifier: Apache-2.0
#include "host/cluster_lookup.h"

#include <catch2/catch.hpp>

#include "kube/discovery.h"
#include "kube/http_transport.h"
#include "model/memory_server.h"
#include "test/base/manual_clock.h"
#include "test/fakeapi/fake_server.h"
#include "test/release/objects.h"

namespace chartwright::host {
namespace {

using base::Error;
using base::ErrorCode;
using release::testing::json;

struct Desk {
  model::MemoryServer api;
  kube::Call call;
  base::ManualClock clock;
  ClusterLookup lookup{api, call};

  void put(const std::string& name, const std::string& k = "1") {
    api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                 R"(","namespace":"shop"},"data":{"k":")" + k + R"("}})"));
  }
  std::string now() { return CW_MUST(current_versions(lookup.lookups(), api, call, clock)); }
  std::string then() const { return seen_versions(lookup.lookups()); }
};

const helm::LookupKey kOne{"v1", "ConfigMap", "shop", "a"};
const helm::LookupKey kAll{"v1", "ConfigMap", "shop", ""};

TEST_CASE("An object is found as it is, and the way it was is remembered") {
  Desk desk;
  desk.put("a");
  CHECK(CW_MUST(desk.lookup.get(kOne)).string_at({"data", "k"}) == "1");
  REQUIRE(desk.lookup.lookups().size() == 1);
  CHECK_FALSE(desk.lookup.lookups()[0].version.empty());
  CHECK(desk.now() == desk.then());
  desk.put("b");  // Was not looked up.
  CHECK(desk.now() == desk.then());
  SECTION("a change shows") {
    desk.put("a", "2");
    CHECK(desk.now() != desk.then());
  }
  SECTION("an end shows") {
    desk.api.erase({{"", "v1", "ConfigMap"}, "shop", "a"});
    CHECK(desk.now() != desk.then());
  }
}

TEST_CASE("An absent object is remembered as absent") {
  Desk desk;
  CHECK(desk.lookup.get(kOne).error().code() == ErrorCode::kNotFound);
  CHECK(desk.lookup.lookups().size() == 1);
  CHECK(desk.now() == desk.then());
  desk.put("a");
  CHECK(desk.now() != desk.then());
}

TEST_CASE("A list has items, and depends on nothing else") {
  Desk desk;
  desk.put("a");
  desk.put("b");
  const value::Value list = CW_MUST(desk.lookup.list(kAll));
  CHECK(list.string_at({"kind"}) == "ConfigMapList");
  CHECK(list.string_at({"apiVersion"}) == "v1");
  CHECK(list.find("items")->as_list().items.size() == 2);
  desk.api.put(
      json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop"}})"));
  CHECK(desk.now() == desk.then());
  desk.put("c");
  CHECK(desk.now() != desk.then());
}

TEST_CASE("Nothing looked up is the same as ever") {
  Desk desk;
  CHECK(desk.then().empty());
  CHECK(desk.now().empty());
  CHECK(desk.api.calls().empty());
}

TEST_CASE("Errors of the server end a lookup and leave no memory of it") {
  Desk desk;
  desk.api.fail_once("get ConfigMap shop/a", Error(ErrorCode::kForbidden, "no"));
  CHECK(desk.lookup.get(kOne).error().code() == ErrorCode::kForbidden);
  desk.api.fail_once("list ConfigMap shop ", Error(ErrorCode::kForbidden, "no"));
  CHECK(desk.lookup.list(kAll).error().code() == ErrorCode::kForbidden);
  CHECK(desk.lookup.lookups().empty());

  desk.put("a");
  CHECK(desk.lookup.get(kOne).ok());
  desk.api.fail_once("get ConfigMap shop/a", Error(ErrorCode::kUnavailable, "no"));
  CHECK(current_versions(desk.lookup.lookups(), desk.api, desk.call, desk.clock).error().code() ==
        ErrorCode::kUnavailable);
}

TEST_CASE("A name without the namespace that its kind needs finds nothing, and lists nothing") {
  Desk desk;
  desk.put("a");
  const helm::LookupKey nowhere{"v1", "ConfigMap", "", "a"};
  CHECK(desk.lookup.get(nowhere).error().code() == ErrorCode::kNotFound);
  CHECK(desk.api.calls().empty());
  CHECK(desk.now() == desk.then());
  desk.api.put(json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}})"));
  CHECK(desk.lookup.get({"v1", "Namespace", "", "shop"}).ok());
}

/// A lookup from an API server that serves ConfigMaps and sends `answer` to all other requests.
struct Line {
  explicit Line(fakeapi::FakeServer::Handler answer)
      : server([answer = std::move(answer)](const fakeapi::SeenRequest& request,
                                            fakeapi::Reply& reply) {
          if (request.target == "/api") {
            reply.send(200, R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{},"versions":[
                {"version":"v1","resources":[{"resource":"configmaps","scope":"Namespaced",
                 "responseKind":{"kind":"ConfigMap"}}]}]}]})");
          } else if (request.target == "/apis") {
            reply.send(200, R"({"kind":"APIGroupDiscoveryList","items":[]})");
          } else {
            answer(request, reply);
          }
        }) {}
  static kube::Config config_for(const std::string& url) {
    kube::Config config;
    config.server = url;
    return config;
  }

  base::ManualClock clock;
  fakeapi::FakeServer server;
  std::unique_ptr<kube::Transport> transport =
      CW_MUST(kube::make_transport(config_for(server.url()), clock));
  kube::RestMapper mapper{*transport, clock};
  kube::HttpClient client{*transport, mapper, clock};
  kube::Call call;
  ClusterLookup lookup{client, call};
};

TEST_CASE("A lookup's name reaches the API server as one name") {
  Line line([](const fakeapi::SeenRequest& /*request*/, fakeapi::Reply& reply) {
    reply.send(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
  });
  const auto asked = [&line](std::string_view name) {
    CHECK(line.lookup.get({"v1", "ConfigMap", "shop", name}).error().code() ==
          ErrorCode::kNotFound);
    return line.server.requests().back().target;
  };
  const std::string in = "/api/v1/namespaces/shop/configmaps/";
  CHECK(asked("x?watch=1") == in + "x%3Fwatch=1");
  CHECK(asked("x#y") == in + "x%23y");
  CHECK(asked(std::string_view("\0", 1)) == in + "%00");
  CHECK(asked("a b\r\n") == in + "a%20b%0D%0A");
  const size_t before = line.server.requests().size();
  for (const char* odd : {".", "..", "a/b", "../secrets/s", "%2e%2e", "a%00"}) {
    CHECK(line.lookup.get({"v1", "ConfigMap", "shop", odd}).error().code() == ErrorCode::kInvalid);
    CHECK(line.lookup.get({"v1", "ConfigMap", odd, "a"}).error().code() == ErrorCode::kInvalid);
    CHECK(line.lookup.list({"v1", "ConfigMap", odd, ""}).error().code() == ErrorCode::kInvalid);
  }
  CHECK(line.server.requests().size() == before);
}

TEST_CASE("An answer that trickles is waited for once, also by what explains the failure") {
  base::ManualClock* clock = nullptr;
  Line line([&clock](const fakeapi::SeenRequest& /*request*/, fakeapi::Reply& reply) {
    reply.begin(200);
    while (!reply.is_cut()) {
      clock->advance(std::chrono::milliseconds(300));
      reply.chunk(" ");
    }
  });
  clock = &line.clock;
  const base::MonotonicTime began = line.clock.monotonic();
  const auto first = line.lookup.get(kOne);
  CHECK(first.error().code() == ErrorCode::kTimeout);
  CHECK(line.clock.monotonic() - began >= line.call.timeout);
  const auto again = line.lookup.get(kOne);
  CHECK(again.error().message() == first.error().message());
  CHECK(line.lookup.list(kAll).error().code() == ErrorCode::kTimeout);
  CHECK(line.server.requests().size() == 3);  // /api, /apis, the object
  CHECK(line.lookup.lookups().empty());
}

TEST_CASE("Lookups are repeated within one timeout") {
  base::ManualClock* clock = nullptr;
  Line line([&clock](const fakeapi::SeenRequest& /*request*/, fakeapi::Reply& reply) {
    clock->advance(std::chrono::seconds(20));
    reply.send(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
  });
  clock = &line.clock;
  std::vector<Lookup> lookups(100, {"v1", "ConfigMap", "shop", "a", ""});
  const auto versions = current_versions(lookups, line.client, line.call, line.clock);
  REQUIRE_FALSE(versions.ok());
  CHECK(versions.error().code() == ErrorCode::kTimeout);
  CHECK(line.server.requests().size() <= 4);  // /api, /apis, the object twice
  lookups.resize(1);
  CHECK(current_versions(lookups, line.client, line.call, line.clock).ok());
}

TEST_CASE("A kind that is not served has no items") {
  Desk desk;
  desk.api.fail_once("list ConfigMap shop ", Error(ErrorCode::kNotFound, "no such kind"));
  CHECK(desk.lookup.list(kAll).error().code() == ErrorCode::kNotFound);
  CHECK(desk.lookup.lookups().size() == 1);
  CHECK(desk.lookup.lookups()[0].version.empty());
}

}  // namespace
}  // namespace chartwright::host
