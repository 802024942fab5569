// SPDX-License-Identifier: Apache-2.0
#include "host/secret_mask.h"

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "test/release/objects.h"

namespace chartwright::host {
namespace {

using release::testing::json;
using value::Value;

SecretMask mask_of(std::initializer_list<std::string_view> secrets) {
  Value data = Value::dict();
  for (const std::string_view secret : secrets) {
    data.mutable_dict().set("k" + std::to_string(data.as_dict().size()),
                            Value::string(base::base64_encode(secret)));
  }
  SecretMask mask;
  mask.add(Value::dict({{"data", data}}));
  return mask;
}

TEST_CASE("A secret is masked as it is, in base64, in JSON and line by line") {
  const SecretMask mask = mask_of({"hunter2", "a<b>\"c\"", "first line\r\n  second line\n"});
  CHECK(mask.masked("password hunter2, hunter2") == "password ***, ***");
  CHECK(mask.masked("p: " + base::base64_encode("hunter2")) == "p: ***");
  CHECK(mask.masked(R"(a<b>"c" a\u003cb\u003e\"c\" a<b>\"c\")") == "*** *** ***");
  CHECK(mask.masked("x: |\n    first line\n      second line\n") == "x: |\n    ***\n    ***\n");
}

TEST_CASE("A Secret that is still to be written is masked as it will be") {
  SecretMask mask;
  mask.add(json(R"({"stringData":{"p":"hunter2","q":7}})"));
  CHECK(mask.masked("hunter2 " + base::base64_encode("hunter2")) == "*** ***");
}

TEST_CASE("The longest of the secrets that a text begins with is masked") {
  const SecretMask mask = mask_of({"abcd", "abcdef", "abcdefgh1", "abcdz"});
  CHECK(mask.masked("abcdefgh2") == "***gh2");
  CHECK(mask.masked("abcdefgh1") == "***");
  CHECK(mask.masked("abcdy") == "***y");
  CHECK(mask.masked("abcd") == "***");
  CHECK(mask.masked("abc") == "abc");
  CHECK(mask.masked("xabcd") == "x***");
}

TEST_CASE("A secret too short to be told from other text is left") {
  CHECK(mask_of({"abc", "", "1"}).masked("abc 1") == "abc 1");
}

TEST_CASE("A text that is cut ends in no part of a secret") {
  CHECK(mask_of({"hunter2"}).masked("hunter2hunter2hunter2", 7).find("hunter") ==
        std::string::npos);
  CHECK(SecretMask().masked("hunter2", 4).size() <= 4);
}

TEST_CASE("The first part of a secret is masked at the end of a text that was cut") {
  const SecretMask mask = mask_of({"hunter2hunter2", "hunt"});
  CHECK(mask.masked_cut("password hunter2hun...") == "password ***...");
  CHECK(mask.masked_cut("hunter2hunter2 hun...") == "*** hun...");
  CHECK(mask.masked_cut("hunter2hunter2...") == "***...");
  CHECK(mask.masked_cut("password hunt") == "password ***");
  CHECK(mask.masked_cut("...") == "...");
  CHECK(SecretMask().masked_cut("hunter2hun...") == "hunter2hun...");
}

TEST_CASE("Secrets of any form are taken as they are") {
  SecretMask mask;
  mask.add(Value());
  mask.add(json(R"({"data":[1]})"));
  mask.add(json(R"({"data":{"a":5,"b":null,"c":"no base64!"}})"));
  CHECK(mask.masked("5 no base64!") == "5 ***");
}

TEST_CASE("An error keeps all but its secrets") {
  const SecretMask mask = mask_of({"hunter2"});
  const base::Error error = base::Error(base::ErrorCode::kInvalid, "no hunter2")
                                .at({"a.yaml", 3, 4})
                                .with_http(422, "Invalid")
                                .with_causes({{"FieldValueInvalid", "hunter2 is bad", "spec.a"}})
                                .with_retry_after(5)
                                .with_help("see hunter2");
  const base::Error masked = mask.masked(error);
  CHECK(masked.code() == base::ErrorCode::kInvalid);
  CHECK(masked.to_string() == "a.yaml:3:4: no ***\nsee ***");
  CHECK(masked.http_status() == 422);
  CHECK(masked.reason() == "Invalid");
  REQUIRE(masked.causes().size() == 1);
  CHECK(masked.causes()[0].message == "*** is bad");
  CHECK(masked.causes()[0].field == "spec.a");
  CHECK(masked.retry_after_s() == 5);
}

}  // namespace
}  // namespace chartwright::host
