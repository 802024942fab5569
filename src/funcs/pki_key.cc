// SPDX-License-Identifier: Apache-2.0
#include <openssl/bio.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/check.h"
#include "funcs/pki.h"
#include "funcs/pki_pem.h"
#include "funcs/pki_rsa.h"

namespace chartwright::funcs {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

base::Error bad_key(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

evp_pkey_st* generate_dsa() {
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> parameters(
      EVP_PKEY_CTX_new_id(EVP_PKEY_DSA, nullptr), EVP_PKEY_CTX_free);
  EVP_PKEY* domain = nullptr;
  CW_CHECK(parameters != nullptr && EVP_PKEY_paramgen_init(parameters.get()) == 1);
  CW_CHECK(EVP_PKEY_CTX_set_dsa_paramgen_bits(parameters.get(), 2048) == 1);
  CW_CHECK(EVP_PKEY_CTX_set_dsa_paramgen_q_bits(parameters.get(), 256) == 1);
  CW_CHECK(EVP_PKEY_paramgen(parameters.get(), &domain) == 1);
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> keys(
      EVP_PKEY_CTX_new(domain, nullptr), EVP_PKEY_CTX_free);
  EVP_PKEY_free(domain);
  EVP_PKEY* key = nullptr;
  CW_CHECK(keys != nullptr && EVP_PKEY_keygen_init(keys.get()) == 1);
  CW_CHECK(EVP_PKEY_keygen(keys.get(), &key) == 1);
  return key;
}

evp_pkey_st* generate_key(PrivateKey::Kind kind) {
  switch (kind) {
    case PrivateKey::Kind::kRsa2048:
      return generate_rsa_key(2048);
    case PrivateKey::Kind::kRsa4096:
      return generate_rsa_key(4096);
    case PrivateKey::Kind::kDsa:
      return generate_dsa();
    case PrivateKey::Kind::kEcdsaP256:
      return EVP_EC_gen("P-256");
    case PrivateKey::Kind::kEd25519:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  }
  return nullptr;
}

evp_pkey_st* decode(int type, const std::string& der) {
  const auto* data = reinterpret_cast<const unsigned char*>(der.data());
  return d2i_PrivateKey(type, nullptr, &data, static_cast<long>(der.size()));
}

evp_pkey_st* decode_pkcs8(const std::string& der) {
  const auto* data = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<PKCS8_PRIV_KEY_INFO, decltype(&PKCS8_PRIV_KEY_INFO_free)> info(
      d2i_PKCS8_PRIV_KEY_INFO(nullptr, &data, static_cast<long>(der.size())),
      PKCS8_PRIV_KEY_INFO_free);
  return info != nullptr ? EVP_PKCS82PKEY(info.get()) : nullptr;
}

bool decodes(evp_pkey_st* key) {
  EVP_PKEY_free(key);
  return key != nullptr;
}

// Go names the reader that would have understood the bytes.
std::string why_not(const std::string& der, std::string_view tried) {
  const auto use = [](std::string_view reader) {
    return "x509: failed to parse private key (use " + std::string(reader) +
           " instead for this key format)";
  };
  if (tried != "EC" && decodes(decode(EVP_PKEY_EC, der))) {
    return use("ParseECPrivateKey");
  }
  if (tried != "PKCS8" && decodes(decode_pkcs8(der))) {
    return use("ParsePKCS8PrivateKey");
  }
  if (tried != "RSA" && decodes(decode(EVP_PKEY_RSA, der))) {
    return use("ParsePKCS1PrivateKey");
  }
  return "x509: malformed private key";
}

}  // namespace

void PrivateKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

PrivateKey PrivateKey::generate(Kind kind) {
  evp_pkey_st* key = generate_key(kind);
  CW_CHECK(key != nullptr);
  return PrivateKey(key);
}

base::Result<PrivateKey> PrivateKey::parse_pem(const std::string& text) {
  const std::optional<PemBlock> block = first_pem_block(text);
  if (!block) {
    return bad_key("no PEM data in input");
  }
  constexpr std::string_view kSuffix = " PRIVATE KEY";
  if (block->type == "PRIVATE KEY") {
    evp_pkey_st* key = decode_pkcs8(block->der);
    return key != nullptr ? base::Result<PrivateKey>(PrivateKey(key))
                          : bad_key("decoding PEM as PKCS#8: " + why_not(block->der, "PKCS8"));
  }
  if (!block->type.ends_with(kSuffix)) {
    return bad_key("no private key data in PEM block of type " + block->type);
  }
  const std::string kind = block->type.substr(0, block->type.size() - kSuffix.size());
  if (kind != "RSA" && kind != "EC" && kind != "DSA") {
    return bad_key("invalid private key type " + block->type);
  }
  const int type = kind == "RSA" ? EVP_PKEY_RSA : (kind == "EC" ? EVP_PKEY_EC : EVP_PKEY_DSA);
  evp_pkey_st* key = decode(type, block->der);
  if (key == nullptr) {
    return bad_key("parsing " + kind + " private key from PEM: " + why_not(block->der, kind));
  }
  return PrivateKey(key);
}

std::string PrivateKey::to_pem() const {
  const Bio bio(BIO_new(BIO_s_mem()), BIO_free);
  CW_CHECK(bio != nullptr);
  const int type = EVP_PKEY_get_base_id(key_.get());
  const bool traditional = type == EVP_PKEY_RSA || type == EVP_PKEY_DSA || type == EVP_PKEY_EC;
  const int written =
      traditional
          ? PEM_write_bio_PrivateKey_traditional(bio.get(), key_.get(), nullptr, nullptr, 0,
                                                 nullptr, nullptr)
          : PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  CW_CHECK(written == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

}  // namespace chartwright::funcs
