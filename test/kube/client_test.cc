// SPDX-License-Identifier: Apache-2.0
#include "kube/client.h"

#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"
#include "test/fakeapi/fake_transport.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::kube {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using fakeapi::FakeTransport;
using value::Value;

constexpr std::string_view kCore = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{},"versions":[{"version":"v1","resources":[
    {"resource":"configmaps","responseKind":{"kind":"ConfigMap"},"scope":"Namespaced"},
    {"resource":"secrets","responseKind":{"kind":"Secret"},"scope":"Namespaced"},
    {"resource":"namespaces","responseKind":{"kind":"Namespace"},"scope":"Cluster"}]}]}]})";

/// A client whose server serves three kinds and sends `reply` to all other requests.
struct Fixture {
  Response reply{200, 0, "{}"};
  std::string groups = R"({"kind":"APIGroupDiscoveryList","items":[]})";
  base::ManualClock clock;
  base::Duration step{};  ///< How long every request takes.
  FakeTransport transport{[this](const Request& request) -> Result<Response> {
    clock.advance(step);
    if (request.target == "/api") {
      return Response{200, 0, std::string(kCore)};
    }
    if (request.target == "/apis") {
      return Response{200, 0, groups};
    }
    return reply;
  }};
  RestMapper mapper{transport, clock};
  HttpClient client{transport, mapper, clock};

  Request last() const { return transport.requests().back(); }
};

using value::testing::json;

const Gvk kConfigMap{"", "v1", "ConfigMap"};
const ObjectRef kRef{kConfigMap, "n", "c"};

const Value kObject = json(
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"n"},"data":{"a":"<"}})");

TEST_CASE("Get addresses one object and keeps whole numbers whole") {
  Fixture api;
  api.reply.body = R"({"kind":"ConfigMap","big":9007199254740993})";
  const Value got = CW_MUST(api.client.get(kRef, {}));
  CHECK(api.last().method == Method::kGet);
  CHECK(api.last().target == "/api/v1/namespaces/n/configmaps/c");
  CHECK(got.find("big")->as_int() == 9007199254740993);
}

TEST_CASE("Apply sends server-side apply, strictly validated") {
  Fixture api;
  api.reply = {201, 0, "{}"};
  ApplyOptions options;
  options.field_manager = "me & you";
  CHECK(CW_MUST(api.client.apply(kObject, options, {})).created);
  const Request plain = api.last();
  CHECK(plain.method == Method::kPatch);
  CHECK(plain.content_type == "application/apply-patch+yaml");
  CHECK(plain.target ==
        "/api/v1/namespaces/n/configmaps/c?fieldManager=me%20%26%20you&fieldValidation=Strict");
  CHECK(
      plain.body ==
      R"({"apiVersion":"v1","data":{"a":"<"},"kind":"ConfigMap","metadata":{"name":"c","namespace":"n"}})");

  api.reply = {200, 0, "{}"};
  options = {"m", Force::kYes, Subresource::kStatus, DryRun::kServer, FieldValidation::kWarn};
  CHECK_FALSE(CW_MUST(api.client.apply(kObject, options, {})).created);
  CHECK(api.last().target ==
        "/api/v1/namespaces/n/configmaps/c/status?fieldManager=m&fieldValidation=Warn&dryRun=All"
        "&force=true");
}

TEST_CASE("Create posts to the collection, update puts to the object") {
  Fixture api;
  WriteOptions options;
  options.field_manager = "m";
  CHECK(api.client.create(kObject, options, {}).ok());
  CHECK(api.last().method == Method::kPost);
  CHECK(api.last().target ==
        "/api/v1/namespaces/n/configmaps?fieldManager=m&fieldValidation=Strict");
  options.subresource = Subresource::kStatus;
  CHECK(api.client.update(kObject, options, {}).ok());
  CHECK(api.last().method == Method::kPut);
  CHECK(api.last().target ==
        "/api/v1/namespaces/n/configmaps/c/status?fieldManager=m&fieldValidation=Strict");
}

