// SPDX-License-Identifier: Apache-2.0
#include "funcs/pki_rsa.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"

namespace chartwright::funcs {
namespace {

constexpr BN_ULONG kPublicExponent = 65537;
// Primes closer than 2 to the power of half the key's bits less this are easy to find.
// Source: FIPS 186-5 A.1.3.
constexpr int kDistanceBits = 100;

using Number = std::unique_ptr<BIGNUM, decltype(&BN_clear_free)>;
using Context = std::unique_ptr<BN_CTX, decltype(&BN_CTX_free)>;

// A number whose computations take the same time whatever it is.
Number new_secret() {
  Number number(BN_secure_new(), BN_clear_free);
  CW_CHECK(number != nullptr);
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  return number;
}

// A random prime p of exactly `bits`, its top two bits set, so that the product of two has twice as
// many; p - 1 and the public exponent have no common factor.
Number random_prime(int bits, BN_CTX* ctx) {
  Number prime = new_secret();
  do {
    CW_CHECK(BN_generate_prime_ex2(prime.get(), bits, 0, nullptr, nullptr, nullptr, ctx) == 1);
  } while (BN_mod_word(prime.get(), kPublicExponent) == 1);
  return prime;
}

Number minus_one(const Number& number) {
  Number less = new_secret();
  CW_CHECK(BN_copy(less.get(), number.get()) != nullptr && BN_sub_word(less.get(), 1) == 1);
  return less;
}

bool far_apart(const Number& p, const Number& q, int bits) {
  const Number distance = new_secret();
  CW_CHECK(BN_sub(distance.get(), p.get(), q.get()) == 1);
  return BN_num_bits(distance.get()) > bits / 2 - kDistanceBits;
}

// All that an RSA key consists of; p is the larger prime.
struct RsaNumbers {
  Number e = new_secret();
  Number p{nullptr, BN_clear_free};
  Number q{nullptr, BN_clear_free};
  Number n = new_secret();
  Number d = new_secret();
  Number d_mod_p_less = new_secret();
  Number d_mod_q_less = new_secret();
  Number inverse_of_q = new_secret();
};

// d, the inverse of e by the least common multiple of p - 1 and q - 1, and what of it the Chinese
// remainder theorem needs.
void derive_private_exponent(RsaNumbers& key, BN_CTX* ctx) {
  const Number p_less = minus_one(key.p);
  const Number q_less = minus_one(key.q);
  const Number product = new_secret();
  const Number divisor = new_secret();
  const Number multiple = new_secret();
  CW_CHECK(BN_mul(product.get(), p_less.get(), q_less.get(), ctx) == 1);
  CW_CHECK(BN_gcd(divisor.get(), p_less.get(), q_less.get(), ctx) == 1);
  CW_CHECK(BN_div(multiple.get(), nullptr, product.get(), divisor.get(), ctx) == 1);
  CW_CHECK(BN_mod_inverse(key.d.get(), key.e.get(), multiple.get(), ctx) != nullptr);
  CW_CHECK(BN_mod(key.d_mod_p_less.get(), key.d.get(), p_less.get(), ctx) == 1);
  CW_CHECK(BN_mod(key.d_mod_q_less.get(), key.d.get(), q_less.get(), ctx) == 1);
  CW_CHECK(BN_mod_inverse(key.inverse_of_q.get(), key.q.get(), key.p.get(), ctx) != nullptr);
}

RsaNumbers random_numbers(int bits, BN_CTX* ctx) {
  RsaNumbers key;
  CW_CHECK(BN_set_word(key.e.get(), kPublicExponent) == 1);
  do {
    key.p = random_prime(bits / 2, ctx);
    key.q = random_prime(bits / 2, ctx);
  } while (!far_apart(key.p, key.q, bits));
  if (BN_cmp(key.p.get(), key.q.get()) < 0) {
    std::swap(key.p, key.q);
  }
  CW_CHECK(BN_mul(key.n.get(), key.p.get(), key.q.get(), ctx) == 1);
  CW_CHECK(BN_num_bits(key.n.get()) == bits);
  derive_private_exponent(key, ctx);
  CW_CHECK(BN_num_bits(key.d.get()) > bits / 2);
  return key;
}

evp_pkey_st* assemble(const RsaNumbers& key) {
  const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> builder(
      OSSL_PARAM_BLD_new(), OSSL_PARAM_BLD_free);
  CW_CHECK(builder != nullptr);
  const std::pair<const char*, const Number*> parts[] = {
      {OSSL_PKEY_PARAM_RSA_N, &key.n},
      {OSSL_PKEY_PARAM_RSA_E, &key.e},
      {OSSL_PKEY_PARAM_RSA_D, &key.d},
      {OSSL_PKEY_PARAM_RSA_FACTOR1, &key.p},
      {OSSL_PKEY_PARAM_RSA_FACTOR2, &key.q},
      {OSSL_PKEY_PARAM_RSA_EXPONENT1, &key.d_mod_p_less},
      {OSSL_PKEY_PARAM_RSA_EXPONENT2, &key.d_mod_q_less},
      {OSSL_PKEY_PARAM_RSA_COEFFICIENT1, &key.inverse_of_q}};
  for (const auto& [name, number] : parts) {
    CW_CHECK(OSSL_PARAM_BLD_push_BN(builder.get(), name, number->get()) == 1);
  }
  const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> parameters(
      OSSL_PARAM_BLD_to_param(builder.get()), OSSL_PARAM_free);
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> ctx(
      EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr), EVP_PKEY_CTX_free);
  CW_CHECK(parameters != nullptr && ctx != nullptr);
  CW_CHECK(EVP_PKEY_fromdata_init(ctx.get()) == 1);
  EVP_PKEY* assembled = nullptr;
  CW_CHECK(EVP_PKEY_fromdata(ctx.get(), &assembled, EVP_PKEY_KEYPAIR, parameters.get()) == 1);
  return assembled;
}

// The test that FIPS 140 demands of a new key: what one half signs, the other verifies.
bool halves_fit(evp_pkey_st* key) {
  constexpr std::array<unsigned char, 1> kMessage = {0};
  const auto new_digest = [] {
    return std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  };
  const auto signer = new_digest();
  const auto verifier = new_digest();
  std::string signature(static_cast<size_t>(EVP_PKEY_get_size(key)), '\0');
  auto* const bytes = reinterpret_cast<unsigned char*>(signature.data());
  size_t size = signature.size();
  return EVP_DigestSignInit(signer.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
         EVP_DigestSign(signer.get(), bytes, &size, kMessage.data(), kMessage.size()) == 1 &&
         EVP_DigestVerifyInit(verifier.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
         EVP_DigestVerify(verifier.get(), bytes, size, kMessage.data(), kMessage.size()) == 1;
}

}  // namespace

evp_pkey_st* generate_rsa_key(int bits) {
  const Context ctx(BN_CTX_secure_new(), BN_CTX_free);
  CW_CHECK(ctx != nullptr);
  evp_pkey_st* const key = assemble(random_numbers(bits, ctx.get()));
  CW_CHECK(halves_fit(key));
  return key;
}

}  // namespace chartwright::funcs
