// SPDX-License-Identifier: Apache-2.0
#include "kube/discovery.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "test/base/manual_clock.h"
#include "test/fakeapi/fake_transport.h"

namespace chartwright::kube {
namespace {

using base::ErrorCode;
using base::Result;
using fakeapi::FakeTransport;

constexpr std::string_view kAggregatedCore = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{},"versions":[{"version":"v1","resources":[
    {"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},
     "scope":"Namespaced","subresources":[
       {"subresource":"status","responseKind":{"kind":"Pod"}},
       {"subresource":"eviction","responseKind":{"group":"policy","version":"v1","kind":"Eviction"}}]},
    {"resource":"namespaces","responseKind":{"kind":"Namespace"},"scope":"Cluster"}]}]}]})";
constexpr std::string_view kAggregatedGroups = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"apps"},"versions":[
    {"version":"v1","resources":[
      {"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced",
       "subresources":[{"subresource":"scale","responseKind":{"kind":"Scale"}}]}]},
    {"version":"v1beta1","resources":[
      {"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced"},
      {"resource":"olds","responseKind":{"kind":"Old"},"scope":"Namespaced"}]}]}]})";

/// A server whose pages can be changed between requests.
struct Server {
  std::map<std::string, std::string, std::less<>> pages;
  std::set<std::string> broken;
  base::ManualClock clock;
  FakeTransport transport{[this](const Request& request) -> Result<Response> {
    if (broken.contains(request.target)) {
      return Response{503, 0, "service unavailable"};
    }
    const auto page = pages.find(request.target);
    if (page == pages.end()) {
      return Response{404, 0, "404 page not found"};
    }
    return Response{200, 0, page->second};
  }};
  RestMapper mapper{transport, clock};

  size_t requests() const { return transport.requests().size(); }
};

struct AggregatedServer : Server {
  AggregatedServer() {
    pages["/api"] = kAggregatedCore;
    pages["/apis"] = kAggregatedGroups;
  }
};

TEST_CASE("Two requests tell all kinds where discovery is aggregated") {
  AggregatedServer server;
  const auto pod = CW_MUST(server.mapper.mapping_for({"", "v1", "Pod"}, {}));
  CHECK(pod.plural == "pods");
  CHECK(pod.scope == Scope::kNamespaced);
  CHECK(pod.has_status);
  const auto ns = CW_MUST(server.mapper.mapping_for({"", "v1", "Namespace"}, {}));
  CHECK(ns.scope == Scope::kCluster);
  CHECK_FALSE(ns.has_status);
  CHECK(CW_MUST(server.mapper.mapping_for({"apps", "v1", "Deployment"}, {})).plural ==
        "deployments");
  CHECK(server.requests() == 2);
  CHECK(server.transport.requests()[0].accept.find("APIGroupDiscoveryList") != std::string::npos);
}

TEST_CASE("The published schema of a kind is found by its group, version and kind") {
  AggregatedServer server;
  server.pages["/openapi/v3/apis/apps/v1"] = R"({"components":{"schemas":{
    "list":{"x-kubernetes-group-version-kind":[{"group":"apps","version":"v1","kind":"Others"}]},
    "one":{"type":"object","x-kubernetes-group-version-kind":[
      {"group":"apps","version":"v1","kind":"Deployment"}]}}}})";
  const kube::Gvk gvk{"apps", "v1", "Deployment"};
  CHECK(CW_MUST(server.mapper.schema_of(gvk, {})).string_at({"type"}) == "object");
  CHECK(CW_MUST(server.mapper.schema_of({"apps", "v1", "Old"}, {})).is_nil());
  CHECK(CW_MUST(server.mapper.schema_of({"", "v1", "Pod"}, {})).is_nil());
  CHECK(server.requests() == 3);
  server.pages["/openapi/v3/apis/apps/v1"] = R"({"components":5})";
  CHECK(CW_MUST(server.mapper.schema_of(gvk, {})).is_nil());
  server.pages["/openapi/v3/apis/apps/v1"] = "{";
  CHECK_FALSE(server.mapper.schema_of(gvk, {}).ok());
}