TEST_CASE("A patch says of which kind it is") {
  Fixture api;
  CHECK(api.client.patch(kRef, {PatchType::kMerge, json(R"({"a":null})")}, {}, {}).ok());
  CHECK(api.last().content_type == "application/merge-patch+json");
  CHECK(api.last().body == R"({"a":null})");
  CHECK(api.client.patch(kRef, {PatchType::kJson, json("[]")}, {}, {}).ok());
  CHECK(api.last().content_type == "application/json-patch+json");
}

TEST_CASE("Delete carries its preconditions") {
  Fixture api;
  DeleteOptions options;
  options.uid = "u";
  options.resource_version = "7";
  options.propagation = Propagation::kForeground;
  options.dry_run = DryRun::kServer;
  CHECK(api.client.remove(kRef, options, {}).ok());
  CHECK(api.last().method == Method::kDelete);
  CHECK(api.last().body ==
        R"({"apiVersion":"v1","dryRun":["All"],"kind":"DeleteOptions",)"
        R"("preconditions":{"resourceVersion":"7","uid":"u"},"propagationPolicy":"Foreground"})");
  CHECK(api.client.remove(kRef, {}, {}).ok());
  CHECK(api.last().body ==
        R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background"})");
}

TEST_CASE("A list's items know their kind") {
  Fixture api;
  api.reply.body = R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"9","continue":"t"},
                       "items":[{"metadata":{"name":"a"}}]})";
  ListOptions options;
  options.selection = {"n", "app in (a,b)", "metadata.name=x"};
  options.resource_version = "0";
  options.limit = 2;
  options.continue_token = "c=";
  const ListPage page = CW_MUST(api.client.list(kConfigMap, options, {}));
  CHECK(api.last().target ==
        "/api/v1/namespaces/n/configmaps?labelSelector=app%20in%20%28a%2Cb%29&fieldSelector="
        "metadata.name%3Dx&resourceVersion=0&limit=2&continue=c%3D");
  CHECK(page.resource_version == "9");
  CHECK(page.continue_token == "t");
  REQUIRE(page.items.size() == 1);
  CHECK(ref_of(page.items[0]).to_string() == "ConfigMap a");
  CHECK(gvk_of(page.items[0]) == kConfigMap);
}

TEST_CASE("A list may be of metadata, and limited in bytes") {
  Fixture api;
  api.reply.body = R"({"kind":"PartialObjectMetadataList","metadata":{},"items":[
      {"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"a"}}]})";
  ListOptions options;
  options.reply = Reply::kMetadata;
  options.bytes_max = 12345;
  const ListPage page = CW_MUST(api.client.list(kConfigMap, options, {}));
  CHECK(api.last().accept == "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  CHECK(api.last().max_response_bytes == 12345);
  REQUIRE(page.items.size() == 1);
  CHECK(ref_of(page.items[0]).to_string() == "ConfigMap a");
  CHECK(api.client.list(kConfigMap, {}, {}).ok());
  CHECK(api.last().accept == "application/json");
  CHECK(api.last().max_response_bytes == kListBytes);
}

TEST_CASE("An empty list may have null items") {
  Fixture api;
  api.reply.body = R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"9"},"items":null})";
  CHECK(CW_MUST(api.client.list(kConfigMap, {}, {})).items.empty());
}

TEST_CASE(
    "An answer that is not an object, or has such an item, is the server's fault and ends "
    "nothing") {
  Fixture api;
  const auto check = [](const auto& answer, const std::string& text) {
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code() == base::ErrorCode::kUnavailable);
    CHECK(answer.error().message() == text);
  };
  for (const char* body : {"1", "null", "[]", "\"x\"", "true"}) {
    INFO(body);
    api.reply.body = body;
    check(api.client.get(kRef, {}),
          "get " + kRef.to_string() + ": the server's answer is not an object");
    check(api.client.list(kConfigMap, {}, {}),
          "list ConfigMap: the server's answer is not an object");
    api.reply.body = std::string(R"({"kind":"ConfigMapList","items":[{},)") + body + "]}";
    check(api.client.list(kConfigMap, {}, {}),
          "list ConfigMap: the server's answer has an item that is not an object");
  }
}

