// SPDX-License-Identifier: Apache-2.0
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>

#include "pki/pki.h"

namespace chartwright::pki {
namespace {

using Number = std::unique_ptr<BIGNUM, decltype(&BN_free)>;

Number part(const pki::PrivateKey& key, const char* name) {
  BIGNUM* number = nullptr;
  REQUIRE(EVP_PKEY_get_bn_param(key.get(), name, &number) == 1);
  return Number(number, BN_free);
}

// Asks OpenSSL whether the primes are prime, and whether all parts fit together.
bool is_sound(const pki::PrivateKey& key) {
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> ctx(
      EVP_PKEY_CTX_new(key.get(), nullptr), EVP_PKEY_CTX_free);
  return EVP_PKEY_check(ctx.get()) == 1 && EVP_PKEY_private_check(ctx.get()) == 1;
}

}  // namespace

TEST_CASE("Keys of every kind are sound") {
  using Kind = pki::PrivateKey::Kind;
  for (const Kind kind : {Kind::kRsa2048, Kind::kRsa4096, Kind::kEcdsaP256, Kind::kEd25519}) {
    CAPTURE(kind);
    CHECK(is_sound(CW_MUST(pki::PrivateKey::generate(kind))));
  }
}

TEST_CASE("An RSA key is what FIPS 186-5 A.1.3 asks for") {
  const pki::PrivateKey key = CW_MUST(pki::PrivateKey::generate(pki::PrivateKey::Kind::kRsa2048));
  const Number e = part(key, OSSL_PKEY_PARAM_RSA_E);
  const Number d = part(key, OSSL_PKEY_PARAM_RSA_D);
  const Number p = part(key, OSSL_PKEY_PARAM_RSA_FACTOR1);
  const Number q = part(key, OSSL_PKEY_PARAM_RSA_FACTOR2);
  CHECK(EVP_PKEY_get_bits(key.get()) == 2048);
  CHECK(BN_is_word(e.get(), 65537));
  CHECK(BN_num_bits(d.get()) > 1024);
  CHECK(BN_cmp(p.get(), q.get()) > 0);
  for (const Number* prime : {&p, &q}) {
    CHECK(BN_num_bits(prime->get()) == 1024);
    CHECK(BN_is_bit_set(prime->get(), 1022));
    CHECK(BN_mod_word(prime->get(), 65537) != 1);
  }
  const Number distance(BN_new(), BN_free);
  REQUIRE(BN_sub(distance.get(), p.get(), q.get()) == 1);
  CHECK(BN_num_bits(distance.get()) > 1024 - 100);
}

TEST_CASE("No two RSA keys are the same, and each is read back as it was written") {
  std::set<std::string> seen;
  for (int i = 0; i < 3; ++i) {
    const pki::PrivateKey key = CW_MUST(pki::PrivateKey::generate(pki::PrivateKey::Kind::kRsa2048));
    const std::string pem = CW_MUST(key.to_pem());
    CHECK(pem.starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
    CHECK(seen.insert(pem).second);
    const auto read = pki::PrivateKey::parse_pem(pem);
    REQUIRE(read.ok());
    CHECK(EVP_PKEY_eq(read->get(), key.get()) == 1);
    CHECK(CW_MUST(read->to_pem()) == pem);
  }
}

}  // namespace chartwright::pki
