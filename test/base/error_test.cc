// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <catch2/catch.hpp>
#include <set>

#include "base/result.h"

namespace chartwright::base {
namespace {

TEST_CASE("An error prints its place, its message and its help") {
  const Error plain(ErrorCode::kNotFound, "no such chart");
  CHECK(plain.to_string() == "no such chart");
  const Error full = Error(ErrorCode::kParse, "unknown key \"chrat\"")
                         .at({"watches.yaml", 3, 5})
                         .with_help("did you mean \"chart\"?");
  CHECK(full.to_string() == "watches.yaml:3:5: unknown key \"chrat\"\ndid you mean \"chart\"?");
}

TEST_CASE("A place leaves out what is unknown") {
  CHECK(SourcePos{"f.yaml", 3, 5}.to_string() == "f.yaml:3:5");
  CHECK(SourcePos{"f.yaml", 3, 0}.to_string() == "f.yaml:3");
  CHECK(SourcePos{"f.yaml", 0, 5}.to_string() == "f.yaml");
  CHECK(SourcePos{"", 3, 5}.to_string() == "3:5");
}

TEST_CASE("Wrapping prefixes the message and keeps everything else") {
  const Error error = Error(ErrorCode::kConflict, "object was modified")
                          .with_http(409, "Conflict")
                          .with_causes({{"FieldManagerConflict", "conflict", ".spec.replicas"}})
                          .with_retry_after(2)
                          .at({"a", 1, 2})
                          .wrap("apply Deployment web");
  CHECK(error.message() == "apply Deployment web: object was modified");
  CHECK(error.code() == ErrorCode::kConflict);
  CHECK(error.http_status() == 409);
  CHECK(error.reason() == "Conflict");
  CHECK(error.retry_after_s() == 2);
  REQUIRE(error.causes().size() == 1);
  CHECK(error.causes()[0].field == ".spec.replicas");
  CHECK(error.pos()->line == 1);
}

TEST_CASE("Changing a copy leaves the original alone") {
  const Error original(ErrorCode::kTimeout, "slow");
  Error copy = original;
  copy = std::move(copy).wrap("get pods");
  CHECK(original.message() == "slow");
  CHECK(copy.message() == "get pods: slow");
}

TEST_CASE("Every code has its own name") {
  std::set<std::string_view> names;
  const int last = static_cast<int>(ErrorCode::kInternal);
  for (int code = 0; code <= last; ++code) {
    names.insert(to_string(static_cast<ErrorCode>(code)));
  }
  CHECK(names.size() == static_cast<size_t>(last) + 1);
  CHECK(names.count("unknown") == 0);
  CHECK(to_string(ErrorCode::kTooManyRequests) == "too_many_requests");
}

Result<int> half(int number) {
  if (number % 2 != 0) {
    return Error(ErrorCode::kInvalidArgument, "odd");
  }
  return number / 2;
}

Result<int> quarter(int number) {
  CW_TRY(const int once, half(number));
  CW_TRY(const int twice, half(once));
  return twice;
}

Status check_quarter(int number) {
  CW_TRY_DISCARD(quarter(number));
  return {};
}

TEST_CASE("CW_TRY hands on values and errors") {
  CHECK(CW_MUST(quarter(8)) == 2);
  CHECK(quarter(6).error().message() == "odd");
  CHECK(check_quarter(8).ok());
  CHECK(check_quarter(6).error().code() == ErrorCode::kInvalidArgument);
  CHECK(quarter(6).value_or(-1) == -1);
  CHECK(quarter(8).value_or(-1) == 2);
}

TEST_CASE("A result moves its value out") {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  REQUIRE(result);
  const std::unique_ptr<int> taken = *std::move(result);
  CHECK(*taken == 7);
}

}  // namespace
}  // namespace chartwright::base