TEST_CASE("An answer without a list is not taken for an empty one") {
  Fixture api;
  for (const char* body :
       {"{}", R"({"kind":"ConfigMapList","metadata":{}})", R"({"items":{}})", R"({"items":"x"})"}) {
    INFO(body);
    api.reply.body = body;
    const auto page = api.client.list(kConfigMap, {}, {});
    REQUIRE_FALSE(page.ok());
    CHECK(page.error().code() == base::ErrorCode::kUnavailable);
    CHECK(page.error().message() == "list ConfigMap: the server's answer is not a list");
  }
}

TEST_CASE("A watch asks for bookmarks and hands on its frames") {
  Fixture api;
  api.reply.body =
      "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n"
      "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"5\"}}}\n";
  WatchOptions options;
  options.resource_version = "3";
  options.timeout_s = 60;
  std::vector<WatchFrame> frames;
  const WatchSink sink = [&frames](WatchFrame frame) {
    frames.push_back(std::move(frame));
    return Status();
  };
  int accepted = 0;
  options.on_accepted = [&accepted] { ++accepted; };
  CHECK(api.client.watch(kConfigMap, options, {}, sink).ok());
  CHECK(accepted == 1);
  CHECK(api.last().target ==
        "/api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=3&timeoutSeconds="
        "60");
  REQUIRE(frames.size() == 2);
  CHECK(frames[1].type == WatchFrame::Type::kBookmark);

  options.send_initial_events = SendInitialEvents::kYes;
  options.resource_version.clear();
  CHECK(api.client.watch(kConfigMap, options, {}, sink).ok());
  CHECK(api.last().target ==
        "/api/v1/configmaps?watch=true&allowWatchBookmarks=true&timeoutSeconds=60&"
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan");

  api.reply = {410, 0, R"({"kind":"Status","code":410,"reason":"Expired","message":"old"})"};
  accepted = 0;
  const Status expired = api.client.watch(kConfigMap, options, {}, sink);
  CHECK(accepted == 0);
  REQUIRE_FALSE(expired.ok());
  CHECK(expired.error().code() == ErrorCode::kExpired);
}

TEST_CASE("A path that a silent server had before, and has not now, proves nothing") {
  Fixture api;
  api.groups = R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"extra.io"},"versions":[{"version":"v1","resources":[
      {"resource":"bars","responseKind":{"kind":"Bar"},"scope":"Namespaced"}]}]}]})";
  const ObjectRef bar{{"extra.io", "v1", "Bar"}, "n", "b"};
  const Response no_path{404, 0, "404 page not found"};
  const Response no_object{404, 0,
                           R"({"kind":"Status","code":404,"reason":"NotFound","message":"no b"})"};
  api.reply = no_path;
  CHECK(api.client.get(bar, {}).error().code() == ErrorCode::kNotFound);

  api.groups = R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"extra.io"},"versions":[{"version":"v1","freshness":"Stale"}]}]})";
  CW_MUST(api.mapper.refresh({}, {}));
  const auto silent = api.client.get(bar, {}).error();
  CHECK(silent.code() == ErrorCode::kUnavailable);
  CHECK(silent.http_status() == 404);
  CHECK_THAT(silent.message(),
             Catch::Matchers::Contains("it was served before, and extra.io/v1 does not answer"));
  const Status watched =
      api.client.watch(bar.gvk, {}, {}, [](const WatchFrame&) { return Status(); });
  CHECK(watched.error().code() == ErrorCode::kUnavailable);
  api.reply = no_object;
  CHECK(api.client.get(bar, {}).error().code() == ErrorCode::kNotFound);
  api.reply = no_path;
  CHECK(api.client.get(kRef, {}).error().code() == ErrorCode::kNotFound);
}

