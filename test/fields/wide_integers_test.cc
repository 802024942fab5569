// SPDX-License-Identifier: Apache-2.0
#include "fields/wide_integers.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::fields {
namespace {

using value::testing::json;

TEST_CASE("A number of more than 32 bits is found anywhere in an object") {
  for (const char* wide : {R"({"spec":{"replicas":2147483648}})", R"({"a":[{"b":-2147483649}]})",
                           R"({"a":1e10})", R"([4294967376])"}) {
    CAPTURE(wide);
    CHECK(has_wide_integer(json(wide)));
  }
  for (const char* narrow : {R"({"spec":{"replicas":2147483647,"x":-2147483648}})",
                             R"({"a":"4294967376","b":0.5,"c":1e300,"d":null})", "{}"}) {
    CAPTURE(narrow);
    CHECK_FALSE(has_wide_integer(json(narrow)));
  }
}

/// Returns the texts about the numbers that were cut, one a line.
std::string cut(const value::Value& sent, const value::Value& kept) {
  std::string texts;
  for (const CutInteger& number : cut_integers(sent, kept)) {
    texts += (texts.empty() ? "" : "\n") + number.text;
  }
  return texts;
}

TEST_CASE("A number that the API server has cut is named") {
  // As an API server 1.36 answers.
  CHECK(cut(json(R"({"spec":{"ports":[{"port":443},{"port":4294967376}]}})"),
            json(R"({"spec":{"ports":[{"port":443},{"port":80}]}})")) ==
        "spec.ports[].port is 4294967376, of which the API server keeps 80");
  CHECK(cut(json(R"({"spec":{"replicas":1e10}})"), json(R"({"spec":{"replicas":1410065408}})")) ==
        "spec.replicas is 10000000000, of which the API server keeps 1410065408");
  CHECK(cut(json(R"({"a":-4294967297})"), json(R"({"a":-1})")) ==
        "a is -4294967297, of which the API server keeps -1");
}

TEST_CASE("A number that was cut has its place, and the value that is kept") {
  value::Value sent =
      json(R"({"spec":{"ports":[{"port":443},{"port":4294967376,"x":4294967297}]}})");
  for (const CutInteger& number :
       cut_integers(sent, json(R"({"spec":{"ports":[{"port":80,"x":1},{"port":443}]}})"))) {
    CHECK(number.place.set(sent, value::Value::integer(number.kept)).ok());
  }
  CHECK(CW_MUST(value::to_json(sent)) == R"({"spec":{"ports":[{"port":443},{"port":80,"x":1}]}})");
}

TEST_CASE("A number that the API server keeps is not cut") {
  const char* wide = R"({"spec":{"x":4294967376}})";
  CHECK(cut(json(wide), json(wide)).empty());
  // As a quantity, in a field that the schema lacks, or changed by a webhook.
  CHECK(cut(json(wide), json(R"({"spec":{"x":"4294967376"}})")).empty());
  CHECK(cut(json(wide), json(R"({"spec":{}})")).empty());
  CHECK(cut(json(wide), json(R"({"spec":{"x":5}})")).empty());
  CHECK(cut(json(R"({"l":[4294967376,1]})"), json(R"({"l":[80,4294967376]})")).empty());
}

}  // namespace
}  // namespace chartwright::fields
