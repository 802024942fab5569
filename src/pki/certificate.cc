// SPDX-License-Identifier: Apache-2.0
#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>

#include "base/ascii.h"
#include "base/openssl_error.h"
#include "base/unicode.h"
#include "go/quote.h"
#include "pki/pem.h"
#include "pki/pki.h"

namespace chartwright::pki {
namespace {

base::Error cannot_create(std::string message) {
  return base::Error(base::ErrorCode::kInvalidArgument, std::move(message));
}

// Reports whether Go's asn1 package writes `text` as a PrintableString rather than a UTF8String.
bool is_printable_string(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const bool alphanumeric = base::is_ascii_alphanumeric(c);
    return alphanumeric || std::string_view(" '()+,-./:=?").find(c) != std::string_view::npos;
  });
}

// Returns the hash that Go signs with, or nullptr for keys that need none.
base::Result<const EVP_MD*> signing_hash(evp_pkey_st* key) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA:
      return EVP_sha256();
    case EVP_PKEY_EC: {
      const int bits = EVP_PKEY_get_bits(key);
      if (bits <= 256) {
        return EVP_sha256();
      }
      return bits <= 384 ? EVP_sha384() : EVP_sha512();
    }
    case EVP_PKEY_ED25519:
      return static_cast<const EVP_MD*>(nullptr);
    case EVP_PKEY_DSA:
      return cannot_create("x509: certificate private key does not implement crypto.Signer");
    default:
      return cannot_create("x509: only RSA, ECDSA and Ed25519 keys supported");
  }
}

// OpenSSL writes longer names but cannot read them. Source: openssl crypto/x509/x_name.c
// X509_NAME_MAX.
constexpr int kNameBytesMax = 1024 * 1024;

base::Status check_name_size(const X509_NAME* name) {
  const int size = i2d_X509_NAME(name, nullptr);
  if (size <= 0) {
    return base::openssl_error("i2d_X509_NAME");
  }
  if (size > kNameBytesMax) {
    return cannot_create("x509: a name of " + std::to_string(size) + " bytes; it may have " +
                         std::to_string(kNameBytesMax));
  }
  return {};
}

base::Status push_name(GENERAL_NAMES* names, int type, const std::string& bytes) {
  const int string_type = type == GEN_DNS ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING;
  CW_TRY(const int length, base::openssl_length(bytes.size()));
  CW_TRY_OPENSSL_NEW(auto value, ASN1_STRING_free, ASN1_STRING_type_new(string_type));
  CW_TRY_OPENSSL(ASN1_STRING_set(value.get(), bytes.data(), length));
  CW_TRY_OPENSSL_NEW(auto name, GENERAL_NAME_free, GENERAL_NAME_new());
  GENERAL_NAME_set0_value(name.get(), type, value.release());
  CW_TRY_OPENSSL(sk_GENERAL_NAME_push(names, name.get()));
  static_cast<void>(name.release());  // Owned by the list now.
  return {};
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Fills in a certificate, part by part.
class CertificateBuilder {
 public:
  CertificateBuilder(const CertificateTemplate& contents, const PrivateKey& subject,
                     const Issuer& issuer, x509_st* made)
      : contents_(contents), subject_(subject), issuer_(issuer), made_(made) {}
  base::Result<std::string> build();

 private:
  base::Status set_names();
  base::Status set_common_name(X509_NAME* name);
  base::Status set_times_and_serial();
  base::Status add_extensions();
  base::Status add_key_usage();
  base::Status add_extended_key_usage();
  base::Status add_basic_constraints();
  base::Status add_subject_key_id();
  base::Status add_authority_key_id();
  base::Status add_alternative_names();
  base::Status add(int nid, bool critical, void* extension);
  base::Result<std::string> to_pem_text() const;
  bool is_authority() const { return contents_.use == CertificateUse::kAuthority; }

  const CertificateTemplate& contents_;
  const PrivateKey& subject_;
  const Issuer& issuer_;
  x509_st* const made_;
};

base::Status CertificateBuilder::set_common_name(X509_NAME* name) {
  const std::string& text = contents_.common_name;
  if (!base::is_valid_utf8(text)) {
    return cannot_create("asn1: string not valid UTF-8");
  }
  if (text.empty()) {
    return {};
  }
  const int type = is_printable_string(text) ? V_ASN1_PRINTABLESTRING : V_ASN1_UTF8STRING;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  CW_TRY(const int length, base::openssl_length(text.size()));
  // OpenSSL enforces RFC 5280's limit of 64 characters only if it builds the string itself.
  CW_TRY_OPENSSL_NEW(const auto entry, X509_NAME_ENTRY_free,
                     X509_NAME_ENTRY_create_by_NID(nullptr, NID_commonName, type, bytes, length));
  CW_TRY_OPENSSL(X509_NAME_add_entry(name, entry.get(), -1, 0));
  return check_name_size(name);
}

base::Status CertificateBuilder::set_names() {
  X509_NAME* name = X509_get_subject_name(made_);
  CW_TRY_VOID(set_common_name(name));
  const X509_NAME* issuer_name =
      issuer_.certificate != nullptr ? X509_get_subject_name(issuer_.certificate->get()) : name;
  CW_TRY_OPENSSL(X509_set_issuer_name(made_, issuer_name));
  return {};
}

base::Status CertificateBuilder::set_times_and_serial() {
  CW_TRY_OPENSSL(X509_set_version(made_, X509_VERSION_3));
  CW_TRY_OPENSSL(ASN1_TIME_set(X509_getm_notBefore(made_), contents_.not_before));
  CW_TRY_OPENSSL(ASN1_TIME_set(X509_getm_notAfter(made_), contents_.not_after));
  const auto serial_bytes = static_cast<int>(contents_.serial.size());
  CW_TRY_OPENSSL_NEW(const auto serial, BN_free,
                     BN_bin2bn(contents_.serial.data(), serial_bytes, nullptr));
  CW_TRY_OPENSSL(BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(made_)));
  return {};
}