TEST_CASE("Errors name the call and the object") {
  Fixture api;
  api.reply = {
      404, 0,
      R"({"kind":"Status","code":404,"reason":"NotFound","message":"configmaps \"c\" not found"})"};
  const auto missing = api.client.get(kRef, {});
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == ErrorCode::kNotFound);
  CHECK(missing.error().message() == "get ConfigMap n/c: configmaps \"c\" not found");

  const auto unserved = api.client.get({{"x.io", "v1", "X"}, "n", "c"}, {});
  REQUIRE_FALSE(unserved.ok());
  CHECK(unserved.error().reason() == kNoMatchReason);
}

TEST_CASE("An answer that is not JSON is not quoted") {
  Fixture api;
  api.reply.body = "hunter2";
  const auto got = api.client.get({{"", "v1", "Secret"}, "n", "s"}, {});
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().code() == ErrorCode::kUnavailable);
  CHECK(got.error().to_string().find("hunter2") == std::string::npos);
}

TEST_CASE("A name stays one segment of the path, whatever it holds") {
  const std::vector<std::pair<std::string, std::string>> kinds_of_odd = {
      {"x?watch=1", "x%3Fwatch=1"},
      {"x?dryRun=All", "x%3FdryRun=All"},
      {"x#y", "x%23y"},
      {std::string(1, '\0'), "%00"},
      {"x y\r\nHost: z", "x%20y%0D%0AHost:%20z"},
      {"x\\..\\y", "x%5C..%5Cy"},
      {"...", "..."},
      {"\xc3\xa9\xff", "%C3%A9%FF"},
      {"system:x@y", "system:x@y"},
  };
  Fixture api;
  for (const auto& [odd, escaped] : kinds_of_odd) {
    CAPTURE(escaped);
    CHECK(api.client.get({kConfigMap, "n", odd}, {}).ok());
    CHECK(api.last().target == "/api/v1/namespaces/n/configmaps/" + escaped);
    CHECK(api.client.get({kConfigMap, odd, "c"}, {}).ok());
    CHECK(api.last().target == "/api/v1/namespaces/" + escaped + "/configmaps/c");
    CHECK(api.client.remove({kConfigMap, "n", odd}, {}, {}).ok());
    CHECK(api.last().target == "/api/v1/namespaces/n/configmaps/" + escaped);
    CHECK(api.client.patch({kConfigMap, "n", odd}, {PatchType::kMerge, kObject}, {}, {}).ok());
    CHECK(api.last().target ==
          "/api/v1/namespaces/n/configmaps/" + escaped + "?fieldValidation=Strict");
    Value renamed = value::deep_copy(kObject);
    renamed.find("metadata")->mutable_dict().set("name", Value::string(odd));
    WriteOptions status;
    status.subresource = Subresource::kStatus;
    CHECK(api.client.update(renamed, status, {}).ok());
    CHECK(api.last().target ==
          "/api/v1/namespaces/n/configmaps/" + escaped + "/status?fieldValidation=Strict");
    CHECK(api.client.apply(renamed, {}, {}).ok());
    CHECK(api.last().target ==
          "/api/v1/namespaces/n/configmaps/" + escaped + "?fieldValidation=Strict");
    ListOptions options;
    options.selection.ns = odd;
    CHECK_FALSE(api.client.list(kConfigMap, options, {}).ok());  // The answer is not a list.
    CHECK(api.last().target == "/api/v1/namespaces/" + escaped + "/configmaps");
  }
}

