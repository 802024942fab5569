// SPDX-License-Identifier: Apache-2.0
#include "yaml/locate.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

namespace chartwright::yaml {
namespace {

std::string where(std::string_view text, std::string_view path,
                  Documents documents = Documents::kFirst) {
  const auto pos = locate_in_yaml(text, CW_MUST(value::Path::parse(path)).steps(), documents);
  return pos ? pos->to_string() : "nowhere";
}

}  // namespace

TEST_CASE("A member is where its key is") {
  const std::string text = "a:\n  b: 1\n  c:\n  - x\n  - y: {z: 2}\nd: 3\n";
  CHECK(where(text, "a") == "1:1");
  CHECK(where(text, "a.b") == "2:3");
  CHECK(where(text, "a.c[0]") == "4:5");
  CHECK(where(text, "a.c[1].y.z") == "5:9");
  CHECK(where(text, "d") == "6:1");
  CHECK(where(text, "a.d") == "nowhere");
  CHECK(where(text, "a.b.c") == "nowhere");
  CHECK(where(text, "a.c[2]") == "nowhere");
  CHECK(where(text, "a[0]") == "nowhere");
}

TEST_CASE("The last of equal keys counts") {
  CHECK(where("a: {b: 1}\na: {b: 2}\n", "a.b") == "2:5");
  CHECK(where("a: {b: 1}\na: {c: 2}\n", "a.b") == "nowhere");
}

TEST_CASE("A collection as a key matches no name") {
  CHECK(where("? {a: 1}\n: {a: 2}\na: 3\n", "a") == "3:1");
  CHECK(where("? [a, b]\n: 1\nb: 2\n", "b") == "3:1");
}

TEST_CASE("Aliases and merge keys are where they are used") {
  const std::string text = "base: &b {x: 1}\nalias: *b\nmerged:\n  <<: *b\n  y: 2\n";
  CHECK(where(text, "base.x") == "1:11");
  CHECK(where(text, "alias.x") == "2:1");
  CHECK(where(text, "merged.x") == "4:3");
  CHECK(where(text, "merged.y") == "5:3");
}

TEST_CASE("Documents after the first count where all do") {
  const std::string text = "a: 1\n---\na: 2\nb: 3\n";
  CHECK(where(text, "a") == "1:1");
  CHECK(where(text, "b") == "nowhere");
  CHECK(where(text, "a", Documents::kAll) == "3:1");
  CHECK(where(text, "b", Documents::kAll) == "4:1");
}

TEST_CASE("A place before an error is still found") {
  CHECK(where("a: 1\nb: [\n", "a") == "1:1");
  CHECK(where("", "a") == "nowhere");
  CHECK(where("just text", "a") == "nowhere");
  CHECK_FALSE(locate_in_yaml("a: 1", {}));
  CHECK(where(std::string(20000, '['), "a") == "nowhere");
}

TEST_CASE("A missing member has the position of the nearest enclosing one") {
  const auto nearest = [](std::string_view text, std::string_view path) {
    const auto steps = CW_MUST(value::Path::parse(path)).steps();
    const auto shown = [](const std::optional<Place>& place) {
      return place ? std::to_string(place->depth) + " at " + place->pos.to_string() : "nowhere";
    };
    CHECK(shown(nearest_in_yaml(CW_MUST(read_yaml_document(text)), steps)) ==
          shown(nearest_in_yaml(text, steps)));
    return shown(nearest_in_yaml(text, steps));
  };
  const std::string text = "a:\n  b: [1, {c: 2}]\nd: &d {e: 1}\nf: *d\n";
  CHECK(nearest(text, "a.b[1].c") == "4 at 2:11");
  CHECK(nearest(text, "a.b[1].x.y") == "3 at 2:10");
  CHECK(nearest(text, "a.b[7].x") == "2 at 2:3");
  CHECK(nearest(text, "f.x.y") == "3 at 4:1");
  CHECK(nearest(text, "x.y") == "nowhere");
  CHECK(nearest("a: {b: {c: 1}}\na: {x: 1}\n", "a.b.c") == "1 at 2:1");
  CHECK(nearest("a: &a {b: 1}\nc:\n  <<: *a\n", "c.b") == "2 at 3:3");
  CHECK(nearest("- 1\n- {x: ä, b: [2, 3]}\n", "[1].b[1]") == "3 at 2:17");
  CHECK(nearest("", "a") == "nowhere");
}

}  // namespace chartwright::yaml
