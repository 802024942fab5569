// SPDX-License-Identifier: Apache-2.0
#include "record/record_outcome.h"

#include <catch2/catch.hpp>

#include "record/gzip.h"
#include "test/value/json_text.h"
#include "value/compare.h"

namespace chartwright::record {
namespace {

using base::ErrorCode;
using value::Value;
using value::testing::json;

constexpr std::string_view kShortEnd = R"("files":[]}})";
constexpr RecordLimits kLimits{size_t{64} << 20, size_t{1} << 20, kShortEnd};

base::Result<std::optional<std::string>> fail(const std::string& packed,
                                              const RecordLimits& limits = kLimits) {
  return edit_outcome(packed, limits, [](RecordedOutcome& outcome) -> base::Result<bool> {
    outcome.status = "failed";
    outcome.description = "\"so\" & <so>";
    return true;
  });
}

Value text_of(const std::string& packed) { return json(CW_MUST(gunzip(packed, 64 << 20))); }

// The record with the outcome that fail() writes.
Value failed(const Value& record) {
  Value copy = value::deep_copy(record);
  value::Dict& info = copy.find("info")->mutable_dict();
  info.set("status", Value::string("failed"));
  info.set("description", Value::string("\"so\" & <so>"));
  return copy;
}

TEST_CASE("An outcome is changed, and nothing else") {
  for (const std::string& record : {
           std::string(R"({"name":"x","info":{"status":"deployed"},"manifest":"m"})"),
           std::string(
               R"({"manifest":"m","info":{"status":"deployed","notes":"{\"}],","a":[{}]}})"),
           std::string(R"( { "info" : {"status":"deployed"} , "manifest" : "\\" } )"),
           std::string(R"({"chart":{"info":{"status":"x"},"manifest":1},"config":{"info":"}"},)"
                       R"("info":{"status":"deployed","description":"d"},"manifest":"info"})"),
           R"({"a":[{"info":1},"info"],"manifest":")" + std::string(100'000, 'y') +
               R"(","info":{"status":"deployed","notes":")" + std::string(40'000, 'n') + "\"}}",
       }) {
    INFO(record.substr(0, 200));
    const std::string edited = CW_MUST(fail(CW_MUST(gzip(record)))).value();
    CHECK(value::json_equal(text_of(edited), failed(json(record))));
  }
}

TEST_CASE("A record that Helm did not compress is edited, too") {
  const std::string record = R"({"info":{"status":"deployed"},"manifest":"m"})";
  CHECK(value::json_equal(text_of(*CW_MUST(fail(record))), failed(json(record))));
}

TEST_CASE("The editor sees the outcome, and may leave it") {
  const std::string record =
      CW_MUST(gzip(R"({"info":{"status":"deployed","description":"d"},"manifest":""})"));
  const auto edited =
      CW_MUST(edit_outcome(record, kLimits, [](RecordedOutcome& outcome) -> base::Result<bool> {
        CHECK(outcome.status == "deployed");
        CHECK(outcome.description == "d");
        return false;
      }));
  CHECK_FALSE(edited);
  const auto refused =
      edit_outcome(record, kLimits, [](RecordedOutcome& /*outcome*/) -> base::Result<bool> {
        return base::Error(ErrorCode::kParse, "no");
      });
  CHECK(refused.error().code() == ErrorCode::kParse);
}

TEST_CASE("A text that is not a record has no outcome") {
  for (const std::string record :
       {"", "{}", "[]", "1", R"({"info":{"status":"x"}})", R"({"manifest":"m"})",
        R"({"info":[],"manifest":"m"})", R"({"info":{"status":"x",},"manifest":"m"})",
        R"({"info":{"status":"x"},"info":{"status":"y"},"manifest":"m"})",
        R"({"info":{"status":"x"},"manifest":5})", R"(}}]]{"info":1)"}) {
    INFO(record);
    CHECK(fail(CW_MUST(gzip(record))).error().code() == ErrorCode::kParse);
  }
  CHECK(fail("\x1f\x8b junk").error().code() == ErrorCode::kParse);
  const std::string bomb = CW_MUST(gzip(std::string(65 << 20, ' ')));
  CHECK(fail(bomb).error().code() == ErrorCode::kParse);
  CHECK(unpacks_beyond(bomb, kLimits.text_max));
  CHECK_FALSE(unpacks_beyond(bomb, size_t{65} << 20));
}

TEST_CASE("The files of the chart stay, unless the outcome takes their room") {
  const std::string begin = R"({"info":{"status":"deployed"},"manifest":"m","chart":{"values":1,)";
  const std::string files = R"("lock":null,"schema":null,"templates":[{"name":"t"}],"files":[]}})";
  const std::string record = CW_MUST(gzip(begin)) + CW_MUST(gzip(files));
  const std::string kept = CW_MUST(fail(record)).value();
  CHECK(value::json_equal(text_of(kept), failed(json(begin + files))));

  RecordLimits limits = kLimits;
  limits.bytes_max = (kept.size() + 2) / 3 * 4 - 1;
  const std::string without = CW_MUST(fail(record, limits)).value();
  CHECK(value::json_equal(text_of(without), failed(json(begin + std::string(kShortEnd)))));
  limits.bytes_max = 10;
  CHECK(fail(record, limits).error().code() == ErrorCode::kBudget);
}

TEST_CASE("An outcome that is too large is an error, not an absence") {
  const std::string record = R"({"info":{"status":"deployed","notes":")" +
                             std::string(kInfoBytesMax, 'n') + R"("},"manifest":"m"})";
  CHECK(fail(CW_MUST(gzip(record))).error().code() == ErrorCode::kBudget);
}

}  // namespace
}  // namespace chartwright::record
