// SPDX-License-Identifier: Apache-2.0
#include "revision/keyed_digest.h"

#include <catch2/catch.hpp>

namespace chartwright::release {
namespace {

TEST_CASE("A keyed digest names its algorithm") {
  // printf abc | openssl dgst -sha256 -hmac kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
  CHECK(CW_MUST(keyed_digest(std::string(kKeyBytes, 'k'), "abc")) ==
        "hmac-sha256:af61b693912efc56e2e46f949719ea10a9e80d68f8dcfb84e26cac5330da3c74");
}

TEST_CASE("No two keys are the same") {
  const std::string key = CW_MUST(make_key());
  CHECK(key.size() == kKeyBytes);
  CHECK(key != CW_MUST(make_key()));
}

}  // namespace
}  // namespace chartwright::release
