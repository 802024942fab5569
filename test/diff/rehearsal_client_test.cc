// SPDX-License-Identifier: Apache-2.0
#include "diff/rehearsal_client.h"

#include <catch2/catch.hpp>

#include "model/memory_server.h"
#include "test/value/json_text.h"

namespace chartwright::diff {
namespace {

using base::ErrorCode;
using value::Value;
using value::testing::json;

const kube::ObjectRef kMap{{"", "v1", "ConfigMap"}, "shop", "m"};
const kube::ApplyOptions kApply{.field_manager = "chartwright", .force = kube::Force::kYes};

Value config_map(const std::string& color, const std::string& metadata = "") {
  return json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"shop")" +
              metadata + R"(},"data":{"color":")" + color + R"("}})");
}

Value custom_resource() {
  return json(R"({"apiVersion":"example.com/v1","kind":"Widget",
                  "metadata":{"name":"w","namespace":"shop","uid":"u","resourceVersion":"5"}})");
}

struct Stage {
  model::MemoryServer api;
  RehearsalClient client{api, custom_resource()};
};

TEST_CASE("A write is answered and remembered, and does not happen") {
  Stage stage;
  const auto applied = CW_MUST(stage.client.apply(config_map("red"), kApply, {}));
  CHECK(applied.created);
  CHECK_FALSE(stage.api.find(kMap));
  CHECK(stage.api.whats() ==
        std::vector<std::string>{"get ConfigMap shop/m", "dry-apply ConfigMap shop/m"});
  CHECK(CW_MUST(stage.client.get(kMap, {})).string_at({"data", "color"}) == "red");
  REQUIRE(stage.client.writes().size() == 1);
  CHECK(stage.client.writes()[0].before.is_nil());
  CHECK(changes(stage.client.writes()[0]));
}

TEST_CASE("An answer is newer than everything that a cache has") {
  Stage stage;
  const Value live = stage.api.put(config_map("red"));
  const auto applied = CW_MUST(stage.client.apply(config_map("blue"), kApply, {}));
  CHECK(kube::compare_resource_versions(kube::resource_version_of(live),
                                        kube::resource_version_of(applied.object)) ==
        std::strong_ordering::less);
  CHECK(stage.api.find(kMap)->string_at({"data", "color"}) == "red");
}

TEST_CASE("A write that would change nothing is known") {
  Stage stage;
  CW_MUST(stage.api.apply(config_map("red"), kApply, {}));
  CW_MUST(stage.client.apply(config_map("red"), kApply, {}));
  CHECK_FALSE(changes(stage.client.writes()[0]));
}

TEST_CASE("A deleted object is gone, and another can take its place") {
  Stage stage;
  const Value live = stage.api.put(config_map("red"));
  kube::DeleteOptions wrong;
  wrong.uid = "another";
  CHECK(stage.client.remove(kMap, wrong, {}).error().code() == ErrorCode::kConflict);
  CHECK(stage.client.remove(kMap, {}, {}).ok());
  CHECK(stage.api.find(kMap));
  CHECK(stage.client.get(kMap, {}).error().code() == ErrorCode::kNotFound);
  CHECK(stage.client.remove(kMap, {}, {}).error().code() == ErrorCode::kNotFound);
  CHECK(CW_MUST(stage.client.apply(config_map("blue"), kApply, {})).created);
  const auto again = stage.client.apply(config_map("red", R"(,"resourceVersion":"1")"), kApply, {});
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code() == ErrorCode::kConflict);
}

TEST_CASE("A refusal of the API server is passed on, and remembered as one") {
  Stage stage;
  stage.api.fail_always("dry-apply ConfigMap shop/m", base::Error(ErrorCode::kImmutable, "no"));
  CHECK(stage.client.apply(config_map("red"), kApply, {}).error().code() == ErrorCode::kImmutable);
  REQUIRE(stage.client.writes().size() == 1);
  CHECK(stage.client.writes()[0].refusal);
  CHECK_FALSE(changes(stage.client.writes()[0]));
}

TEST_CASE("The custom resource and release records are answered without the API server") {
  Stage stage;
  Value body = custom_resource();
  body.mutable_dict().set("status", json(R"({"revision":1})"));
  CW_MUST(stage.client.apply(body, kApply, {}));
  CHECK(stage.client.custom_resource().find_path({"status", "revision"})->as_int() == 1);
  const Value record = json(R"({"apiVersion":"v1","kind":"Secret","type":"helm.sh/release.v1",
      "metadata":{"name":"sh.helm.release.v1.w.v1","namespace":"shop"},"data":{"release":"eA=="}})");
  CW_MUST(stage.client.create(record, {}, {}));
  CHECK(stage.client.create(record, {}, {}).error().code() == ErrorCode::kAlreadyExists);
  const Value change = json(R"({"metadata":{"labels":{"status":"superseded"}}})");
  CW_MUST(stage.client.patch(kube::ref_of(record), {kube::PatchType::kMerge, change}, {}, {}));
  CHECK(kube::label_of(CW_MUST(stage.client.get(kube::ref_of(record), {})), "status") ==
        "superseded");
  CHECK(stage.api.whats() == std::vector<std::string>{"get Secret shop/sh.helm.release.v1.w.v1"});
}

TEST_CASE("Objects in a namespace that would be created are answered without it") {
  Stage stage;
  CW_MUST(stage.client.apply(
      json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}})"), kApply, {}));
  stage.api.fail_always("dry-apply ConfigMap shop/m",
                        base::Error(ErrorCode::kNotFound, "no namespace"));
  CHECK(CW_MUST(stage.client.apply(config_map("red"), kApply, {})).created);
}

TEST_CASE("The contents of Secrets that pass are known to the mask") {
  Stage stage;
  stage.api.put(json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s",
      "namespace":"shop"},"data":{"p":"aHVudGVyMjI="}})"));
  CW_MUST(stage.client.get({{"", "v1", "Secret"}, "shop", "s"}, {}));
  CHECK(stage.client.secrets().masked("hunter22") == "***");
}

}  // namespace
}  // namespace chartwright::diff
