// SPDX-License-Identifier: Apache-2.0
#include "observe/triggers.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::observe {
namespace {

runtime::Stored stored_json(std::string_view text) {
  return std::make_shared<const value::Value>(value::testing::json(text));
}

bool concerns(std::string_view before, std::string_view after) {
  return concerns_reconcile({{}, stored_json(before), stored_json(after)});
}

TEST_CASE("A creation and a deletion need a reconcile") {
  CHECK(concerns_reconcile({{}, nullptr, stored_json("{}")}));
  CHECK(concerns_reconcile({{}, stored_json("{}"), nullptr}));
}

TEST_CASE("A new generation needs a reconcile; a status does not") {
  constexpr std::string_view kBefore =
      R"({"metadata":{"uid":"u","generation":1,"resourceVersion":"1"},"spec":{"a":1}})";
  CHECK(concerns(
      kBefore, R"({"metadata":{"uid":"u","generation":2,"resourceVersion":"2"},"spec":{"a":2}})"));
  CHECK_FALSE(concerns(kBefore,
                       R"({"metadata":{"uid":"u","generation":1,"resourceVersion":"2"},
                           "spec":{"a":1},"status":{"x":1}})"));
  CHECK_FALSE(concerns(kBefore, kBefore));
}

TEST_CASE("A status that lost its revision needs a reconcile") {
  const auto with = [](std::string_view status) {
    return R"({"metadata":{"generation":1},"status":)" + std::string(status) + "}";
  };
  CHECK(concerns(with(R"({"revision":3})"), with("{}")));
  CHECK(concerns(with(R"({"revision":3})"), R"({"metadata":{"generation":1}})"));
  CHECK_FALSE(concerns(with(R"({"revision":3})"), with(R"({"revision":4})")));
  CHECK_FALSE(concerns(with("{}"), with(R"({"conditions":[]})")));
}

TEST_CASE("Without generations the specs are compared") {
  CHECK(concerns(R"({"spec":{"a":1}})", R"({"spec":{"a":2}})"));
  CHECK_FALSE(concerns(R"({"spec":{"a":1}})", R"({"spec":{"a":1},"status":{}})"));
  CHECK(concerns(R"({"spec":{"a":1}})", R"({})"));
  CHECK(concerns(R"({})", R"({"spec":{"a":1}})"));
  CHECK_FALSE(concerns(R"({"status":{"a":1}})", R"({"status":{"a":2}})"));
}

TEST_CASE("Requests, finalizers, labels, deletion and a new uid need a reconcile") {
  const auto metadata = [](std::string_view rest) {
    return R"({"metadata":{"uid":"u","generation":1)" + std::string(rest) + "}}";
  };
  const std::string before = metadata("");
  CHECK(concerns(before, metadata(R"(,"annotations":{"a":"b"})")));
  CHECK(concerns(metadata(R"(,"annotations":{"a":"b"})"), before));
  CHECK(concerns(metadata(R"(,"annotations":{"a":"b"})"), metadata(R"(,"annotations":{"a":"c"})")));
  CHECK_FALSE(
      concerns(metadata(R"(,"annotations":{"a":"b"})"), metadata(R"(,"annotations":{"a":"b"})")));
  CHECK(concerns(before, metadata(R"(,"finalizers":["x"])")));
  CHECK(concerns(before, metadata(R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")")));
  CHECK(concerns(before, R"({"metadata":{"uid":"v","generation":1}})"));
  CHECK(concerns(before, metadata(R"(,"labels":{"a":"b"})")));  // Templates may read them.
}

}  // namespace
}  // namespace chartwright::observe
