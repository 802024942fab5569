// SPDX-License-Identifier: Apache-2.0
#include "apiserver/serving_certificate.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/digest.h"
#include "pki/pki.h"

namespace chartwright::apiserver {
namespace {

using base::ErrorCode;
using value::Value;

constexpr std::string_view kPemEnd = "-----END CERTIFICATE-----\n";
constexpr int kTriesMax = 5;
constexpr int kAuthorityLifetimes = 10;  ///< An authority lives as long as this many certificates.
constexpr size_t kAuthoritiesMax = 4;
// For clients whose clocks are slow.
constexpr int64_t kBackdateSeconds = 300;

int64_t seconds_of(base::Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

/// Splits certificates in PEM that follow each other.
std::vector<std::string> split_pem(const std::string& text) {
  std::vector<std::string> blocks;
  size_t begin = 0;
  for (size_t end = text.find(kPemEnd); end != std::string::npos; end = text.find(kPemEnd, begin)) {
    end += kPemEnd.size();
    blocks.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return blocks;
}

int64_t end_of(const std::string& pem) {
  const auto certificate = pki::X509Certificate::parse_pem(pem);
  return certificate.ok() ? certificate->not_after() : 0;
}

base::Result<pki::CertificateTemplate> contents_for(std::string common_name, int64_t now,
                                                    int64_t lifetime) {
  pki::CertificateTemplate contents;
  contents.common_name = std::move(common_name);
  contents.not_before = now - kBackdateSeconds;
  contents.not_after = now + lifetime;
  CW_TRY_VOID(base::fill_random(contents.serial));
  return contents;
}

/// Puts a new authority before the others.
base::Status add_authority(Serving& serving, int64_t now, int64_t lifetime) {
  CW_TRY(const std::string chance, base::random_bytes(4));
  CW_TRY(pki::CertificateTemplate contents,
         contents_for("chartwright-views-" + base::hex_encode(chance), now, lifetime));
  contents.use = pki::CertificateUse::kAuthority;
  CW_TRY(const auto key, pki::PrivateKey::generate(pki::PrivateKey::Kind::kEcdsaP256));
  CW_TRY(const std::string pem, pki::create_certificate(contents, key, {nullptr, key}));
  CW_TRY(serving.authority_key, key.to_pem());
  std::vector<std::string> all = split_pem(serving.authorities);
  std::erase_if(all, [now](const std::string& one) { return end_of(one) <= now; });
  all.resize(std::min(all.size(), kAuthoritiesMax - 1));
  serving.authorities = pem;
  for (const std::string& one : all) {
    serving.authorities += one;
  }
  return {};
}

base::Status issue(Serving& serving, const ServingOptions& options, int64_t now) {
  CW_TRY(pki::CertificateTemplate contents,
         contents_for(options.dns_names.front(), now, seconds_of(options.lifetime)));
  contents.dns_names = options.dns_names;
  CW_TRY(const auto authority, pki::X509Certificate::parse_pem(serving.authorities));
  CW_TRY(const auto authority_key, pki::PrivateKey::parse_pem(serving.authority_key));
  CW_TRY(const auto key, pki::PrivateKey::generate(pki::PrivateKey::Kind::kEcdsaP256));
  CW_TRY(serving.identity.certificate,
         pki::create_certificate(contents, key, {&authority, authority_key}));
  CW_TRY(serving.identity.key, key.to_pem());
  return {};
}

/// Reports whether everything can be read, and the certificate is for the names.
bool is_usable(const Serving& serving, const ServingOptions& options) {
  const auto certificate = pki::X509Certificate::parse_pem(serving.identity.certificate);
  return certificate.ok() && pki::PrivateKey::parse_pem(serving.identity.key).ok() &&
         pki::X509Certificate::parse_pem(serving.authorities).ok() &&
         pki::PrivateKey::parse_pem(serving.authority_key).ok() &&
         std::all_of(options.dns_names.begin(), options.dns_names.end(),
                     [&](const std::string& name) { return certificate->is_for(name); });
}

Serving decoded(const Value& secret) {
  const auto text = [&](std::string_view key) {
    return base::base64_decode(secret.string_at({"data", key})).value_or("");
  };
  return {{text("tls.crt"), text("tls.key")}, text("ca.crt"), text("ca.key")};
}

Value encoded(const Serving& serving) {
  const auto bytes = [](const std::string& text) {
    return Value::string(base::base64_encode(text));
  };
  return Value::dict({{"tls.crt", bytes(serving.identity.certificate)},
                      {"tls.key", bytes(serving.identity.key)},
                      {"ca.crt", bytes(serving.authorities)},
                      {"ca.key", bytes(serving.authority_key)}});
}

}  // namespace

base::Result<Serving> renewed(const Serving& old, const ServingOptions& options, int64_t now) {
  const int64_t lifetime = seconds_of(options.lifetime);
  const int64_t authority_lifetime = lifetime * kAuthorityLifetimes;
  if (!is_usable(old, options)) {
    Serving fresh;
    CW_TRY_VOID(add_authority(fresh, now, authority_lifetime));
    CW_TRY_VOID(issue(fresh, options, now));
    return fresh;
  }
  Serving serving = old;
  const int64_t left = end_of(old.identity.certificate) - now;
  if (end_of(old.authorities) - now < 2 * lifetime) {
    CW_TRY_VOID(add_authority(serving, now, authority_lifetime));
    if (left > 0) {
      return serving;  // The certificate follows at the next check.
    }
  }
  if (left < lifetime / 3) {
    CW_TRY_VOID(issue(serving, options, now));
  }
  return serving;
}

std::string serving_secret(const std::string& service) { return service + "-serving-certificate"; }

base::Status ServingCertificate::store(const Value& live, const Serving& serving,
                                       const kube::Call& call) {
  const Value metadata = Value::dict(
      {{"name", Value::string(secret_.name)},
       {"namespace", Value::string(secret_.ns)},
       {"labels", Value::dict({{"app.kubernetes.io/managed-by", Value::string("chartwright")}})}});
  const Value secret = Value::dict({{"apiVersion", Value::string("v1")},
                                    {"kind", Value::string("Secret")},
                                    {"metadata", metadata},
                                    {"type", Value::string("kubernetes.io/tls")},
                                    {"data", encoded(serving)}});
  if (live.is_nil()) {
    CW_TRY_DISCARD(client_.create(secret, {}, call));
    return {};
  }
  metadata.mutable_dict().set("resourceVersion", Value::string(kube::resource_version_of(live)));
  CW_TRY_DISCARD(client_.update(secret, {}, call));
  return {};
}

base::Result<Serving> ServingCertificate::ensure(int64_t now, const kube::Call& call) {
  for (int tries = 1;; ++tries) {
    auto live = client_.get(secret_, call);
    if (!live.ok() && live.error().code() != ErrorCode::kNotFound) {
      return std::move(live).error();
    }
    const Value found = live.ok() ? *live : Value();
    const Serving old = decoded(found);
    CW_TRY(Serving serving, renewed(old, options_, now));
    if (serving == old) {
      return serving;
    }
    const base::Status stored = store(found, serving, call);
    if (stored.ok()) {
      return serving;
    }
    const bool is_race = stored.error().code() == ErrorCode::kConflict ||
                         stored.error().code() == ErrorCode::kAlreadyExists;
    if (!is_race || tries == kTriesMax) {
      return stored.error();
    }
  }
}

}  // namespace chartwright::apiserver
