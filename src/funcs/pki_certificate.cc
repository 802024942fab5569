// SPDX-License-Identifier: Apache-2.0
#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>

#include "base/check.h"
#include "base/unicode.h"
#include "funcs/pki.h"
#include "funcs/pki_pem.h"
#include "tmpl/quote.h"

namespace chartwright::funcs {
namespace {

base::Error cannot_create(std::string message) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::move(message));
}

template <typename T, auto kFree>
struct Deleter {
  void operator()(T* p) const { kFree(p); }
};
template <typename T, auto kFree>
using Owned = std::unique_ptr<T, Deleter<T, kFree>>;

// What Go's asn1 package writes as a PrintableString; anything else is a UTF8String.
bool is_printable_string(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return alphanumeric || std::string_view(" '()+,-./:=?").find(c) != std::string_view::npos;
  });
}

// The hash that Go signs with; nullptr with ok for keys that need none.
base::Result<const EVP_MD*> signing_hash(evp_pkey_st* key) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA:
      return EVP_sha256();
    case EVP_PKEY_EC: {
      const int bits = EVP_PKEY_get_bits(key);
      return bits <= 256 ? EVP_sha256() : (bits <= 384 ? EVP_sha384() : EVP_sha512());
    }
    case EVP_PKEY_ED25519:
      return static_cast<const EVP_MD*>(nullptr);
    case EVP_PKEY_DSA:
      return cannot_create("x509: certificate private key does not implement crypto.Signer");
    default:
      return cannot_create("x509: only RSA, ECDSA and Ed25519 keys supported");
  }
}

std::string public_key_bits(x509_st* certificate) {
  const ASN1_BIT_STRING* bits = X509_get0_pubkey_bitstr(certificate);
  CW_CHECK(bits != nullptr);
  return std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(bits)),
                     static_cast<size_t>(ASN1_STRING_length(bits)));
}

}  // namespace

/// Fills in one certificate, part by part.
class CertificateBuilder {
 public:
  CertificateBuilder(const CertificateTemplate& contents, const PrivateKey& subject,
                     const Issuer& issuer)
      : contents_(contents), subject_(subject), issuer_(issuer), made_(X509_new()) {
    CW_CHECK(made_.get() != nullptr);
  }
  base::Result<std::string> build();

 private:
  base::Status set_names();
  void set_times_and_serial();
  void set_key();
  base::Status add_extensions();
  void add_key_usage();
  void add_key_ids();
  base::Status add_alternative_names();
  void add(int nid, bool critical, void* extension);
  x509_st* get() const { return made_.get(); }
  bool is_authority() const { return contents_.use == CertificateUse::kAuthority; }

  const CertificateTemplate& contents_;
  const PrivateKey& subject_;
  const Issuer& issuer_;
  X509Certificate made_;
};

base::Status CertificateBuilder::set_names() {
  X509_NAME* name = X509_get_subject_name(get());
  const std::string& text = contents_.common_name;
  if (!base::is_valid_utf8(text)) {
    return cannot_create("asn1: string not valid UTF-8");
  }
  if (!text.empty()) {
    const int type = is_printable_string(text) ? V_ASN1_PRINTABLESTRING : V_ASN1_UTF8STRING;
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    // OpenSSL keeps to the 64 characters of RFC 5280 only where it builds the string by itself.
    const Owned<X509_NAME_ENTRY, X509_NAME_ENTRY_free> entry(X509_NAME_ENTRY_create_by_NID(
        nullptr, NID_commonName, type, bytes, static_cast<int>(text.size())));
    CW_CHECK(entry != nullptr && X509_NAME_add_entry(name, entry.get(), -1, 0) == 1);
  }
  const X509_NAME* issuer_name =
      issuer_.certificate != nullptr ? X509_get_subject_name(issuer_.certificate->get()) : name;
  CW_CHECK(X509_set_issuer_name(get(), issuer_name) == 1);
  return {};
}

void CertificateBuilder::set_times_and_serial() {
  CW_CHECK(X509_set_version(get(), X509_VERSION_3) == 1);
  CW_CHECK(ASN1_TIME_set(X509_getm_notBefore(get()), contents_.not_before) != nullptr);
  CW_CHECK(ASN1_TIME_set(X509_getm_notAfter(get()), contents_.not_after) != nullptr);
  const Owned<BIGNUM, BN_free> serial(
      BN_bin2bn(contents_.serial.data(), static_cast<int>(contents_.serial.size()), nullptr));
  CW_CHECK(serial != nullptr);
  CW_CHECK(BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(get())) != nullptr);
}

void CertificateBuilder::set_key() { CW_CHECK(X509_set_pubkey(get(), subject_.get()) == 1); }

void CertificateBuilder::add(int nid, bool critical, void* extension) {
  CW_CHECK(X509_add1_ext_i2d(get(), nid, extension, critical ? 1 : 0, X509V3_ADD_APPEND) == 1);
}

