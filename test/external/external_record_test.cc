// SPDX-License-Identifier: Apache-2.0
#include "external/external_record.h"

#include <catch2/catch.hpp>

#include "base/check.h"
#include "external/settings.h"
#include "test/value/json_text.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::external {
namespace {

using value::Value;
using value::testing::json;

TEST_CASE("Records survive the way through a status") {
  const Value status = json(R"({"a":{"id":"7"},"b":{"intent":"t","sent":"{}","held":"two"}})");
  const Records records = read_records(status);
  CHECK(records.at("a") == Record{"7", "", "", ""});
  CHECK(records.at("b") == Record{"", "t", "{}", "two"});
  CHECK(value::json_equal(to_status(records), status));
}

TEST_CASE("Records of another shape read as none") {
  for (const auto* text : {"null", "[]", "7", R"({"a":7})", R"({"a":{"id":7}})", R"({"a":{}})"}) {
    INFO(text);
    CHECK(read_records(json(text)).empty());
  }
  CHECK(to_status({}).is_nil());
  CHECK(to_status({{"a", Record{}}}).is_nil());
}

TEST_CASE("Settings have limits") {
  CHECK(CW_MUST(parse_resync(" 90s\n")) == std::chrono::seconds(90));
  CHECK(CW_MUST(parse_timeout("10ms")) == std::chrono::milliseconds(10));
  CHECK(CW_MUST(parse_policy("Orphan")) == DeletionPolicy::kOrphan);
  CHECK(parse_resync("10ms").error().message() ==
        "\"10ms\" is not a duration from 1s to 24h0m0s, such as \"30s\"");
  CHECK_FALSE(parse_resync("25h").ok());
  CHECK_FALSE(parse_timeout("2m").ok());
  CHECK_FALSE(parse_timeout("").ok());
  CHECK(parse_policy("Keep").error().message() == "\"Keep\" is neither \"Delete\" nor \"Orphan\"");
}

TEST_CASE("Calls are recognised") {
  CHECK(http_method("PATCH") == kube::Method::kPatch);
  CHECK_FALSE(http_method("patch"));
  CHECK(is_grpc_method("petstore.PetStore/AddPets"));
  for (const auto* text : {"AddPets", "/AddPets", "a.B/", "a.B/c.d", "a b/c", ""}) {
    INFO(text);
    CHECK_FALSE(is_grpc_method(text));
  }
}

}  // namespace
}  // namespace chartwright::external
