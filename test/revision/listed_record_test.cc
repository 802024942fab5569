// SPDX-License-Identifier: Apache-2.0
#include "revision/listed_record.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "model/memory_server.h"
#include "revision/revision.h"
#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using base::ErrorCode;
using testing::json;
using value::Value;

struct NamedShelf {
  model::MemoryServer api;
  kube::Call call;
  Owner owner = testing::book_owner();
  RevisionStore store{api, call, owner};

  // A record of ours, or of nobody, that is one or seems so.
  void put(int number, bool is_ours, const std::string& data = "") {
    Revision revision;
    revision.number = number;
    revision.chart_metadata = json(R"({"name":"bookstore"})");
    Value secret = CW_MUST(encode_revision(revision, owner));
    if (!is_ours) {
      secret.find("metadata")->mutable_dict().erase("ownerReferences");
    }
    if (!data.empty()) {
      secret.find("data")->mutable_dict().set("release", Value::string(data));
    }
    api.put(secret);
  }
  void flood(int count, bool is_ours) {
    for (int number = 10; number < 10 + count; ++number) {
      put(number, is_ours, std::string(1000, 'x'));
    }
  }
};

TEST_CASE("Records are listed by the names of their Secrets, newest first") {
  NamedShelf shelf;
  for (const int number : {2, 10, 1}) {
    shelf.put(number, number != 10);
  }
  for (const std::string name : {"books.v0", "books.v01", "books.v-1", "books.v2147483648",
                                 "books.v", "books.vx", "book.v3", "books.v3.x"}) {
    shelf.api.put(json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"shop",)"
                       R"("labels":{"owner":"helm","name":"books"},"name":"sh.helm.release.v1.)" +
                       name + "\"}}"));
  }
  const auto records = CW_MUST(list_records(shelf.api, shelf.call, shelf.owner));
  REQUIRE(records.size() == 3);
  CHECK(records[0].number == 10);
  CHECK(records[0].holder == Holder::kNobody);
  CHECK(records[0].status == "deployed");
  CHECK(records[0].ref.name == "sh.helm.release.v1.books.v10");
  CHECK(records[1].number == 2);
  CHECK(records[1].holder == Holder::kUs);
  CHECK(records[2].number == 1);
}

TEST_CASE("A record that cannot be read now counts, unless it is older than the deployed one") {
  NamedShelf shelf;
  for (const int number : {1, 2, 3}) {
    shelf.put(number, true);
  }
  int unreadable = 0;
  RevisionStore store(shelf.api, shelf.call, shelf.owner, nullptr,
                      [&unreadable](const Value& secret) -> base::Result<Revision> {
                        if (kube::name_of(secret).ends_with(std::to_string(unreadable))) {
                          return base::Error(ErrorCode::kBudget, "too much memory");
                        }
                        return decode_revision(secret);
                      });
  unreadable = 2;
  CHECK(CW_MUST(store.load_all(9, "bookstore")).size() == 1);
  unreadable = 3;
  CHECK(store.load_all(9, "bookstore").error().reason() == kUnreadableNow);
}

TEST_CASE("Many large Secrets are listed by their metadata, and few are read") {
  NamedShelf shelf;
  const bool are_ours = GENERATE(true, false);
  SECTION("of which the damaged ones are passed over") {
    shelf.flood(15, are_ours);
    shelf.put(3, true);
    CHECK(CW_MUST(shelf.store.load_all(9, "bookstore")).size() == 1);
  }
  SECTION("but where so many are damaged, nobody knows what is below") {
    shelf.flood(150, are_ours);
    const auto all = shelf.store.load_all(9, "bookstore");
    REQUIRE_FALSE(all.ok());
    CHECK(all.error().code() == ErrorCode::kBudget);
    CHECK(all.error().reason() == kUnreadableNow);
    CHECK(all.error().message() ==
          "the records of books cannot be read now: 20 of the newest are damaged");
    const auto calls = shelf.api.whats();
    CHECK(std::count(calls.begin(), calls.end(), "list Secret shop owner=helm,name=books") == 2);
    CHECK(calls.size() == 2 + 20);
  }
  SECTION("and of too many, none") {
    shelf.flood(1001, are_ours);
    const auto all = shelf.store.load_all(9, "bookstore");
    REQUIRE_FALSE(all.ok());
    CHECK(all.error().code() == ErrorCode::kBudget);
    CHECK(all.error().reason() == kUnreadableNow);
    CHECK(all.error().message() ==
          "the records of books cannot be read now: list Secret with \"owner=helm,name=books\" in "
          "namespace \"shop\": there are more than 1000");
    CHECK(shelf.api.calls().size() == 11);
  }
}

}  // namespace
}  // namespace chartwright::release
