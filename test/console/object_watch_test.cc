// SPDX-License-Identifier: Apache-2.0
#include "console/object_watch.h"

#include <catch2/catch.hpp>

#include "test/fakeapi/scripted_client.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using kube::WatchFrame;
using value::Value;
using Texts = std::vector<std::string>;

Value shop_at(const std::string& name, const std::string& version) {
  return *value::parse_json(R"({"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":")" +
                                name + R"(","namespace":"team","resourceVersion":")" + version +
                                "\"}}",
                            value::Numbers::kInt64);
}

kube::ListPage page_of(std::vector<Value> items, const std::string& version) {
  return {std::move(items), version, ""};
}

/// A watch of shops with a scripted client, and what it has told.
struct Watched {
  fakeapi::ScriptedClient client;
  ObjectWatch watch{{"example.com", "v1", "Shop"}, {"team", "", ""}};
  Texts told = {};
  ObjectWatch::Sink sink{
      [this](const Value& object) {
        told.push_back("seen " + std::string(kube::ref_of(object).name) + " " +
                       std::string(kube::resource_version_of(object)));
      },
      [this](const kube::ObjectRef& ref) { told.push_back("gone " + ref.name); }};

  void on_watch(std::vector<WatchFrame> frames, base::Status end = {}) {
    client.on_watch(
        [frames, end](const kube::WatchOptions&, const kube::WatchSink& to) -> base::Status {
          for (const WatchFrame& frame : frames) {
            CW_TRY_VOID(to(frame));
          }
          return end;
        });
  }
  void on_list(std::vector<Value> items, const std::string& version) {
    client.on_list([items, version](const kube::ListOptions&) -> base::Result<kube::ListPage> {
      return page_of(items, version);
    });
  }
  base::Status go_on() { return watch.go_on(client, {}, sink); }
};

}  // namespace

TEST_CASE("Objects are listed once, and followed from there") {
  Watched shops;
  shops.on_list({shop_at("one", "3")}, "5");
  shops.on_watch({{WatchFrame::Type::kModified, shop_at("one", "6")},
                  {WatchFrame::Type::kAdded, shop_at("two", "7")},
                  {WatchFrame::Type::kBookmark, shop_at("", "9")}});
  shops.on_watch({{WatchFrame::Type::kDeleted, shop_at("two", "10")}},
                 Error(ErrorCode::kUnavailable, "cut"));
  REQUIRE(shops.watch.list(shops.client, {}, shops.sink).ok());
  CHECK(shops.go_on().ok());
  CHECK(shops.go_on().error().code() == ErrorCode::kUnavailable);
  CHECK(shops.told == Texts{"seen one 3", "seen one 6", "seen two 7", "gone two"});
  CHECK(shops.client.asked() ==
        Texts{"list rv=0 continue=", "watch rv=5 initial=no", "watch rv=9 initial=no"});
}

TEST_CASE("After a version that has expired, a list tells also what is gone") {
  Watched shops;
  shops.on_list({shop_at("one", "3"), shop_at("two", "4")}, "5");
  shops.on_watch({{WatchFrame::Type::kAdded, shop_at("three", "6")}},
                 Error(ErrorCode::kExpired, "too old"));
  shops.on_list({shop_at("two", "40")}, "50");
  shops.on_watch({});
  CHECK(shops.go_on().ok());
  CHECK(shops.go_on().ok());
  CHECK(shops.told ==
        Texts{"seen one 3", "seen two 4", "seen three 6", "seen two 40", "gone one", "gone three"});
  CHECK(shops.client.asked() == Texts{"list rv=0 continue=", "watch rv=5 initial=no",
                                      "list rv= continue=", "watch rv=50 initial=no"});
}

TEST_CASE("One that was read is followed without a list") {
  Watched shops;
  shops.on_watch({{WatchFrame::Type::kDeleted, shop_at("one", "9")}});
  shops.watch.begin_with(shop_at("one", "8"));
  CHECK(shops.go_on().ok());
  CHECK(shops.told == Texts{"gone one"});
  CHECK(shops.client.asked() == Texts{"watch rv=8 initial=no"});
}

}  // namespace chartwright::cmd
