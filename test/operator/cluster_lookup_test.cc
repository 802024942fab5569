// SPDX-License-Identifier: Apache-2.0
#include "operator/cluster_lookup.h"

#include <catch2/catch.hpp>

#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::json;

struct Desk {
  release::testing::FakeClient api;
  kube::Call call;
  ClusterLookup lookup{api, call};

  void put(const std::string& name, const std::string& k = "1") {
    api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                 R"(","namespace":"shop"},"data":{"k":")" + k + R"("}})"));
  }
  std::string now() { return CW_MUST(current_versions(lookup.lookups(), api, call)); }
  std::string then() const { return seen_versions(lookup.lookups()); }
};

const chart::LookupKey kOne{"v1", "ConfigMap", "shop", "a"};
const chart::LookupKey kAll{"v1", "ConfigMap", "shop", ""};

TEST_CASE("An object is found as it is, and the way it was is remembered") {
  Desk desk;
  desk.put("a");
  CHECK(CW_MUST(desk.lookup.get(kOne)).string_at({"data", "k"}) == "1");
  REQUIRE(desk.lookup.lookups().size() == 1);
  CHECK_FALSE(desk.lookup.lookups()[0].version.empty());
  CHECK(desk.now() == desk.then());
  desk.put("b");  // Nobody asked for it.
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

TEST_CASE("What is not there is remembered as that") {
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
  CHECK(current_versions(desk.lookup.lookups(), desk.api, desk.call).error().code() ==
        ErrorCode::kUnavailable);
}

TEST_CASE("A kind that is not served has no items") {
  Desk desk;
  desk.api.fail_once("list ConfigMap shop ", Error(ErrorCode::kNotFound, "no such kind"));
  CHECK(desk.lookup.list(kAll).error().code() == ErrorCode::kNotFound);
  CHECK(desk.lookup.lookups().size() == 1);
  CHECK(desk.lookup.lookups()[0].version.empty());
}

}  // namespace
}  // namespace chartwright::op
