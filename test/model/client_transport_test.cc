// SPDX-License-Identifier: Apache-2.0
//
// HttpClient gets through a ClientTransport the answers of the client behind it.

#include "model/client_transport.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "model/memory_server.h"
#include "test/value/json_text.h"
#include "value/compare.h"

namespace chartwright::model {
namespace {

using base::ErrorCode;
using value::Value;
using value::testing::json;

const kube::Gvk kMap{"", "v1", "ConfigMap"};
const kube::Gvk kWidget{"example.com", "v1", "Widget"};

/// A client over HTTP of a server in memory.
struct World {
  MemoryServer server;
  base::SystemClock clock;
  ClientTransport transport{server,
                            {{.gvk = kMap, .plural = "configmaps"},
                             {.gvk = kWidget, .plural = "widgets", .has_status = true}}};
  kube::RestMapper mapper{transport, clock};
  kube::HttpClient client{transport, mapper, clock};
};

Value map_of(const std::string& color) {
  return json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"a",
                  "labels":{"app":"a"}},"data":{"color":")" +
              color + R"("}})");
}

const kube::ObjectRef kRef{kMap, "shop", "a"};

TEST_CASE("Kinds that are served are found, and others are not") {
  World world;
  const auto widget = CW_MUST(world.client.mapping_for(kWidget, {}));
  CHECK(widget.plural == "widgets");
  CHECK(widget.has_status);
  CHECK_FALSE(CW_MUST(world.client.mapping_for(kMap, {})).has_status);
  CHECK(world.client.mapping_for({"", "v1", "Pod"}, {}).error().reason() == kube::kNoMatchReason);
  CHECK(CW_MUST(world.mapper.server_version({})).git_version == "v1.36.0");
  CHECK(CW_MUST(world.client.schema_of(kMap, {})).is_nil());
}

TEST_CASE("An object is written, read and deleted") {
  World world;
  const Value created = CW_MUST(world.client.create(map_of("red"), {.field_manager = "a"}, {}));
  CHECK(value::json_equal(created, *world.server.find(kRef)));
  CHECK(value::json_equal(CW_MUST(world.client.get(kRef, {})), created));
  Value changed = value::deep_copy(created);
  changed.mutable_dict().set("data", json(R"({"color":"green"})"));
  CW_MUST(world.client.update(changed, {}, {}));
  CHECK(world.client.update(changed, {}, {}).error().code() == ErrorCode::kConflict);
  CW_MUST(world.client.patch(kRef, {kube::PatchType::kMerge, json(R"({"data":{"size":"1"}})")}, {},
                             {}));
  CW_MUST(world.client.patch(
      kRef,
      {kube::PatchType::kJson, json(R"([{"op":"replace","path":"/data/color","value":"blue"}])")},
      {}, {}));
  CHECK(value::json_equal(*world.server.find(kRef)->find("data"),
                          json(R"({"color":"blue","size":"1"})")));
  CHECK(world.client.remove(kRef, {.uid = "another"}, {}).error().code() == ErrorCode::kConflict);
  CHECK(world.client.remove(kRef, {.uid = std::string(kube::uid_of(created))}, {}).ok());
  CHECK(world.client.get(kRef, {}).error().code() == ErrorCode::kNotFound);
}

TEST_CASE("An apply says whether it made the object, and may be a dry run") {
  World world;
  CHECK(CW_MUST(world.client.apply(map_of("red"),
                                   {.field_manager = "a", .dry_run = kube::DryRun::kServer}, {}))
            .created);
  CHECK_FALSE(world.server.has(kRef));
  CHECK(CW_MUST(world.client.apply(map_of("red"), {.field_manager = "a"}, {})).created);
  CHECK_FALSE(CW_MUST(world.client.apply(map_of("red"), {.field_manager = "a"}, {})).created);
  CHECK(world.client.apply(map_of("green"), {.field_manager = "b"}, {}).error().code() ==
        ErrorCode::kConflict);
  CHECK(world.client.apply(map_of("green"), {.field_manager = "b", .force = kube::Force::kYes}, {})
            .ok());
  const auto reply = CW_MUST(world.client.apply(
      map_of("green"), {.field_manager = "b", .reply = kube::Reply::kMetadata}, {}));
  CHECK(reply.object.string_at({"kind"}) == "PartialObjectMetadata");
  CHECK(reply.object.string_at({"metadata", "name"}) == "a");
}