base::Status CertificateBuilder::add(int nid, bool critical, void* extension) {
  CW_TRY_OPENSSL(X509_add1_ext_i2d(made_, nid, extension, critical ? 1 : 0, X509V3_ADD_APPEND));
  return {};
}

base::Status CertificateBuilder::add_key_usage() {
  CW_TRY_OPENSSL_NEW(const auto usage, ASN1_BIT_STRING_free, ASN1_BIT_STRING_new());
  constexpr int kDigitalSignature = 0;
  constexpr int kKeyEncipherment = 2;
  constexpr int kCertificateSign = 5;
  CW_TRY_OPENSSL(ASN1_BIT_STRING_set_bit(usage.get(), kDigitalSignature, 1));
  CW_TRY_OPENSSL(ASN1_BIT_STRING_set_bit(usage.get(), kKeyEncipherment, 1));
  if (is_authority()) {
    CW_TRY_OPENSSL(ASN1_BIT_STRING_set_bit(usage.get(), kCertificateSign, 1));
  }
  return add(NID_key_usage, true, usage.get());
}

base::Status CertificateBuilder::add_extended_key_usage() {
  CW_TRY_OPENSSL_NEW(const auto extended, EXTENDED_KEY_USAGE_free, EXTENDED_KEY_USAGE_new());
  for (int nid : {NID_server_auth, NID_client_auth}) {
    CW_TRY_OPENSSL(sk_ASN1_OBJECT_push(extended.get(), OBJ_nid2obj(nid)));
  }
  return add(NID_ext_key_usage, false, extended.get());
}

base::Status CertificateBuilder::add_basic_constraints() {
  CW_TRY_OPENSSL_NEW(const auto constraints, BASIC_CONSTRAINTS_free, BASIC_CONSTRAINTS_new());
  constraints->ca = is_authority() ? 0xFF : 0;
  return add(NID_basic_constraints, true, constraints.get());
}

