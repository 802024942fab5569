// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

// OpenSSL's types.
struct evp_pkey_st;
struct x509_st;

namespace chartwright::pki {

struct FreeKey {
  void operator()(evp_pkey_st* key) const;
};
using KeyPtr = std::unique_ptr<evp_pkey_st, FreeKey>;

/// A private key. Immutable.
class PrivateKey {
 public:
  enum class Kind : uint8_t { kRsa2048, kRsa4096, kDsa, kEcdsaP256, kEd25519 };
  /// Generates a key with OpenSSL's random generator. kRsa4096 and kDsa may take seconds. Error:
  /// kInternal if OpenSSL has no memory or no random numbers.
  static base::Result<PrivateKey> generate(Kind kind);
  /// Parses the first PEM block of `text`. Error: kParse, with Sprig's message.
  static base::Result<PrivateKey> parse_pem(const std::string& text);
  /// Encodes the key as PKCS #1 for RSA, SEC 1 for EC, OpenSSL's own form for DSA, PKCS #8 for
  /// others. Error: kInternal if OpenSSL cannot encode it.
  base::Result<std::string> to_pem() const;
  evp_pkey_st* get() const { return key_.get(); }

 private:
  explicit PrivateKey(KeyPtr key) : key_(std::move(key)) {}
  KeyPtr key_;
};

/// An X.509 certificate. Immutable.
class X509Certificate {
 public:
  /// Parses the first PEM block of `text`. Errors: kNotFound if there is none, kParse.
  static base::Result<X509Certificate> parse_pem(const std::string& text);
  /// Returns the end of its validity in seconds since the epoch; 0 if that cannot be read.
  int64_t not_after() const;
  /// Reports whether it is for a server with that DNS name.
  bool is_for(const std::string& dns_name) const;
  x509_st* get() const { return certificate_.get(); }

 private:
  struct Free {
    void operator()(x509_st* certificate) const;
  };
  explicit X509Certificate(x509_st* certificate) : certificate_(certificate) {}
  std::unique_ptr<x509_st, Free> certificate_;
};

enum class CertificateUse : uint8_t { kServerAndClient, kAuthority };

/// Contents of a new certificate.
struct CertificateTemplate {
  std::string common_name;
  std::vector<std::string> dns_names;
  std::vector<std::string> addresses;  ///< IP addresses of 4 or 16 bytes.
  int64_t not_before = 0;              ///< Seconds since the epoch.
  int64_t not_after = 0;               ///< Seconds since the epoch.
  std::array<uint8_t, 16> serial{};
  CertificateUse use = CertificateUse::kServerAndClient;
};

/// The issuer of a new certificate: its name and key. Without a certificate the new one is
/// self-signed.
struct Issuer {
  const X509Certificate* certificate = nullptr;
  const PrivateKey& key;
};

/// Creates a certificate for `subject`, signed by `issuer`, and returns it as PEM. The extensions
/// and their order are those of Go's x509.CreateCertificate. Errors: kInvalidArgument with Go's
/// message, or for a name of more than a megabyte; kInternal if OpenSSL fails.
base::Result<std::string> create_certificate(const CertificateTemplate& contents,
                                             const PrivateKey& subject, const Issuer& issuer);

}  // namespace chartwright::pki
