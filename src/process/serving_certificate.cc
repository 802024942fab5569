// SPDX-License-Identifier: Apache-2.0
#include "process/serving_certificate.h"

#include <chrono>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "pki/pki.h"

namespace chartwright::process {
namespace {

constexpr size_t kPemBytesMax = size_t{1} << 20;
// The certificate is not renewed, so it has to outlive the process.
constexpr auto kValidFor = std::chrono::hours(24 * 365 * 10);
// For clients whose clocks are slow.
constexpr auto kValidSince = std::chrono::hours(1);

base::Result<runtime::TlsIdentity> self_signed(const base::Clock& clock) {
  const auto now = std::chrono::floor<std::chrono::seconds>(clock.wall());
  pki::CertificateTemplate contents;
  contents.common_name = "localhost";
  contents.dns_names = {"localhost"};
  contents.addresses = {std::string("\x7f\x00\x00\x01", 4)};
  contents.not_before = (now - kValidSince).time_since_epoch().count();
  contents.not_after = (now + kValidFor).time_since_epoch().count();
  CW_TRY_VOID(base::fill_random(contents.serial));
  CW_TRY(const auto key, pki::PrivateKey::generate(pki::PrivateKey::Kind::kEcdsaP256));
  CW_TRY(std::string certificate, pki::create_certificate(contents, key, {nullptr, key}));
  CW_TRY(std::string key_pem, key.to_pem());
  return runtime::TlsIdentity{std::move(certificate), std::move(key_pem)};
}

bool is_missing(const base::Result<std::string>& file) {
  return !file.ok() && file.error().code() == base::ErrorCode::kNotFound;
}

}  // namespace

base::Result<runtime::TlsIdentity> serving_identity(const std::string& folder,
                                                    const base::Clock& clock) {
  auto certificate = base::read_file(folder + "/tls.crt", kPemBytesMax);
  auto key = base::read_file(folder + "/tls.key", kPemBytesMax);
  if (is_missing(certificate) || is_missing(key)) {
    return self_signed(clock);
  }
  CW_TRY(std::string certificate_pem, std::move(certificate));
  CW_TRY(std::string key_pem, std::move(key));
  return runtime::TlsIdentity{std::move(certificate_pem), std::move(key_pem)};
}

int64_t end_of(const runtime::TlsIdentity& identity) {
  const auto certificate = pki::X509Certificate::parse_pem(identity.certificate);
  return certificate.ok() ? certificate->not_after() : 0;
}

}  // namespace chartwright::process