// Key usage, extended key usage, basic constraints.
void CertificateBuilder::add_key_usage() {
  const Owned<ASN1_BIT_STRING, ASN1_BIT_STRING_free> usage(ASN1_BIT_STRING_new());
  CW_CHECK(usage != nullptr);
  constexpr int kDigitalSignature = 0;
  constexpr int kKeyEncipherment = 2;
  constexpr int kCertificateSign = 5;
  CW_CHECK(ASN1_BIT_STRING_set_bit(usage.get(), kDigitalSignature, 1) == 1);
  CW_CHECK(ASN1_BIT_STRING_set_bit(usage.get(), kKeyEncipherment, 1) == 1);
  if (is_authority()) {
    CW_CHECK(ASN1_BIT_STRING_set_bit(usage.get(), kCertificateSign, 1) == 1);
  }
  add(NID_key_usage, true, usage.get());
  const Owned<EXTENDED_KEY_USAGE, EXTENDED_KEY_USAGE_free> extended(EXTENDED_KEY_USAGE_new());
  CW_CHECK(extended != nullptr);
  for (int nid : {NID_server_auth, NID_client_auth}) {
    CW_CHECK(sk_ASN1_OBJECT_push(extended.get(), OBJ_nid2obj(nid)) > 0);
  }
  add(NID_ext_key_usage, false, extended.get());
  const Owned<BASIC_CONSTRAINTS, BASIC_CONSTRAINTS_free> constraints(BASIC_CONSTRAINTS_new());
  CW_CHECK(constraints != nullptr);
  constraints->ca = is_authority() ? 0xFF : 0;
  add(NID_basic_constraints, true, constraints.get());
}

// An authority is given an id, and what another authority signs names the id of that one.
void CertificateBuilder::add_key_ids() {
  constexpr int kIdBytes = 20;
  if (is_authority()) {
    const std::string bits = public_key_bits(get());
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(bits.data()), bits.size(), digest);
    const Owned<ASN1_OCTET_STRING, ASN1_OCTET_STRING_free> id(ASN1_OCTET_STRING_new());
    CW_CHECK(id != nullptr && ASN1_OCTET_STRING_set(id.get(), digest, kIdBytes) == 1);
    add(NID_subject_key_identifier, false, id.get());
  }
  if (issuer_.certificate == nullptr ||
      X509_NAME_cmp(X509_get_subject_name(get()), X509_get_issuer_name(get())) == 0) {
    return;
  }
  const ASN1_OCTET_STRING* issuer_id = X509_get0_subject_key_id(issuer_.certificate->get());
  if (issuer_id == nullptr || ASN1_STRING_length(issuer_id) == 0) {
    return;
  }
  const Owned<AUTHORITY_KEYID, AUTHORITY_KEYID_free> authority(AUTHORITY_KEYID_new());
  CW_CHECK(authority != nullptr);
  authority->keyid = ASN1_OCTET_STRING_dup(issuer_id);
  add(NID_authority_key_identifier, false, authority.get());
}

base::Status CertificateBuilder::add_alternative_names() {
  if (contents_.dns_names.empty() && contents_.addresses.empty()) {
    return {};
  }
  const Owned<GENERAL_NAMES, GENERAL_NAMES_free> names(GENERAL_NAMES_new());
  CW_CHECK(names != nullptr);
  const auto push = [&names](int type, ASN1_STRING* value, const std::string& bytes) {
    GENERAL_NAME* name = GENERAL_NAME_new();
    CW_CHECK(name != nullptr && value != nullptr);
    CW_CHECK(ASN1_STRING_set(value, bytes.data(), static_cast<int>(bytes.size())) == 1);
    GENERAL_NAME_set0_value(name, type, value);
    CW_CHECK(sk_GENERAL_NAME_push(names.get(), name) > 0);
  };
  for (const std::string& name : contents_.dns_names) {
    if (std::any_of(name.begin(), name.end(),
                    [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
      return cannot_create("x509: " + tmpl::quote(name) + " cannot be encoded as an IA5String");
    }
    push(GEN_DNS, ASN1_IA5STRING_new(), name);
  }
  for (const std::string& address : contents_.addresses) {
    push(GEN_IPADD, ASN1_OCTET_STRING_new(), address);
  }
  add(NID_subject_alt_name, contents_.common_name.empty(), names.get());
  return {};
}

base::Status CertificateBuilder::add_extensions() {
  add_key_usage();
  add_key_ids();
  return add_alternative_names();
}

base::Result<std::string> CertificateBuilder::build() {
  evp_pkey_st* signer = issuer_.key.get();
  CW_TRY(const EVP_MD* hash, signing_hash(signer));
  if (EVP_PKEY_get_base_id(subject_.get()) == EVP_PKEY_DSA) {
    return cannot_create("x509: unsupported public key type: *dsa.PublicKey");
  }
  if (issuer_.certificate != nullptr &&
      EVP_PKEY_eq(X509_get0_pubkey(issuer_.certificate->get()), signer) != 1) {
    return cannot_create("x509: provided PrivateKey doesn't match parent's PublicKey");
  }
  set_times_and_serial();
  CW_TRY_VOID(set_names());
  set_key();
  CW_TRY_VOID(add_extensions());
  CW_CHECK(X509_sign(get(), signer, hash) > 0);
  unsigned char* der = nullptr;
  const int size = i2d_X509(get(), &der);
  CW_CHECK(size > 0);
  const PemBlock block{"CERTIFICATE",
                       std::string(reinterpret_cast<const char*>(der), static_cast<size_t>(size))};
  OPENSSL_free(der);
  return to_pem(block);
}

void X509Certificate::Free::operator()(x509_st* certificate) const { X509_free(certificate); }

base::Result<X509Certificate> X509Certificate::parse_pem(const std::string& text) {
  const std::optional<PemBlock> block = first_pem_block(text);
  if (!block) {
    return base::Error(base::ErrorCode::kNotFound, "no PEM data in input");
  }
  const auto* data = reinterpret_cast<const unsigned char*>(block->der.data());
  x509_st* certificate = d2i_X509(nullptr, &data, static_cast<long>(block->der.size()));
  if (certificate == nullptr) {
    return base::Error(base::ErrorCode::kParse, "x509: malformed certificate");
  }
  return X509Certificate(certificate);
}

base::Result<std::string> create_certificate(const CertificateTemplate& contents,
                                             const PrivateKey& subject, const Issuer& issuer) {
  return CertificateBuilder(contents, subject, issuer).build();
}

}  // namespace chartwright::funcs