TEST_CASE("Paths follow group, scope and namespace") {
  ResourceMapping pods{{"", "v1", "Pod"}, "pods", Scope::kNamespaced, true};
  CHECK(pods.path("n", "p") == "/api/v1/namespaces/n/pods/p");
  CHECK(pods.path("n", "") == "/api/v1/namespaces/n/pods");
  CHECK(pods.path("", "") == "/api/v1/pods");
  ResourceMapping nodes{{"x.io", "v2", "Node"}, "nodes", Scope::kCluster, true};
  CHECK(nodes.path("ignored", "a") == "/apis/x.io/v2/nodes/a");
}

TEST_CASE("The preferred version is the group's first that serves the kind") {
  AggregatedServer server;
  CHECK(CW_MUST(server.mapper.preferred_mapping({"apps", "Deployment"}, {})).gvk.version == "v1");
  CHECK(CW_MUST(server.mapper.preferred_mapping({"apps", "Old"}, {})).gvk.version == "v1beta1");
  const auto none = server.mapper.preferred_mapping({"apps", "None"}, {});
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().reason() == kNoMatchReason);
}

TEST_CASE("Api versions list versions and kinds, those of subresources too") {
  AggregatedServer server;
  const auto versions = CW_MUST(server.mapper.api_versions({}));
  CHECK(versions == std::vector<std::string>{"apps/v1", "apps/v1/Deployment", "apps/v1/Scale",
                                             "apps/v1beta1", "apps/v1beta1/Deployment",
                                             "apps/v1beta1/Old", "v1", "v1/Eviction",
                                             "v1/Namespace", "v1/Pod"});
}

TEST_CASE("A kind that comes later is found, at a bounded rate of questions") {
  AggregatedServer server;
  const Gvk late{"apps", "v1", "StatefulSet"};
  const auto missing = server.mapper.mapping_for(late, {});
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == ErrorCode::kNotFound);
  CHECK(missing.error().reason() == kNoMatchReason);
  CHECK(server.requests() == 2);
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(server.mapper.mapping_for(late, {}).ok());
  }
  CHECK(server.requests() == 2);

  server.pages["/apis"] = R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[
      {"resource":"statefulsets","responseKind":{"kind":"StatefulSet"},"scope":"Namespaced"}]}]}]})";
  server.clock.advance(RestMapper::kMinRefresh);
  CHECK(CW_MUST(server.mapper.mapping_for(late, {})).plural == "statefulsets");
  CHECK(server.requests() == 5);  // With one for the APIServices: a version is gone.
}

TEST_CASE("A refresh asks again unless what is known is young enough") {
  AggregatedServer server;
  const Gvk late{"apps", "v1", "StatefulSet"};
  CHECK_FALSE(server.mapper.mapping_for(late, {}).ok());
  server.pages["/apis"] = R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[
      {"resource":"statefulsets","responseKind":{"kind":"StatefulSet"},"scope":"Namespaced"}]}]}]})";
  const base::Duration age = std::chrono::milliseconds(200);
  server.clock.advance(std::chrono::milliseconds(199));
  CHECK(server.mapper.refresh(age, {}).ok());
  CHECK(server.requests() == 2);
  CHECK_FALSE(server.mapper.mapping_for(late, {}).ok());
  server.clock.advance(std::chrono::milliseconds(1));
  CHECK(server.mapper.refresh(age, {}).ok());
  CHECK(server.requests() == 5);  // With one for the APIServices: a version is gone.
  CHECK(server.mapper.mapping_for(late, {}).ok());
}

TEST_CASE("Invalidate asks again at the next question") {
  AggregatedServer server;
  CHECK(server.mapper.mapping_for({"", "v1", "Pod"}, {}).ok());
  server.pages["/api"] = R"({"kind":"APIGroupDiscoveryList","items":[]})";
  server.mapper.invalidate();
  CHECK_FALSE(server.mapper.mapping_for({"", "v1", "Pod"}, {}).ok());
  CHECK(server.requests() == 5);  // With one for the APIServices: a version is gone.
}

