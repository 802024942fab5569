// SPDX-License-Identifier: Apache-2.0
#include "health/ending.h"

#include <catch2/catch.hpp>

#include "base/check.h"
#include "test/value/json_text.h"

namespace chartwright::health {
namespace {

using value::Value;
using value::testing::json;

Value job(const std::string& spec, const std::string& conditions,
          const std::string& metadata = "{}") {
  return json(R"({"apiVersion":"batch/v1","kind":"Job","metadata":)" + metadata + R"(,"spec":)" +
              spec + R"(,"status":{"conditions":)" + conditions + "}}");
}

const std::string kDone =
    R"([{"type":"SuccessCriteriaMet","status":"True"},)"
    R"({"type":"Complete","status":"True","lastTransitionTime":"2030-01-31T12:00:00Z"}])";
const std::string kLost =
    R"([{"type":"Failed","status":"True","lastTransitionTime":"2030-01-31T12:00:00Z"}])";
const std::string kTtl = R"({"ttlSecondsAfterFinished":100})";

std::string text_of(const Value& object) {
  const auto ending = ending_of(object);
  return ending ? to_text(*ending) : "none";
}

TEST_CASE("A finished Job with a TTL ends when that is over") {
  CHECK(text_of(job(kTtl, kDone)) == "Complete 2030-01-31T12:01:40Z");
  CHECK(text_of(job(kTtl, kLost)) == "Failed 2030-01-31T12:01:40Z");
  CHECK(text_of(job(R"({"ttlSecondsAfterFinished":0})", kDone)) == "Complete 2030-01-31T12:00:00Z");
}

TEST_CASE("A Job that is not finished, or is not removed when it is, has no end") {
  const std::string no_time = R"([{"type":"Complete","status":"True"}])";
  const std::string untrue =
      R"([{"type":"Complete","status":"False","lastTransitionTime":"2030-01-31T12:00:00Z"}])";
  const std::string late =
      R"([{"type":"Complete","status":"True","lastTransitionTime":"2262-04-11T00:00:00Z"}])";
  for (const Value& object : {job(kTtl, "[]"), job(kTtl, no_time), job(kTtl, untrue),
                              job("{}", kDone), job(R"({"ttlSecondsAfterFinished":-1})", kDone),
                              job(R"({"ttlSecondsAfterFinished":"100"})", kDone),
                              job(R"({"ttlSecondsAfterFinished":4294967296})", kDone),
                              job(R"({"ttlSecondsAfterFinished":2147483647})", late), json("[]"),
                              json(R"({"apiVersion":"example.com/v1","kind":"Job"})")}) {
    CHECK(text_of(object) == "none");
  }
}

TEST_CASE("A Job that is deleted before it finishes has no end, whatever it says then") {
  CHECK(text_of(job(kTtl, kLost, R"({"deletionTimestamp":"2030-01-31T11:59:59Z"})")) == "none");
  CHECK(text_of(job(kTtl, kDone, R"({"deletionTimestamp":"2030-01-31T12:01:40Z"})")) ==
        "Complete 2030-01-31T12:01:40Z");
}

TEST_CASE("An object that is gone long before its removal was removed by somebody else") {
  const Ending ending{false, CW_MUST(base::parse_rfc3339("2030-01-31T12:00:00Z"))};
  CHECK(explains_absence(ending, ending.removed_at));
  CHECK(explains_absence(ending, ending.removed_at + std::chrono::hours(1000)));
  CHECK(explains_absence(ending, ending.removed_at - std::chrono::minutes(1)));
  CHECK_FALSE(explains_absence(ending, ending.removed_at - std::chrono::seconds(61)));
}

TEST_CASE("An end survives the way through its text, and other texts have none") {
  const Ending ending{true, CW_MUST(base::parse_rfc3339("2030-01-31T12:00:00Z"))};
  CHECK(ending_in(to_text(ending)) == ending);
  for (const char* text : {"", "Failed", "Failed ", "Failed soon", "Done 2030-01-31T12:00:00Z",
                           " 2030-01-31T12:00:00Z", "Complete 9999-01-31T12:00:00Z"}) {
    CHECK_FALSE(ending_in(text));
  }
}

}  // namespace
}  // namespace chartwright::health
