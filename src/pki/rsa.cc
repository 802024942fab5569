// SPDX-License-Identifier: Apache-2.0
#include "pki/rsa.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/openssl_error.h"

namespace chartwright::pki {
namespace {

constexpr BN_ULONG kPublicExponent = 65537;
// If the primes differ by less than 2 to the power of (half the key's bits - kDistanceBits), they
// are easy to find. Source: FIPS 186-5 A.1.3.
constexpr int kDistanceBits = 100;

using Number = base::OpenSslPtr<BIGNUM, BN_clear_free>;

// Allocates numbers on which operations take the same time regardless of their values.
base::Status make_secrets(std::initializer_list<Number*> numbers) {
  for (Number* number : numbers) {
    CW_TRY_OPENSSL_NEW(*number, BN_clear_free, BN_secure_new());
    BN_set_flags(number->get(), BN_FLG_CONSTTIME);
  }
  return {};
}

// The numbers of an RSA key; p is the larger prime.
struct RsaNumbers {
  Number e;
  Number p;
  Number q;
  Number n;
  Number d;
  Number d_mod_p_less;
  Number d_mod_q_less;
  Number inverse_of_q;
};

// Chooses a random prime p of exactly `bits` with the top two bits set, so that the product of two
// has twice as many bits. p - 1 and the public exponent have no common factor.
base::Status choose_prime(BIGNUM* prime, int bits, BN_CTX* ctx) {
  do {
    CW_TRY_OPENSSL(BN_generate_prime_ex2(prime, bits, 0, nullptr, nullptr, nullptr, ctx));
  } while (BN_mod_word(prime, kPublicExponent) == 1);
  return {};
}

base::Result<bool> are_far_apart(const RsaNumbers& key, int bits) {
  Number distance;
  CW_TRY_VOID(make_secrets({&distance}));
  CW_TRY_OPENSSL(BN_sub(distance.get(), key.p.get(), key.q.get()));
  return BN_num_bits(distance.get()) > bits / 2 - kDistanceBits;
}

base::Status choose_primes(RsaNumbers& key, int bits, BN_CTX* ctx) {
  bool are_apart = false;
  while (!are_apart) {
    CW_TRY_VOID(choose_prime(key.p.get(), bits / 2, ctx));
    CW_TRY_VOID(choose_prime(key.q.get(), bits / 2, ctx));
    CW_TRY(are_apart, are_far_apart(key, bits));
  }
  if (BN_cmp(key.p.get(), key.q.get()) < 0) {
    std::swap(key.p, key.q);
  }
  return {};
}

// Computes d, the inverse of e modulo the least common multiple of p - 1 and q - 1, and the values
// that the Chinese remainder theorem needs.
base::Status derive_private_exponent(RsaNumbers& key, BN_CTX* ctx) {
  Number p_less;
  Number q_less;
  Number product;
  Number divisor;
  Number multiple;
  CW_TRY_VOID(make_secrets({&p_less, &q_less, &product, &divisor, &multiple}));
  CW_TRY_OPENSSL(BN_sub(p_less.get(), key.p.get(), BN_value_one()));
  CW_TRY_OPENSSL(BN_sub(q_less.get(), key.q.get(), BN_value_one()));
  CW_TRY_OPENSSL(BN_mul(product.get(), p_less.get(), q_less.get(), ctx));
  CW_TRY_OPENSSL(BN_gcd(divisor.get(), p_less.get(), q_less.get(), ctx));
  CW_TRY_OPENSSL(BN_div(multiple.get(), nullptr, product.get(), divisor.get(), ctx));
  CW_TRY_OPENSSL(BN_mod_inverse(key.d.get(), key.e.get(), multiple.get(), ctx));
  CW_TRY_OPENSSL(BN_mod(key.d_mod_p_less.get(), key.d.get(), p_less.get(), ctx));
  CW_TRY_OPENSSL(BN_mod(key.d_mod_q_less.get(), key.d.get(), q_less.get(), ctx));
  CW_TRY_OPENSSL(BN_mod_inverse(key.inverse_of_q.get(), key.q.get(), key.p.get(), ctx));
  return {};
}

base::Result<RsaNumbers> random_numbers(int bits) {
  CW_TRY_OPENSSL_NEW(const auto ctx, BN_CTX_free, BN_CTX_secure_new());
  RsaNumbers key;
  CW_TRY_VOID(make_secrets({&key.e, &key.p, &key.q, &key.n, &key.d, &key.d_mod_p_less,
                            &key.d_mod_q_less, &key.inverse_of_q}));
  CW_TRY_OPENSSL(BN_set_word(key.e.get(), kPublicExponent));
  CW_TRY_VOID(choose_primes(key, bits, ctx.get()));
  CW_TRY_OPENSSL(BN_mul(key.n.get(), key.p.get(), key.q.get(), ctx.get()));
  CW_TRY_VOID(derive_private_exponent(key, ctx.get()));
  if (BN_num_bits(key.n.get()) != bits || BN_num_bits(key.d.get()) <= bits / 2) {
    return base::Error(base::ErrorCode::kInternal, "a new RSA key is too weak");
  }
  return key;
}

base::Result<KeyPtr> assemble(const RsaNumbers& key) {
  CW_TRY_OPENSSL_NEW(const auto builder, OSSL_PARAM_BLD_free, OSSL_PARAM_BLD_new());
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
    CW_TRY_OPENSSL(OSSL_PARAM_BLD_push_BN(builder.get(), name, number->get()));
  }
  CW_TRY_OPENSSL_NEW(const auto parameters, OSSL_PARAM_free,
                     OSSL_PARAM_BLD_to_param(builder.get()));
  CW_TRY_OPENSSL_NEW(const auto ctx, EVP_PKEY_CTX_free,
                     EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  CW_TRY_OPENSSL(EVP_PKEY_fromdata_init(ctx.get()));
  EVP_PKEY* assembled = nullptr;
  CW_TRY_OPENSSL(EVP_PKEY_fromdata(ctx.get(), &assembled, EVP_PKEY_KEYPAIR, parameters.get()));
  return KeyPtr(assembled);
}

// The test that FIPS 140 requires for a new key: the public half verifies what the
// private half signs.
base::Status check_halves(evp_pkey_st* key) {
  constexpr std::array<unsigned char, 1> kMessage = {0};
  CW_TRY_OPENSSL_NEW(const auto signer, EVP_MD_CTX_free, EVP_MD_CTX_new());
  CW_TRY_OPENSSL_NEW(const auto verifier, EVP_MD_CTX_free, EVP_MD_CTX_new());
  std::string signature(static_cast<size_t>(EVP_PKEY_get_size(key)), '\0');
  auto* const bytes = reinterpret_cast<unsigned char*>(signature.data());
  size_t size = signature.size();
  CW_TRY_OPENSSL(EVP_DigestSignInit(signer.get(), nullptr, EVP_sha256(), nullptr, key));
  CW_TRY_OPENSSL(EVP_DigestSign(signer.get(), bytes, &size, kMessage.data(), kMessage.size()));
  CW_TRY_OPENSSL(EVP_DigestVerifyInit(verifier.get(), nullptr, EVP_sha256(), nullptr, key));
  CW_TRY_OPENSSL(EVP_DigestVerify(verifier.get(), bytes, size, kMessage.data(), kMessage.size()));
  return {};
}

}  // namespace

base::Result<KeyPtr> generate_rsa_key(int bits) {
  CW_TRY(const RsaNumbers numbers, random_numbers(bits));
  CW_TRY(KeyPtr key, assemble(numbers));
  CW_TRY_VOID(check_halves(key.get()));
  return key;
}

}  // namespace chartwright::pki
