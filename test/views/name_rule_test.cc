// SPDX-License-Identifier: Apache-2.0
#include "views/name_rule.h"

#include <catch2/catch.hpp>

namespace chartwright::views {

TEST_CASE("A rule of names leads from a source to its object, and back") {
  const auto same = NameRule::between("web", "web");
  CHECK(same->object_of("db") == "db");
  CHECK(same->source_of("db") == "db");
  const auto adds = NameRule::between("web", "farm-web-0");
  CHECK(adds->object_of("db") == "farm-db-0");
  CHECK(adds->source_of("farm-db-0") == "db");
  const auto trims = NameRule::between("sheep-dolly", "dolly");
  CHECK(trims->object_of("sheep-shaun") == "shaun");
  CHECK(trims->source_of("shaun") == "sheep-shaun");
}

TEST_CASE("A name that does not follow the rule has no source, and no object") {
  CHECK_FALSE(NameRule::between("web", "db"));
  const auto adds = NameRule::between("web", "farm-web-0");
  CHECK_FALSE(adds->source_of("web"));
  CHECK_FALSE(adds->source_of("farm--0"));
  CHECK_FALSE(NameRule::between("sheep-dolly", "dolly")->object_of("cow"));
}

}  // namespace chartwright::views