TEST_CASE("A server without aggregated discovery is asked group by group") {
  Server server;
  server.pages["/api"] = R"({"kind":"APIVersions","versions":["v1"]})";
  server.pages["/api/v1"] = R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
    {"name":"pods","kind":"Pod","namespaced":true},
    {"name":"pods/status","kind":"Pod","namespaced":true},
    {"name":"pods/eviction","kind":"Eviction","namespaced":true},
    {"name":"nodes","kind":"Node","namespaced":false}]})";
  server.pages["/apis"] = R"({"kind":"APIGroupList","groups":[
    {"name":"x.io","preferredVersion":{"version":"v2"},
     "versions":[{"version":"v1"},{"version":"v2"}]},
    {"name":"down.io","preferredVersion":{"version":"v1"},"versions":[{"version":"v1"}]}]})";
  server.pages["/apis/x.io/v1"] =
      R"({"kind":"APIResourceList","resources":[{"name":"xs","kind":"X","namespaced":true}]})";
  server.pages["/apis/x.io/v2"] =
      R"({"kind":"APIResourceList","resources":[{"name":"xs","kind":"X","namespaced":true}]})";
  const auto pod = CW_MUST(server.mapper.mapping_for({"", "v1", "Pod"}, {}));
  CHECK(pod.has_status);
  CHECK(pod.scope == Scope::kNamespaced);
  CHECK(CW_MUST(server.mapper.mapping_for({"", "v1", "Node"}, {})).scope == Scope::kCluster);
  CHECK(CW_MUST(server.mapper.preferred_mapping({"x.io", "X"}, {})).gvk.version == "v2");
  // down.io answers 404: only its own kinds are missing.
  CHECK_FALSE(server.mapper.mapping_for({"down.io", "v1", "D"}, {}).ok());
  const auto versions = CW_MUST(server.mapper.api_versions({}));
  CHECK(std::ranges::find(versions, "v1/Eviction") != versions.end());
  CHECK(std::ranges::find(versions, "x.io/v2/X") != versions.end());
}

void check_unanswered(Server& server) {
  for (const auto& mapping : {server.mapper.mapping_for({"down.io", "v1", "D"}, {}),
                              server.mapper.preferred_mapping({"down.io", "D"}, {})}) {
    REQUIRE_FALSE(mapping.ok());
    CHECK(mapping.error().code() == ErrorCode::kUnavailable);
    CHECK(mapping.error().reason() != kNoMatchReason);
    CHECK_THAT(mapping.error().message(), Catch::Matchers::Contains("down.io/v1 does not answer"));
  }
  CHECK(server.mapper.mapping_for({"other.io", "v1", "D"}, {}).error().reason() == kNoMatchReason);
}

TEST_CASE("A kind that a server may serve while it is down is not known, and not absent") {
  AggregatedServer server;
  SECTION("as aggregated discovery says") {
    server.pages["/apis"] = R"({"kind":"APIGroupDiscoveryList","items":[
      {"metadata":{"name":"down.io"},
       "versions":[{"version":"v1","freshness":"Stale","resources":[]}]}]})";
  }
  SECTION("as its part of discovery says") {
    server.pages["/apis"] = R"({"kind":"APIGroupList","groups":[
      {"name":"down.io","preferredVersion":{"version":"v1"},"versions":[{"version":"v1"}]}]})";
    server.broken.insert("/apis/down.io/v1");
  }
  check_unanswered(server);
}

TEST_CASE("A kind that a server has served before it went down is known") {
  AggregatedServer server;
  server.pages["/apis"] = R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"down.io"},"versions":[{"version":"v1","freshness":"Stale","resources":[
      {"resource":"ds","responseKind":{"kind":"D"},"scope":"Namespaced"}]}]}]})";
  CHECK(CW_MUST(server.mapper.mapping_for({"down.io", "v1", "D"}, {})).plural == "ds");
}

