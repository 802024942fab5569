// SPDX-License-Identifier: Apache-2.0
#include "suite/paths/set_path.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::suite {
namespace {

std::string built(std::string_view path) {
  const auto v = value_at_set_path(path, value::Value::integer(1));
  return v.ok() ? value::to_json(*v).value_or("") : v.error().message();
}

// The answers of helm-unittest pkg/unittest/valueutils BuildValueOfSetPath.
TEST_CASE("A path of set builds maps and lists") {
  CHECK(built("a") == R"({"a":1})");
  CHECK(built("a.b") == R"({"a":{"b":1}})");
  CHECK(built("a[1].b") == R"({"a":[null,{"b":1}]})");
  CHECK(built("a[0][1]") == R"({"a":[[null,1]]})");
  CHECK(built("[x.y/z].b") == R"({"x.y/z":{"b":1}})");
  CHECK(built("a.[x.y]") == R"({"a":{"x.y":1}})");
}

TEST_CASE("A path of set that cannot be read says why") {
  CHECK(built("") == "set path is empty");
  CHECK(built("a.") == "unexpected end of");
  CHECK(built("a[0") == "unexpected end of");
  CHECK(built("a[x.y]") == "missing index value");
  CHECK(built("a[x]") == R"(strconv.Atoi: parsing "x": invalid syntax)");
  CHECK(built("a=b") == "invalid token found =");
  CHECK(built("a[0]b") == "unexpected end of");
  CHECK(built("a]") == "invalid key ]");
  CHECK(built("a[100000]") == "index 100000 is greater than 65536");
}

}  // namespace
}  // namespace chartwright::suite
