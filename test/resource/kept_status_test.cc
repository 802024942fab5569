// SPDX-License-Identifier: Apache-2.0
#include "resource/kept_status.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using value::Value;
using value::testing::json;
using Paths = std::vector<StatusPath>;

const Value kSent = json(R"({"revision":1,"conditions":[{"type":"Ready","time":"now"},
                             {"type":"Stalled","reason":"r","time":"now"}],"a":{"b":{},"c":[]}})");

TEST_CASE("Members that the API server did not keep are named once") {
  CHECK(dropped_members(kSent, kSent).empty());
  CHECK(dropped_members(kSent, Value()) == Paths{{"a"}, {"conditions"}, {"revision"}});
  CHECK(
      dropped_members(kSent, json(R"({"other":1,"conditions":[{"type":"Ready"},
                                        {"type":"Stalled"}],"a":{"c":[]}})")) ==
      Paths{
          {"a", "b"}, {"conditions", "[]", "reason"}, {"conditions", "[]", "time"}, {"revision"}});
  CHECK(dropped_members(Value(), kSent).empty());
}

TEST_CASE("Paths are gathered in order") {
  Paths all = {{"b"}, {"c"}};
  add_paths({{"c"}, {"a", "x"}}, all);
  CHECK(all == Paths{{"a", "x"}, {"b"}, {"c"}});
}

TEST_CASE("Examples stand for members that are still to come") {
  const Value all = with_members_to_come(json(R"({"revision":7,"mine":true})"));
  CHECK(all.find("revision")->as_int() == 7);
  CHECK(all.find("mine")->as_bool());
  for (const char* key : {"history", "inputs", "pin", "attempt", "deployedRelease"}) {
    CHECK(all.find(key) != nullptr);
  }
}

TEST_CASE("A member that is too deep counts as kept") {
  Value deep = Value::integer(1);
  for (int i = 0; i < 1000; ++i) {
    deep = Value::dict({{"k", deep}});
  }
  CHECK(dropped_members(deep, deep).empty());
  CHECK(dropped_members(deep, Value()) == Paths{{"k"}});
}

TEST_CASE("A status without the members that are not kept has no others to lose") {
  const Value stored = json(R"({"conditions":[{"type":"Ready"},{"type":"Stalled"}],"a":{"c":[]}})");
  const Value kept = without_members(kSent, dropped_members(kSent, stored));
  CHECK(value::json_equal(kept, stored));
  CHECK(dropped_members(kept, stored).empty());
  CHECK(value::json_equal(without_members(kSent, {}), kSent));
  CHECK(value::json_equal(without_members(json("[1]"), {{"a", "b"}}), json("[1]")));
  CHECK(value::json_equal(without_members(json(R"({"a":1})"), {{"a", "[]", "b"}}),
                          json(R"({"a":1})")));
}

TEST_CASE("The lines of the schema are named that keep everything") {
  CHECK(describe_dropped({{"conditions", "[]", "time"}, {"revision"}}) ==
        "the schema of the CRD has no status.conditions[].time, status.revision: the operator does "
        "not remember them after a restart. In the CRD, make the schema of status {type: object, "
        "x-kubernetes-preserve-unknown-fields: true}");
  CHECK_THAT(describe_dropped(Paths(30, {"x"})), Catch::Matchers::Contains("and 10 more"));
}

}  // namespace
}  // namespace chartwright::op
