// SPDX-License-Identifier: Apache-2.0
#include "views/feed.h"

#include <catch2/catch.hpp>

#include "test/views/parts.h"

namespace chartwright::views {

TEST_CASE("An object is found by the name that is shown, not by that of its source") {
  Paints paints;
  paints.list({config_map("sky", "5", R"({"colour":"blue"})")}, "10");
  CHECK(paints.feed.source_of({"a", "sky"}) == Feed::Key{"a", "sky"});
  paints.put("sky", "11", R"({"hidden":"yes"})");
  CHECK_FALSE(paints.feed.source_of({"a", "sky"}));
  paints.put("sky", "12", R"({"colour":"red","name":"dawn"})");
  CHECK(paints.feed.source_of({"a", "dawn"}) == Feed::Key{"a", "sky"});
  CHECK_FALSE(paints.feed.source_of({"a", "sky"}));
}

TEST_CASE("A source that cannot be shown is an error, not a gap") {
  Paints paints;
  paints.list({}, "10");
  paints.put("sky", "11", "{}");
  CHECK_FALSE(paints.feed.snapshot("a").ok());
  CHECK(paints.feed.snapshot("b").ok());
}

TEST_CASE("A change wakes those that wait") {
  Paints paints;
  int woken = 0;
  auto handle = paints.feed.subscribe([&] { ++woken; });
  paints.list({}, "10");
  CHECK(woken == 1);
  handle.reset();
  paints.put("sky", "11", R"({"colour":"blue"})");
  CHECK(woken == 1);
}

}  // namespace chartwright::views