TEST_CASE("The server's name of a group, a version or a resource stays one segment too") {
  const ResourceMapping mapping{{"g?h", "v#1", "K"}, "k%s", Scope::kNamespaced, false};
  CHECK(mapping.path("n", "x") == "/apis/g%3Fh/v%231/namespaces/n/k%25s/x");
}

TEST_CASE("A name that is not a segment is refused in client-go's words") {
  Fixture api;
  const auto refusal = [&api](const char* ns, const char* name) {
    return api.client.get({kConfigMap, ns, name}, {}).error().message();
  };
  CHECK(refusal("n", "..") ==
        R"(get ConfigMap n/..: invalid resource name "..": [may not be '..'])");
  CHECK(refusal(".", "x") == R"(get ConfigMap ./x: invalid namespace ".": [may not be '.'])");
  CHECK(
      refusal("n", "a/b%") ==
      R"(get ConfigMap n/a/b%: invalid resource name "a/b%": [may not contain '/' may not contain '%'])");
}

TEST_CASE("A call has one timeout, of which finding out about its kind takes some") {
  Fixture api;
  api.step = std::chrono::seconds(8);
  CHECK(api.client.get(kRef, {}).ok());
  CHECK(api.transport.requests().size() == 3);  // /api, /apis, the object
  CHECK(api.transport.last_spent == std::chrono::seconds(16));
  // The kind is cached now.
  CHECK(api.client.get(kRef, {{}, std::chrono::seconds(30), std::chrono::seconds(5)}).ok());
  CHECK(api.transport.last_spent == std::chrono::seconds(5));
  // An unknown kind makes the same call repeat discovery.
  api.clock.advance(RestMapper::kMinRefresh);
  CHECK_FALSE(api.client.get({{"", "v1", "Unknown"}, "n", "c"}, {}).ok());
  CHECK(api.transport.last_spent == std::chrono::seconds(8));
}

TEST_CASE("An answer beyond the decoder's limits says so") {
  Fixture api;
  constexpr size_t kMiB = size_t{1} << 20;
  SECTION("an object's size") {
    api.reply.body = R"({"pad":")" + std::string(64 * kMiB, 'x') + R"("})";
    const auto got = api.client.get(kRef, {});
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().code() == ErrorCode::kBudget);
    CHECK(
        got.error().message() ==
        "get ConfigMap n/c: the server's answer is too large, or nested deeper than 10000 levels: "
        "JSON text of 67108874 bytes exceeds the limit of 67108864");
  }
  SECTION("its depth, of a Secret too") {
    api.reply.body = std::string(10'001, '[');
    const auto got = api.client.get({{"", "v1", "Secret"}, "n", "c"}, {});
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().code() == ErrorCode::kBudget);
    const auto applied = api.client.apply(kObject, {}, {});
    REQUIRE_FALSE(applied.ok());
    CHECK(applied.error().code() == ErrorCode::kBudget);
  }
}

TEST_CASE("Names that would leave the object's path are refused before sending") {
  Fixture api;
  REQUIRE(api.client.get(kRef, {}).ok());
  const size_t before = api.transport.requests().size();
  for (const char* odd : {"..", ".", "a/b", "a%2Fb", ""}) {
    const auto by_name = api.client.get({kConfigMap, "n", odd}, {});
    REQUIRE_FALSE(by_name.ok());
    CHECK(by_name.error().code() == ErrorCode::kInvalid);
    const auto by_namespace = api.client.remove({kConfigMap, odd, "c"}, {}, {});
    REQUIRE_FALSE(by_namespace.ok());
    CHECK(by_namespace.error().code() == ErrorCode::kInvalid);
  }
  CHECK(api.transport.requests().size() == before);
}

TEST_CASE("A cluster-scoped object's namespace is left out of its path") {
  Fixture api;
  CHECK(api.client.get({{"", "v1", "Namespace"}, "ignored", "x"}, {}).ok());
  CHECK(api.last().target == "/api/v1/namespaces/x");
}

}  // namespace
}  // namespace chartwright::kube
