// SPDX-License-Identifier: Apache-2.0
#include "kube/credentials.h"

#include <utility>

#include "base/file.h"
#include "base/strings.h"

namespace chartwright::kube {
namespace {

constexpr base::Duration kTokenLifetime = std::chrono::seconds(60);
constexpr base::Duration kTlsLifetime = std::chrono::minutes(5);
constexpr size_t kMaxTokenBytes = size_t{64} << 10;
constexpr size_t kMaxPemBytes = size_t{4} << 20;

base::Result<std::string> read_pem(const PemSource& source) {
  if (source.file.empty()) {
    return source.data;
  }
  return base::read_file(source.file, kMaxPemBytes);
}

}  // namespace

base::Result<std::unique_ptr<Credentials>> Credentials::load(const Config& config,
                                                             base::Clock& clock) {
  std::unique_ptr<Credentials> credentials(new Credentials(config, clock));
  base::MutexLock lock(credentials->mutex_);
  CW_TRY_VOID(credentials->read_token());
  CW_TRY_VOID(credentials->read_tls());
  return credentials;
}

base::Status Credentials::read_token() {
  token_read_ = clock_.monotonic();
  if (config_.token_file.empty()) {
    token_ = config_.token;
    return {};
  }
  CW_TRY(const std::string text, base::read_file(config_.token_file, kMaxTokenBytes));
  const std::string_view token = base::trim(text);
  // A header must not contain line breaks. An empty file is being rewritten.
  if (token.empty() || token.find_first_of("\r\n") != std::string_view::npos) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       config_.token_file + ": expected one bearer token");
  }
  token_ = token;
  return {};
}

base::Status Credentials::read_tls() {
  tls_read_ = clock_.monotonic();
  TlsMaterial material;
  CW_TRY(material.ca, read_pem(config_.ca));
  CW_TRY(material.cert, read_pem(config_.client_cert));
  CW_TRY(material.key, read_pem(config_.client_key));
  tls_ = std::make_shared<const TlsMaterial>(std::move(material));
  return {};
}

std::string Credentials::token() {
  base::MutexLock lock(mutex_);
  if (!config_.token_file.empty() && clock_.monotonic() - token_read_ >= kTokenLifetime) {
    // If this fails, the old token may still be valid; otherwise the server rejects it.
    static_cast<void>(read_token());
  }
  return token_;
}

bool Credentials::refresh_token(const std::string& used) {
  base::MutexLock lock(mutex_);
  if (config_.token_file.empty()) {
    return false;
  }
  static_cast<void>(read_token());
  return token_ != used;
}

std::shared_ptr<const TlsMaterial> Credentials::tls() {
  base::MutexLock lock(mutex_);
  const bool from_files = !config_.ca.file.empty() || !config_.client_cert.file.empty() ||
                          !config_.client_key.file.empty();
  if (from_files && clock_.monotonic() - tls_read_ >= kTlsLifetime) {
    // The last contents stay in use while a file is being replaced.
    static_cast<void>(read_tls());
  }
  return tls_;
}

}  // namespace chartwright::kube