TEST_CASE("A status is written beside the object") {
  World world;
  world.server.put(json(R"({"apiVersion":"example.com/v1","kind":"Widget",
                            "metadata":{"namespace":"shop","name":"w"},"spec":{}})"));
  const Value status = json(R"({"apiVersion":"example.com/v1","kind":"Widget",
                                "metadata":{"namespace":"shop","name":"w"},"status":{"a":1}})");
  CW_MUST(world.client.apply(
      status, {.field_manager = "a", .subresource = kube::Subresource::kStatus}, {}));
  CHECK(world.server.whats() ==
        std::vector<std::string>{"discover", "discover", "apply-status Widget.example.com shop/w"});
}

TEST_CASE("A list is selected and paged") {
  World world;
  world.server.put(map_of("red"));
  world.server.put(json(R"({"apiVersion":"v1","kind":"ConfigMap",
                            "metadata":{"namespace":"other","name":"b"}})"));
  kube::ListOptions options;
  CHECK(CW_MUST(world.client.list(kMap, options, {})).items.size() == 2);
  options.limit = 1;
  const auto first = CW_MUST(world.client.list(kMap, options, {}));
  CHECK(first.items.size() == 1);
  options.continue_token = first.continue_token;
  const auto second = CW_MUST(world.client.list(kMap, options, {}));
  CHECK(second.items.size() == 1);
  CHECK(second.continue_token.empty());
  CHECK(CW_MUST(world.client.list(kMap, {.selection = {.label_selector = "app=a"}}, {}))
            .items.size() == 1);
}

TEST_CASE("A watch begins with what is there, and ends when its connection does") {
  World world;
  world.server.put(map_of("red"));
  std::vector<std::string> seen;
  bool accepted = false;
  kube::WatchOptions options;
  options.send_initial_events = kube::SendInitialEvents::kYes;
  options.on_accepted = [&accepted] { accepted = true; };
  const base::Status ended =
      world.client.watch(kMap, options, {}, [&](const kube::WatchFrame& frame) -> base::Status {
        seen.emplace_back(frame.object.string_at({"data", "color"}));
        if (frame.type == kube::WatchFrame::Type::kBookmark) {
          world.server.cut_watches_of(kMap.group_kind());
        }
        return {};
      });
  CHECK(ended.error().code() == ErrorCode::kUnavailable);
  CHECK(accepted);
  CHECK(seen == std::vector<std::string>{"red", ""});
}

TEST_CASE("A watch of a version that is forgotten is refused") {
  World world;
  const Value old = world.server.put(map_of("red"));
  world.server.forget_changes();
  kube::WatchOptions options;
  options.resource_version = kube::resource_version_of(old);
  const auto sink = [](const kube::WatchFrame& /*frame*/) { return base::Status(); };
  CHECK(world.client.watch(kMap, options, {}, sink).error().code() == ErrorCode::kExpired);
}

TEST_CASE("An error of the connection stays one, and paths that are not known are not found") {
  World world;
  world.server.fail_once("get " + kRef.to_string(), base::Error(ErrorCode::kUnavailable, "closed"));
  const auto lost = world.client.get(kRef, {});
  CHECK(lost.error().code() == ErrorCode::kUnavailable);
  CHECK(lost.error().http_status() == 0);
  CHECK(CW_MUST(world.transport.perform({.target = "/apis/example.com/v1/gadgets"}, {})).status ==
        404);
}

}  // namespace
}  // namespace chartwright::model