constexpr std::string_view kWithExtra = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"extra.io"},"versions":[{"version":"v1","resources":[
    {"resource":"bars","responseKind":{"kind":"Bar"},"scope":"Namespaced"}]}]}]})";
constexpr std::string_view kSilentExtra = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"extra.io"},"versions":[{"version":"v1","freshness":"Stale"}]}]})";
const Gvk kBar{"extra.io", "v1", "Bar"};
constexpr std::string_view kNoGroup = R"({"kind":"APIGroupDiscoveryList","items":[]})";
constexpr std::string_view kServicesPath = "/apis/apiregistration.k8s.io/v1/apiservices";
constexpr std::string_view kExtraService = R"({"items":[{"metadata":{"name":"v1.extra.io"}}]})";

/// A server whose group extra.io answered, and then something happened to its discovery.
struct ExtraServer : AggregatedServer {
  ExtraServer() {
    pages["/apis"] = kWithExtra;
    CW_MUST(mapper.api_versions({}));
  }
  std::vector<std::string> read_again() {
    clock.advance(std::chrono::seconds(1));
    CW_MUST(mapper.refresh({}, {}));
    return CW_MUST(mapper.api_versions({}));
  }
};

bool serves(const std::vector<std::string>& served, std::string_view name) {
  return std::ranges::find(served, name) != served.end();
}

/// Returns why the kinds of a version are not known; "": they are.
std::string doubt_about(RestMapper& mapper, const std::string& group) {
  const auto mapping = mapper.mapping_for({group, "v1", ""}, {});
  REQUIRE_FALSE(mapping.ok());
  const bool is_known = mapping.error().reason() == kNoMatchReason;
  CHECK(mapping.error().code() == (is_known ? ErrorCode::kNotFound : ErrorCode::kUnavailable));
  return is_known ? "" : mapping.error().message();
}

TEST_CASE("A version that falls silent keeps the kinds that it had") {
  ExtraServer server;
  const auto before = CW_MUST(server.mapper.api_versions({}));
  SECTION("in aggregated discovery") { server.pages["/apis"] = kSilentExtra; }
  SECTION("in its part of discovery") {
    server.pages["/apis"] =
        R"({"kind":"APIGroupList","groups":[{"name":"extra.io","versions":[{"version":"v1"}]}]})";
    server.broken.insert("/apis/extra.io/v1");
  }
  SECTION("after the cache was outdated") {
    server.pages["/apis"] = kSilentExtra;
    server.mapper.invalidate();
  }
  SECTION("where an API server has only just started, and does not name it") {
    server.pages["/apis"] = kNoGroup;
    server.pages[std::string(kServicesPath)] = kExtraService;
  }
  SECTION("where nobody can say whether it is there") {
    server.pages["/apis"] = kNoGroup;
    server.broken.insert(std::string(kServicesPath));
  }
  for (int i = 0; i < 3; ++i) {
    const auto served = server.read_again();
    CHECK(served == before);
    CHECK(doubt_about(server.mapper, "extra.io").empty());
    const auto bar = CW_MUST(server.mapper.mapping_for(kBar, {}));
    CHECK(bar.path("n", "b") == "/apis/extra.io/v1/namespaces/n/bars/b");
    CHECK(bar.is_remembered);
    CHECK(CW_MUST(server.mapper.preferred_mapping(kBar.group_kind(), {})).plural == "bars");
  }
}

TEST_CASE("A kind that is remembered is asked for again, at a bounded rate") {
  ExtraServer server;
  server.pages["/apis"] = kSilentExtra;
  server.read_again();
  const size_t asked = server.requests();
  CHECK(CW_MUST(server.mapper.mapping_for(kBar, {})).is_remembered);
  CHECK(server.requests() == asked);
  server.pages["/apis"] = kWithExtra;
  server.clock.advance(RestMapper::kMinRefresh);
  CHECK_FALSE(CW_MUST(server.mapper.mapping_for(kBar, {})).is_remembered);
}

