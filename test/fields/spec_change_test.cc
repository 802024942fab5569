// SPDX-License-Identifier: Apache-2.0
#include "fields/spec_change.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::fields {

using value::testing::json;

TEST_CASE("The manager that changed the spec last is the one with the newest time") {
  const SpecChange change = spec_change_in(json(R"({"metadata":{"managedFields":[
      {"manager":"a","time":"2026-11-28T09:00:00Z","fieldsV1":{"f:spec":{"f:x":{}}}},
      {"manager":"b","time":"2026-11-28T09:02:00Z","fieldsV1":"{\"f:spec\":{}}"},
      {"manager":"c","time":"2026-11-28T09:01:00Z","fieldsV1":{"f:spec":{}}},
      {"manager":"d","time":"2026-11-28T09:09:00Z","fieldsV1":{"f:status":{}}}]}})"));
  CHECK(change.manager == "b");
  CHECK(change.time == "2026-11-28T09:02:00Z");
}

TEST_CASE("Without managers nobody is known to have changed the spec") {
  CHECK(spec_change_in(json("{}")).manager.empty());
  CHECK(spec_change_in(json(R"({"metadata":{"managedFields":[{},7]}})")).manager.empty());
}

}  // namespace chartwright::fields
