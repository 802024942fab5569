// SPDX-License-Identifier: Apache-2.0
#include "diff/revisions.h"

#include <catch2/catch.hpp>

#include "test/operator/world.h"

namespace chartwright::diff {
namespace {

using base::ErrorCode;
using op::testing::World;
using Texts = std::vector<std::string>;

release::Owner owner_of(const World& world) { return {world.watch.gvk, "shop", "w", "", ""}; }

TEST_CASE("A range of revisions has two numbers") {
  const RevisionRange range = CW_MUST(parse_revisions("3..12"));
  CHECK(range.from == 3);
  CHECK(range.to == 12);
  const std::string text = GENERATE(values<std::string>(
      {"", "3", "3..", "..4", "a..b", "0..1", "3...4", "3..4..5", "-1..2", "1..99999999999"}));
  const auto bad = parse_revisions(text);
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().message() == "--revision: \"" + text +
                                     "\" is not a range of two revision numbers, such as "
                                     "\"3..4\"");
}

TEST_CASE("Two records are compared by their manifests") {
  World world;
  world.spec(R"({"color":"red","extra":"old"})");
  world.converge();
  world.spec(R"({"color":"blue","extra":"new"})");
  world.converge();
  const auto both = CW_MUST(load_revisions(world.api, {}, owner_of(world), {1, 2}));
  const Report report = CW_MUST(compare_revisions(both.first, both.second));
  Texts found;
  for (const ObjectChange& change : report.objects) {
    found.push_back(std::string(to_string(change.fate)) + " " + change.ref.name);
  }
  CHECK(found == Texts{"apply w", "create new", "delete old"});
  REQUIRE(report.objects[0].fields.kept.size() == 1);
  CHECK(report.objects[0].fields.kept[0].path == "data.color");
  CHECK_FALSE(has_changes(CW_MUST(compare_revisions(both.first, both.first))));
}

TEST_CASE("A revision that is not there is named, with those that are") {
  World world;
  world.spec("{}");
  world.converge();
  const auto missing = load_revisions(world.api, {}, owner_of(world), {1, 7});
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == ErrorCode::kNotFound);
  CHECK(missing.error().message() == "Widget w has no revision 7: there are 1");
}

TEST_CASE("The record of another kind's release is not read") {
  World world;
  world.spec("{}");
  world.converge();
  release::Owner other = owner_of(world);
  other.gvk.kind = "Gadget";
  const auto refused = load_revisions(world.api, {}, other, {1, 1});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message() == "Gadget w has no revision 1: there are no records of it");
}

TEST_CASE("Secrets of either revision are masked") {
  release::Revision from;
  from.number = 1;
  from.manifest =
      "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: hunter22}\n";
  release::Revision to = from;
  to.manifest =
      "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: secret99}\n";
  const Report report = CW_MUST(compare_revisions(from, to));
  CHECK(report.secrets.masked("hunter22 secret99") == "*** ***");
  REQUIRE(report.objects.size() == 1);
  CHECK(report.objects[0].fields.kept[0].secret);
}

}  // namespace
}  // namespace chartwright::diff