TEST_CASE("A version that answers is preferred to one that is silent") {
  const std::string bars =
      R"("resources":[{"resource":"bars","responseKind":{"kind":"Bar"},"scope":"Namespaced"}]})";
  const auto both = [&bars](const std::string& v2) {
    return R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"extra.io"},"versions":[)" +
           v2 + R"(,{"version":"v1",)" + bars + "]}]}";
  };
  AggregatedServer server;
  server.pages["/apis"] = both(R"({"version":"v2",)" + bars);
  CHECK(CW_MUST(server.mapper.preferred_mapping(kBar.group_kind(), {})).gvk.version == "v2");
  server.pages["/apis"] = both(R"({"version":"v2","freshness":"Stale"})");
  server.clock.advance(std::chrono::seconds(1));
  CW_MUST(server.mapper.refresh({}, {}));
  CHECK(CW_MUST(server.mapper.preferred_mapping(kBar.group_kind(), {})).gvk.version == "v1");
  CHECK(CW_MUST(server.mapper.mapping_for({"extra.io", "v2", "Bar"}, {})).is_remembered);
}

TEST_CASE("A version that is gone takes its kinds along") {
  ExtraServer server;
  server.pages["/apis"] = kNoGroup;
  SECTION("by the list of APIServices") {
    server.pages[std::string(kServicesPath)] = R"({"items":[{"metadata":{"name":"v1.other.io"}}]})";
  }
  SECTION("by discovery, where the server has no APIServices") {}
  const auto served = server.read_again();
  CHECK_FALSE(serves(served, "extra.io/v1"));
  CHECK_FALSE(serves(served, "extra.io/v1/Bar"));
  CHECK(doubt_about(server.mapper, "extra.io").empty());
  CHECK(server.mapper.mapping_for({"extra.io", "v1", "Bar"}, {}).error().reason() ==
        kNoMatchReason);
}

TEST_CASE("A kind that is gone from a version that answers is gone") {
  ExtraServer server;
  server.pages["/apis"] = R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"extra.io"},"versions":[{"version":"v1","resources":[]}]}]})";
  const auto served = server.read_again();
  CHECK(serves(served, "extra.io/v1"));
  CHECK_FALSE(serves(served, "extra.io/v1/Bar"));
  CHECK(doubt_about(server.mapper, "extra.io").empty());
  server.pages["/apis"] = kSilentExtra;  // It had said that it has none.
  CHECK_FALSE(serves(server.read_again(), "extra.io/v1/Bar"));
  CHECK(doubt_about(server.mapper, "extra.io").empty());
}

TEST_CASE("A version that is silent from the start is not known until it answers or goes") {
  AggregatedServer server;
  server.pages["/apis"] = kSilentExtra;
  const auto served = CW_MUST(server.mapper.api_versions({}));
  CHECK(serves(served, "extra.io/v1"));
  CHECK(doubt_about(server.mapper, "extra.io") == "its API server does not answer");
  CW_MUST(server.mapper.refresh({}, {}));
  CHECK(doubt_about(server.mapper, "extra.io") == "its API server does not answer");
  SECTION("it answers") {
    server.pages["/apis"] = kWithExtra;
    CW_MUST(server.mapper.refresh({}, {}));
    const auto later = CW_MUST(server.mapper.api_versions({}));
    CHECK(doubt_about(server.mapper, "extra.io").empty());
    CHECK(serves(later, "extra.io/v1/Bar"));
  }
  SECTION("it goes") {
    server.pages["/apis"] = kNoGroup;
    CW_MUST(server.mapper.refresh({}, {}));
    const auto later = CW_MUST(server.mapper.api_versions({}));
    CHECK(doubt_about(server.mapper, "extra.io").empty());
    CHECK_FALSE(serves(later, "extra.io/v1"));
  }
}

