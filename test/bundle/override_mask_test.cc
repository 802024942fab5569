// SPDX-License-Identifier: Apache-2.0
#include "bundle/override_mask.h"

#include <catch2/catch.hpp>
#include <vector>

#include "test/value/json_text.h"

namespace chartwright::bundle {
namespace {

using value::testing::json;
using Entries = std::vector<std::pair<std::string, std::string>>;

}  // namespace

TEST_CASE("Override values are masked in texts, as they are set") {
  const Entries entries = {{"text", "S3cr3tPassw0rd"},
                           {"list", "{first item,b}"},
                           {"comma", "one\\,two"},
                           {"more", "this,and.that=the other"}};
  const OverrideMask mask(entries);
  const auto masked = [&](const std::string& text) { return mask.texts().masked(text); };
  CHECK(masked("is S3cr3tPassw0rd!") == "is ***!");
  CHECK(masked("UzNjcjN0UGFzc3cwcmQ=") == "***");
  CHECK(masked("first item, one,two, this, the other") == "***, ***, ***, ***");
}

TEST_CASE("Of a field with an override value only the name is told, however short that is") {
  const Entries entries = {{"a", "pin"}, {"b", "7"}, {"c", "long enough"}};
  const OverrideMask mask(entries);
  for (const char* value :
       {R"("pin")", "7", R"("7")", R"("x long enough y")", R"({"a":["pin"]})", R"([{"b":7}])"}) {
    CAPTURE(value);
    CHECK(mask.covers(json(value)));
  }
  for (const char* value : {R"("pinned")", "77", R"("")", "null", R"({"pin":"a"})", "[]"}) {
    CAPTURE(value);
    CHECK_FALSE(mask.covers(json(value)));
  }
  CHECK(mask.texts().masked("pin 7") == "pin 7");
}

TEST_CASE("Words that everybody writes are not masked, nor anything without overrides") {
  const Entries entries = {{"a", "true"}, {"b", "false"}, {"c", "null"}, {"d", ""}};
  const OverrideMask mask(entries);
  CHECK(mask.texts().masked("true false null") == "true false null");
  CHECK_FALSE(mask.covers(json("true")));
  CHECK_FALSE(mask.covers(json(R"("")")));
  const OverrideMask none(Entries{});
  CHECK(none.texts().masked("anything") == "anything");
  CHECK_FALSE(none.covers(json(R"(["anything"])")));
}

}  // namespace chartwright::bundle
