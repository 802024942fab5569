// SPDX-License-Identifier: Apache-2.0
// Deletions that find the Secrets of their credentials gone, as in a namespace that is deleted.
#include <catch2/catch.hpp>

#include "external/session.h"
#include "test/external/desk.h"

namespace chartwright::external {
namespace {

using testing::Cut;
using testing::Desk;

/// Gives the external an address, and a token that comes from the Secret "pass".
void serve_at(const std::string& url, Desk& desk) {
  desk.replace("{baseURL: '" + desk.shelf.url() + "'}",
               "{baseURL: '" + url + "', bearer: {secret: pass, key: token}}");
}

/// Has the server want the token of that Secret.
void guard(Desk& desk) {
  desk.shelf.want_token("first");
  desk.secrets["pass"] = "first";
  serve_at(desk.shelf.url(), desk);
}

std::string failure(Desk& desk, Goal goal) {
  const auto done = desk.run(goal);
  return done.ok() ? "" : done.error().message();
}

TEST_CASE("A deletion goes on with the credentials that were used before their Secret went") {
  Desk desk;
  guard(desk);
  desk.converge();
  desk.secrets.clear();
  // While the object is to stay, the Secret is missed: it can be put back.
  CHECK(failure(desk, Goal::kPresent).find("read Secret pass") != std::string::npos);
  desk.converge(Goal::kAbsent);
  CHECK(desk.shelf.items().empty());
}

TEST_CASE("A create in doubt is searched for with the credentials that it was sent with") {
  Desk desk;
  guard(desk);
  desk.shelf.answer_creates({503}, Cut::kAfter);
  CHECK_FALSE(desk.run().ok());
  desk.secrets.clear();
  desk.converge(Goal::kAbsent);
  CHECK(desk.shelf.items().empty());
}

TEST_CASE("The last credentials that proved right are those that a deletion has") {
  Desk desk;
  guard(desk);
  desk.converge();
  SECTION("not those that the server refuses") { desk.secrets["pass"] = "wrong"; }
  SECTION("but those that it takes") {
    desk.secrets["pass"] = "second";
    desk.shelf.want_token("second");
  }
  CHECK(desk.run().ok() == (desk.secrets["pass"] == "second"));
  desk.secrets.clear();
  desk.converge(Goal::kAbsent);
  CHECK(desk.shelf.items().empty());
}

TEST_CASE("A new process knows no credentials, and says what to do") {
  Desk desk;
  guard(desk);
  desk.converge();
  desk.secrets.clear();
  desk.restart();
  const std::string said = failure(desk, Goal::kAbsent);
  CHECK(said ==
        "external item: Secret pass is gone, and this operator has not used it since it started: "
        "create it again; where that is impossible, as in a namespace that is being deleted, "
        "delete the object on its server, and annotate the custom resource with "
        "chartwright.io/deletion-policy: Orphan");
  CHECK(desk.shelf.items().size() == 1);
  desk.secrets["pass"] = "first";
  desk.converge(Goal::kAbsent);
  CHECK(desk.shelf.items().empty());
}

TEST_CASE("Credentials that are remembered go to no other server") {
  Desk desk;
  guard(desk);
  desk.converge();
  desk.secrets.clear();
  testing::Scissors unused;
  testing::Shelf other(unused);
  serve_at(other.url(), desk);
  CHECK(failure(desk, Goal::kAbsent).find("is for another server") != std::string::npos);
  CHECK(other.count("GET") + other.count("DELETE") == 0);
  serve_at(desk.shelf.url(), desk);
  desk.converge(Goal::kAbsent);
}

TEST_CASE("Credentials that are remembered go to no server that other authorities vouch for") {
  Desk desk;
  guard(desk);
  desk.converge();
  desk.secrets.clear();
  desk.secrets["theirs"] = "another authority";
  const auto asked = desk.shelf.count("GET");
  desk.replace("{baseURL: '" + desk.shelf.url() + "'}",
               "{baseURL: '" + desk.shelf.url() +
                   "', bearer: {secret: pass, key: token}, tls: {ca: {secret: theirs, key: "
                   "token}}}");
  CHECK(failure(desk, Goal::kAbsent).find("is for another server, or another tls.ca") !=
        std::string::npos);
  CHECK(desk.shelf.count("GET") == asked);
  serve_at(desk.shelf.url(), desk);
  desk.converge(Goal::kAbsent);
  CHECK(desk.shelf.items().empty());
}

}  // namespace
}  // namespace chartwright::external
