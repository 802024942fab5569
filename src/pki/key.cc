// SPDX-License-Identifier: Apache-2.0
#include <openssl/bio.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/openssl_error.h"
#include "pki/pem.h"
#include "pki/pki.h"
#include "pki/rsa.h"

namespace chartwright::pki {
namespace {

base::Error bad_key(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

base::Result<KeyPtr> generate_dsa() {
  CW_TRY_OPENSSL_NEW(const auto parameters, EVP_PKEY_CTX_free,
                     EVP_PKEY_CTX_new_id(EVP_PKEY_DSA, nullptr));
  CW_TRY_OPENSSL(EVP_PKEY_paramgen_init(parameters.get()));
  CW_TRY_OPENSSL(EVP_PKEY_CTX_set_dsa_paramgen_bits(parameters.get(), 2048));
  CW_TRY_OPENSSL(EVP_PKEY_CTX_set_dsa_paramgen_q_bits(parameters.get(), 256));
  EVP_PKEY* made = nullptr;
  CW_TRY_OPENSSL(EVP_PKEY_paramgen(parameters.get(), &made));
  const KeyPtr domain(made);
  CW_TRY_OPENSSL_NEW(const auto keys, EVP_PKEY_CTX_free, EVP_PKEY_CTX_new(domain.get(), nullptr));
  CW_TRY_OPENSSL(EVP_PKEY_keygen_init(keys.get()));
  EVP_PKEY* key = nullptr;
  CW_TRY_OPENSSL(EVP_PKEY_keygen(keys.get(), &key));
  return KeyPtr(key);
}

base::Result<KeyPtr> generate_on_curve(PrivateKey::Kind kind) {
  KeyPtr key(kind == PrivateKey::Kind::kEd25519 ? EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")
                                                : EVP_EC_gen("P-256"));
  return key != nullptr ? base::Result<KeyPtr>(std::move(key))
                        : base::openssl_error("EVP_PKEY_Q_keygen");
}

base::Result<KeyPtr> generate_key(PrivateKey::Kind kind) {
  switch (kind) {
    case PrivateKey::Kind::kRsa2048:
      return generate_rsa_key(2048);
    case PrivateKey::Kind::kRsa4096:
      return generate_rsa_key(4096);
    case PrivateKey::Kind::kDsa:
      return generate_dsa();
    case PrivateKey::Kind::kEcdsaP256:
    case PrivateKey::Kind::kEd25519:
      break;
  }
  return generate_on_curve(kind);
}

// Returns OpenSSL's identifier of the key in a PEM block "`kind` PRIVATE KEY".
std::optional<int> key_type(std::string_view kind) {
  if (kind == "RSA") {
    return EVP_PKEY_RSA;
  }
  if (kind == "EC") {
    return EVP_PKEY_EC;
  }
  return kind == "DSA" ? std::optional(EVP_PKEY_DSA) : std::nullopt;
}

// Returns nullptr if the bytes are not a key of that type.
KeyPtr decode(int type, const std::string& der) {
  const auto* data = reinterpret_cast<const unsigned char*>(der.data());
  return KeyPtr(d2i_PrivateKey(type, nullptr, &data, static_cast<long>(der.size())));
}

KeyPtr decode_pkcs8(const std::string& der) {
  const auto* data = reinterpret_cast<const unsigned char*>(der.data());
  const base::OpenSslPtr<PKCS8_PRIV_KEY_INFO, PKCS8_PRIV_KEY_INFO_free> info(
      d2i_PKCS8_PRIV_KEY_INFO(nullptr, &data, static_cast<long>(der.size())));
  return KeyPtr(info != nullptr ? EVP_PKCS82PKEY(info.get()) : nullptr);
}

// Like Go, suggests the parser that would have accepted the bytes.
std::string why_not(const std::string& der, std::string_view tried) {
  const auto use = [](std::string_view reader) {
    return "x509: failed to parse private key (use " + std::string(reader) +
           " instead for this key format)";
  };
  if (tried != "EC" && decode(EVP_PKEY_EC, der) != nullptr) {
    return use("ParseECPrivateKey");
  }
  if (tried != "PKCS8" && decode_pkcs8(der) != nullptr) {
    return use("ParsePKCS8PrivateKey");
  }
  if (tried != "RSA" && decode(EVP_PKEY_RSA, der) != nullptr) {
    return use("ParsePKCS1PrivateKey");
  }
  return "x509: malformed private key";
}

}  // namespace

void FreeKey::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

base::Result<PrivateKey> PrivateKey::generate(Kind kind) {
  CW_TRY(KeyPtr key, generate_key(kind));
  return PrivateKey(std::move(key));
}

base::Result<PrivateKey> PrivateKey::parse_pem(const std::string& text) {
  const std::optional<PemBlock> block = first_pem_block(text);
  if (!block) {
    return bad_key("no PEM data in input");
  }
  constexpr std::string_view kSuffix = " PRIVATE KEY";
  if (block->type == "PRIVATE KEY") {
    KeyPtr key = decode_pkcs8(block->der);
    if (key == nullptr) {
      return bad_key("decoding PEM as PKCS#8: " + why_not(block->der, "PKCS8"));
    }
    return PrivateKey(std::move(key));
  }
  if (!block->type.ends_with(kSuffix)) {
    return bad_key("no private key data in PEM block of type " + block->type);
  }
  const std::string kind = block->type.substr(0, block->type.size() - kSuffix.size());
  const std::optional<int> type = key_type(kind);
  if (!type) {
    return bad_key("invalid private key type " + block->type);
  }
  KeyPtr key = decode(*type, block->der);
  if (key == nullptr) {
    return bad_key("parsing " + kind + " private key from PEM: " + why_not(block->der, kind));
  }
  return PrivateKey(std::move(key));
}

base::Result<std::string> PrivateKey::to_pem() const {
  CW_TRY_OPENSSL_NEW(const auto bio, BIO_free, BIO_new(BIO_s_mem()));
  const int type = EVP_PKEY_get_base_id(key_.get());
  if (type == EVP_PKEY_RSA || type == EVP_PKEY_DSA || type == EVP_PKEY_EC) {
    CW_TRY_OPENSSL(PEM_write_bio_PrivateKey_traditional(bio.get(), key_.get(), nullptr, nullptr, 0,
                                                        nullptr, nullptr));
  } else {
    CW_TRY_OPENSSL(
        PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr));
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

}  // namespace chartwright::pki