base::Status CertificateBuilder::add_subject_key_id() {
  if (!is_authority()) {
    return {};
  }
  constexpr int kIdBytes = 20;
  const ASN1_BIT_STRING* bits = X509_get0_pubkey_bitstr(made_);
  unsigned char digest[SHA256_DIGEST_LENGTH];
  CW_TRY_OPENSSL(
      SHA256(ASN1_STRING_get0_data(bits), static_cast<size_t>(ASN1_STRING_length(bits)), digest));
  CW_TRY_OPENSSL_NEW(const auto id, ASN1_OCTET_STRING_free, ASN1_OCTET_STRING_new());
  CW_TRY_OPENSSL(ASN1_OCTET_STRING_set(id.get(), digest, kIdBytes));
  return add(NID_subject_key_identifier, false, id.get());
}

// A certificate signed by another authority names that authority's key id.
base::Status CertificateBuilder::add_authority_key_id() {
  if (issuer_.certificate == nullptr ||
      X509_NAME_cmp(X509_get_subject_name(made_), X509_get_issuer_name(made_)) == 0) {
    return {};
  }
  const ASN1_OCTET_STRING* issuer_id = X509_get0_subject_key_id(issuer_.certificate->get());
  if (issuer_id == nullptr || ASN1_STRING_length(issuer_id) == 0) {
    return {};
  }
  CW_TRY_OPENSSL_NEW(const auto authority, AUTHORITY_KEYID_free, AUTHORITY_KEYID_new());
  CW_TRY_OPENSSL_NEW(auto id, ASN1_OCTET_STRING_free, ASN1_OCTET_STRING_dup(issuer_id));
  authority->keyid = id.release();
  return add(NID_authority_key_identifier, false, authority.get());
}

base::Status CertificateBuilder::add_alternative_names() {
  if (contents_.dns_names.empty() && contents_.addresses.empty()) {
    return {};
  }
  CW_TRY_OPENSSL_NEW(const auto names, GENERAL_NAMES_free, GENERAL_NAMES_new());
  for (const std::string& name : contents_.dns_names) {
    if (!is_ascii(name)) {
      return cannot_create("x509: " + go::quote(name) + " cannot be encoded as an IA5String");
    }
    CW_TRY_VOID(push_name(names.get(), GEN_DNS, name));
  }
  for (const std::string& address : contents_.addresses) {
    CW_TRY_VOID(push_name(names.get(), GEN_IPADD, address));
  }
  return add(NID_subject_alt_name, contents_.common_name.empty(), names.get());
}

base::Status CertificateBuilder::add_extensions() {
  CW_TRY_VOID(add_key_usage());
  CW_TRY_VOID(add_extended_key_usage());
  CW_TRY_VOID(add_basic_constraints());
  CW_TRY_VOID(add_subject_key_id());
  CW_TRY_VOID(add_authority_key_id());
  return add_alternative_names();
}

base::Result<std::string> CertificateBuilder::to_pem_text() const {
  unsigned char* der = nullptr;
  const int size = i2d_X509(made_, &der);
  if (size <= 0) {
    return base::openssl_error("i2d_X509");
  }
  const PemBlock block{"CERTIFICATE",
                       std::string(reinterpret_cast<const char*>(der), static_cast<size_t>(size))};
  OPENSSL_free(der);
  return to_pem(block);
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
  CW_TRY_VOID(set_times_and_serial());
  CW_TRY_VOID(set_names());
  CW_TRY_OPENSSL(X509_set_pubkey(made_, subject_.get()));
  CW_TRY_VOID(add_extensions());
  CW_TRY_OPENSSL(X509_sign(made_, signer, hash));
  return to_pem_text();
}

}  // namespace

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

int64_t X509Certificate::not_after() const {
  std::tm time{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate_.get()), &time) != 1) {
    return 0;
  }
  return timegm(&time);
}

bool X509Certificate::is_for(const std::string& dns_name) const {
  return X509_check_host(certificate_.get(), dns_name.data(), dns_name.size(), 0, nullptr) == 1;
}

base::Result<std::string> create_certificate(const CertificateTemplate& contents,
                                             const PrivateKey& subject, const Issuer& issuer) {
  CW_TRY_OPENSSL_NEW(const auto made, X509_free, X509_new());
  return CertificateBuilder(contents, subject, issuer, made.get()).build();
}

}  // namespace chartwright::pki
