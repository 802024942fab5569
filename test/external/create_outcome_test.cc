// SPDX-License-Identifier: Apache-2.0
// Creates whose outcome is in doubt: what later answers say about them, and what not.
#include <catch2/catch.hpp>

#include "test/external/desk.h"

namespace chartwright::external {
namespace {

using testing::Cut;
using testing::Desk;

using Items = std::map<std::string, std::string>;

const char* const kAdopt = "  adopt: '{{ eq .item.name .sent.name }}'\n";

TEST_CASE("An error of the server after it acted leaves one object") {
  const int status = GENERATE(408, 500, 502, 503, 504);
  INFO("HTTP status " << status);
  Desk desk;
  desk.shelf.answer_creates({status}, Cut::kAfter);
  CHECK_FALSE(desk.run().ok());
  SECTION("in the same process") {}
  SECTION("in the next one") { desk.restart(); }
  SECTION("under another name") { desk.name = "loki"; }
  desk.converge();
  CHECK(desk.shelf.items() == Items{{"id-1", desk.name}});
  CHECK(desk.id() == "id-1");
  CHECK(desk.shelf.count("POST") == 1);
}

TEST_CASE("An error of the server without a way to search is left to a person") {
  for (const int status : {500, 502, 503, 504}) {
    INFO("HTTP status " << status);
    Desk desk;
    desk.replace(kAdopt, "");
    desk.shelf.answer_creates({status}, Cut::kAfter);
    CHECK_FALSE(desk.run().ok());
    CHECK(desk.run_on().find("the bundle has no \"adopt\"") != std::string::npos);
    CHECK(desk.shelf.count("POST") == 1);
    desk.is_author_trusted = true;
    desk.decided["item"] = "id-1";
    desk.converge();
    CHECK(desk.shelf.items() == Items{{"id-1", "thor"}});
  }
}

TEST_CASE("A create that the server still works on is not made again with another body") {
  // Source: draft-ietf-httpapi-idempotency-key-header, section 2.6 (409); RFC 8470 (425).
  for (const int status : {409, 425}) {
    for (const bool refused_before_the_change : {false, true}) {
      for (const bool restarted : {false, true}) {
        INFO("HTTP status " << status << (refused_before_the_change ? ", refused first" : "")
                            << (restarted ? ", restart" : ""));
        Desk desk;
        desk.shelf.work_slowly(status);
        CHECK_FALSE(desk.run().ok());
        if (refused_before_the_change) {
          CHECK(desk.run_on().find(std::to_string(status)) != std::string::npos);
        }
        desk.name = "loki";
        if (restarted) {
          desk.restart();
        }
        CHECK(desk.run_on().find(std::to_string(status)) != std::string::npos);
        CHECK(desk.shelf.items().empty());
        desk.shelf.finish();
        desk.converge();
        CHECK(desk.shelf.items() == Items{{"id-1", "loki"}});
        CHECK(desk.id() == "id-1");
      }
    }
  }
}

TEST_CASE("A refused repetition says nothing about the create before it") {
  const int status = GENERATE(401, 403, 409, 422, 425, 429);
  INFO("HTTP status " << status);
  Desk desk;
  desk.shelf.work_slowly(409);
  CHECK_FALSE(desk.run().ok());
  desk.clock.advance(std::chrono::seconds(1));
  desk.run_on();
  desk.shelf.answer_creates({status});
  CHECK_FALSE(desk.run().ok());
  desk.shelf.finish();
  SECTION("when the object is to be there") {
    desk.converge();
    CHECK(desk.shelf.items() == Items{{"id-1", "thor"}});
  }
  SECTION("when it is to be deleted") {
    desk.converge(Goal::kAbsent);
    CHECK(desk.shelf.items().empty());
  }
}

TEST_CASE("A person can end the wait for a create that the server never finishes") {
  Desk desk;
  desk.shelf.work_slowly(409);
  CHECK_FALSE(desk.run().ok());
  const std::string said = desk.run_on();
  CHECK(said.find("HTTP status 409") != std::string::npos);
  CHECK(said.find("chartwright.io/external-id.item") != std::string::npos);
  CHECK(desk.records.at("item").held.find("HTTP status 409") != std::string::npos);
  desk.shelf.answer_creates({200}, Cut::kAfter);
  desk.decided["item"] = "none";
  desk.run_on();
  CHECK(desk.shelf.items().size() == 1);
}

TEST_CASE("A body that the server refuses in the end is replaced by the corrected one") {
  Desk desk;
  desk.shelf.answer_creates({0, 422});
  CHECK_FALSE(desk.run().ok());
  desk.name = "loki";
  desk.converge();
  CHECK(desk.shelf.items() == Items{{"id-1", "loki"}});
}

TEST_CASE("A first create that is refused leaves no doubt") {
  for (const int status : {401, 409, 422, 425, 429}) {
    for (const bool adopts : {false, true}) {
      INFO("HTTP status " << status << (adopts ? "" : " without adopt"));
      Desk desk;
      if (!adopts) {
        desk.replace(kAdopt, "");
      }
      desk.shelf.answer_creates({status});
      CHECK_FALSE(desk.run().ok());
      desk.name = "loki";
      CHECK(desk.run().ok());
      CHECK(desk.shelf.items() == Items{{"id-1", "loki"}});
      CHECK(desk.shelf.count("GET") == 0);
    }
  }
}

TEST_CASE("A repeated PUT that is refused leaves the create in doubt") {
  for (const int status : {409, 422}) {
    INFO("HTTP status " << status);
    Desk desk;
    desk.replace("POST /items", "PUT /items/new");
    desk.shelf.answer_creates({503, status}, Cut::kAfter);
    CHECK_FALSE(desk.run().ok());
    CHECK_FALSE(desk.records.at("item").intent.empty());
    desk.converge();
    CHECK(desk.shelf.items() == Items{{"new", "thor"}});
    CHECK(desk.shelf.count("GET") > 0);
  }
}

}  // namespace
}  // namespace chartwright::external