TEST_CASE("A group that hangs does not take the time of the others") {
  Server server;
  server.pages["/api"] = R"({"kind":"APIVersions","versions":[]})";
  server.pages["/apis"] = R"({"kind":"APIGroupList","groups":[
    {"name":"hangs.io","versions":[{"version":"v1"}]},
    {"name":"x.io","versions":[{"version":"v1"}]}]})";
  server.pages["/apis/x.io/v1"] = R"({"resources":[{"name":"xs","kind":"X","namespaced":true}]})";
  base::ManualClock clock;
  FakeTransport transport([&](const Request& request) -> Result<Response> {
    if (request.target == "/apis/hangs.io/v1") {
      clock.advance(std::chrono::seconds(4));
      return base::Error(ErrorCode::kTimeout, "no answer within 4 s");
    }
    return Response{200, 0, server.pages.at(request.target)};
  });
  RestMapper mapper(transport, clock);
  const auto served = CW_MUST(mapper.api_versions({{}, std::chrono::seconds(16)}));
  CHECK(serves(served, "x.io/v1/X"));
  CHECK(doubt_about(mapper, "hangs.io") == "no answer within 4 s");
}

TEST_CASE("A failing discovery is reported, and does not erase what is known") {
  AggregatedServer server;
  CHECK(server.mapper.mapping_for({"", "v1", "Pod"}, {}).ok());
  server.pages.clear();
  server.clock.advance(RestMapper::kMinRefresh);
  const auto failed = server.mapper.mapping_for({"", "v1", "Later"}, {});
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().http_status() == 404);
  CHECK(failed.error().reason() != kNoMatchReason);
  CHECK(server.mapper.mapping_for({"", "v1", "Pod"}, {}).ok());
}

TEST_CASE("Hostile discovery answers name no path outside the API") {
  Server server;
  server.pages["/api"] = R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{},"versions":[{"version":"v1","resources":[
      {"resource":"../../x","responseKind":{"kind":"Evil"},"scope":"Namespaced"},
      {"resource":5,"responseKind":{"kind":"Odd"}}, 7, null]}]}, [], 3]})";
  server.pages["/apis"] = "[]";
  CHECK_FALSE(server.mapper.mapping_for({"", "v1", "Evil"}, {}).ok());
  CHECK_FALSE(server.mapper.mapping_for({"", "v1", "Odd"}, {}).ok());
}

TEST_CASE("An answer that cannot be read is the server's fault, and says what it is") {
  Server server;
  server.pages["/version"] = "<html>";
  const auto text = server.mapper.server_version({});
  REQUIRE_FALSE(text.ok());
  CHECK(text.error().code() == ErrorCode::kUnavailable);
  CHECK(text.error().message().ends_with("/version: the server's answer is not JSON"));
  server.pages["/version"] = std::string(10'001, '[');
  const auto deep = server.mapper.server_version({});
  REQUIRE_FALSE(deep.ok());
  CHECK(deep.error().code() == ErrorCode::kBudget);
}

TEST_CASE("A group version's name stays what it is in the request for its resources") {
  Server server;
  server.pages["/api"] = R"({"versions":["v1?x"]})";
  server.pages["/apis"] = R"({"groups":[{"name":"g#h","versions":[{"version":"v/2"}]}]})";
  CHECK_FALSE(server.mapper.mapping_for({"", "v1", "Pod"}, {}).ok());
  std::vector<std::string> targets;
  for (const Request& request : server.transport.requests()) {
    targets.push_back(request.target);
  }
  CHECK(targets == std::vector<std::string>{"/api", "/api/v1%3Fx", "/apis", "/apis/g%23h/v%2F2"});
}

TEST_CASE("The server's version is read") {
  Server server;
  server.pages["/version"] = R"({"major":"1","minor":"36","gitVersion":"v1.36.3"})";
  const auto version = CW_MUST(server.mapper.server_version({}));
  CHECK(version.major == "1");
  CHECK(version.minor == "36");
  CHECK(version.git_version == "v1.36.3");
}

}  // namespace
}  // namespace chartwright::kube
