// SPDX-License-Identifier: Apache-2.0
#include "base/openssl_error.h"

#include <openssl/bn.h>
#include <openssl/err.h>

#include <catch2/catch.hpp>
#include <limits>

namespace chartwright::base {
namespace {

Result<int> divide(BN_ULONG numerator, BN_ULONG denominator) {
  CW_TRY_OPENSSL_NEW(const auto ctx, BN_CTX_free, BN_CTX_new());
  CW_TRY_OPENSSL_NEW(const auto n, BN_free, BN_new());
  CW_TRY_OPENSSL_NEW(const auto d, BN_free, BN_new());
  CW_TRY_OPENSSL(BN_set_word(n.get(), numerator));
  CW_TRY_OPENSSL(BN_set_word(d.get(), denominator));
  CW_TRY_OPENSSL(BN_div(n.get(), nullptr, n.get(), d.get(), ctx.get()));
  return static_cast<int>(BN_get_word(n.get()));
}

Result<int> own_nothing() {
  CW_TRY_OPENSSL_NEW(const auto number, BN_free, static_cast<BIGNUM*>(nullptr));
  return BN_is_zero(number.get());
}

}  // namespace

TEST_CASE("A call of OpenSSL that fails is an error with its name and OpenSSL's reason") {
  CHECK(CW_MUST(divide(42, 6)) == 7);
  const auto failed = divide(1, 0);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code() == ErrorCode::kInternal);
  CHECK(failed.error().message() == "BN_div of OpenSSL failed: div by zero");
}

TEST_CASE("The reason is the last, and leaves none behind") {
  static_cast<void>(divide(1, 0));
  ERR_raise(ERR_LIB_BN, BN_R_NO_SOLUTION);
  ERR_raise(ERR_LIB_BN, BN_R_DIV_BY_ZERO);
  CHECK(openssl_error("BN_x(a, b)").message() == "BN_x of OpenSSL failed: div by zero");
  CHECK(openssl_error("BN_x(a, b)").message() == "BN_x of OpenSSL failed: no reason given");
}

TEST_CASE("An object that was not made is an error") {
  const auto failed = own_nothing();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message().ends_with(" of OpenSSL failed: no reason given"));
}

TEST_CASE("A length that is not an int is refused") {
  CHECK(CW_MUST(openssl_length(0)) == 0);
  CHECK(CW_MUST(openssl_length(2147483647)) == std::numeric_limits<int>::max());
  for (const size_t bytes : {size_t{1} << 31, (size_t{1} << 32) + 5, SIZE_MAX}) {
    const auto refused = openssl_length(bytes);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code() == ErrorCode::kInvalidArgument);
  }
}

}  // namespace chartwright::base
