// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/credentials.h"

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

Credentials::Credentials(const Config& config, base::Clock& clock)
    : config_(config),
      uses_plugin_(!config.exec.command.empty() && config.token.empty() &&
                   config.token_file.empty() && config.client_cert.empty()),
      clock_(clock) {}

base::Result<std::unique_ptr<Credentials>> Credentials::load(const Config& config,
                                                             base::Clock& clock) {
  std::unique_ptr<Credentials> credentials(new Credentials(config, clock));
  if (credentials->uses_plugin_) {
    CW_TRY_VOID(check_exec_plugin(config.exec));
  }
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
  if (uses_plugin_) {
    material.cert = printed_ ? printed_->cert : "";
    material.key = printed_ ? printed_->key : "";
  } else {
    CW_TRY(material.cert, read_pem(config_.client_cert));
    CW_TRY(material.key, read_pem(config_.client_key));
  }
  tls_ = std::make_shared<const TlsMaterial>(std::move(material));
  return {};
}

base::Status Credentials::run_plugin(const std::stop_token& stop) {
  CW_TRY(printed_, run_exec_plugin(config_, tls_->ca, clock_, stop));
  token_ = printed_->token;
  if (printed_->cert != tls_->cert || printed_->key != tls_->key) {
    tls_ =
        std::make_shared<const TlsMaterial>(TlsMaterial{tls_->ca, printed_->cert, printed_->key});
  }
  return {};
}

bool Credentials::is_expired() const {
  return !printed_ || (printed_->expires && clock_.wall() > *printed_->expires);
}

base::Result<Identity> Credentials::identity(const std::stop_token& stop) {
  base::MutexLock lock(mutex_);
  // If a file cannot be read, its last contents may still be valid; otherwise the server rejects
  // them.
  if (!config_.token_file.empty() && clock_.monotonic() - token_read_ >= kTokenLifetime) {
    static_cast<void>(read_token());
  }
  const bool from_files = !config_.ca.file.empty() || !config_.client_cert.file.empty() ||
                          !config_.client_key.file.empty();
  if (from_files && clock_.monotonic() - tls_read_ >= kTlsLifetime) {
    static_cast<void>(read_tls());
  }
  if (uses_plugin_ && is_expired()) {
    CW_TRY_VOID(run_plugin(stop));
  }
  return Identity{token_, tls_};
}

base::Result<bool> Credentials::refresh(const Identity& used, const std::stop_token& stop) {
  base::MutexLock lock(mutex_);
  if (uses_plugin_) {
    // Another thread may have renewed it meanwhile.
    if (token_ == used.token && tls_ == used.tls) {
      CW_TRY_VOID(run_plugin(stop));
    }
    return token_ != used.token || tls_ != used.tls;
  }
  if (config_.token_file.empty()) {
    return false;
  }
  static_cast<void>(read_token());
  return token_ != used.token;
}

}  // namespace chartwright::kube
