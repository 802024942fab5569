// SPDX-License-Identifier: Apache-2.0
#include "helm/values/strvals.h"

#include <catch2/catch.hpp>

#include "value/json.h"

// test/cases/chart/strvals.txt tests the grammar.
namespace chartwright::helm {

using value::Value;

TEST_CASE("Values that a line sets before its error stay") {
  Value values = Value::dict();
  const base::Status status = parse_set("a=1,b.c=x,d", SetMode::kTyped, values);
  REQUIRE(!status.ok());
  CHECK(status.error().code() == base::ErrorCode::kParse);
  CHECK(status.error().message() == "key \"d\" has no value");
  CHECK(value::to_json(values).value() == R"({"a":1,"b":{"c":"x"}})");
}

TEST_CASE("A reader converts each text, and its error ends the line") {
  Value values = Value::dict();
  const auto reader = [](std::string_view text) -> base::Result<Value> {
    if (text == "none") {
      return base::Error(base::ErrorCode::kNotFound, "there is no such file");
    }
    return Value::string("<" + std::string(text) + ">");
  };
  REQUIRE(parse_set_with("a=1,b={x,y}", reader, values).ok());
  CHECK(value::to_json(values).value() ==
        R"({"a":"\u003c1\u003e","b":["\u003cx\u003e","\u003cy\u003e"]})");
  const base::Status status = parse_set_with("c=none", reader, values);
  REQUIRE(!status.ok());
  CHECK(status.error().code() == base::ErrorCode::kNotFound);
}

TEST_CASE("A line may be a whole object where all documents are read") {
  Value values = Value::dict();
  REQUIRE(parse_set_json(R"({"a":{"b":1}})", values, ValuesRule::kAllDocuments).ok());
  CHECK(value::to_json(values).value() == R"({"a":{"b":1}})");
  CHECK(!parse_set_json(R"({"a":{"b":1}})", values, ValuesRule::kFirstDocument).ok());
}

}  // namespace chartwright::helm
