// SPDX-License-Identifier: Apache-2.0
#include "kube/metadata_list.h"

#include <catch2/catch.hpp>

#include "test/fakeapi/scripted_client.h"
#include "test/value/json_text.h"

namespace chartwright::kube {
namespace {

using base::ErrorCode;
using value::testing::json;

ListPage page_of(int objects, const std::string& next) {
  ListPage page;
  for (int i = 0; i < objects; ++i) {
    page.items.push_back(json(R"({"metadata":{"name":"x"}})"));
  }
  page.continue_token = next;
  return page;
}

struct Desk {
  fakeapi::ScriptedClient client;
  MetadataQuery query{.gvk = {"", "v1", "Secret"},
                      .selection = {"shop", "a=b", ""},
                      .page = 2,
                      .objects_max = 5,
                      .page_bytes = 1000};
  int seen = 0;

  void answer(base::Result<ListPage> page) {
    client.on_list([page](const ListOptions& options) {
      CHECK(options.selection.label_selector == "a=b");
      CHECK(options.limit == 2);
      CHECK(options.reply == kube::Reply::kMetadata);
      CHECK(options.bytes_max == 1000);
      return page;
    });
  }
  base::Status list() {
    return list_metadata(client, query, {}, [this](const value::Value& /*item*/) { ++seen; });
  }
};

TEST_CASE("Metadata is listed page by page") {
  Desk desk;
  desk.answer(page_of(2, "next"));
  desk.answer(page_of(2, "last"));
  desk.answer(page_of(1, ""));
  CHECK(desk.list().ok());
  CHECK(desk.seen == 5);
  CHECK(desk.client.asked() ==
        std::vector<std::string>{"list rv= continue=", "list rv= continue=next",
                                 "list rv= continue=last"});
}

TEST_CASE("More objects than allowed are an error, before they are seen") {
  Desk desk;
  desk.answer(page_of(2, "next"));
  desk.answer(page_of(4, ""));
  const base::Status listed = desk.list();
  REQUIRE_FALSE(listed.ok());
  CHECK(listed.error().code() == ErrorCode::kBudget);
  CHECK(listed.error().message() ==
        "list Secret with \"a=b\" in namespace \"shop\": there are more than 5");
  CHECK(desk.seen == 2);
}

TEST_CASE("An error of a page ends the list") {
  Desk desk;
  desk.answer(page_of(2, "next"));
  desk.answer(base::Error(ErrorCode::kExpired, "too old"));
  CHECK(desk.list().error().code() == ErrorCode::kExpired);
}

}  // namespace
}  // namespace chartwright::kube
