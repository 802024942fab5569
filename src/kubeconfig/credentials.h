// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "kubeconfig/config.h"
#include "kubeconfig/exec_plugin.h"

namespace chartwright::kube {

/// The PEM data of one TLS connection. A member that is not configured is empty.
struct TlsMaterial {
  std::string ca;
  std::string cert;
  std::string key;
};

/// The user as whom a request is sent.
struct Identity {
  std::string token;  ///< The bearer token; empty: none.
  /// Never null. Held for as long as a request uses the data.
  std::shared_ptr<const TlsMaterial> tls;
};

/// The current token and TLS material of a Config. A token file is re-read after 60 s, certificate
/// files after 5 min. If a file can no longer be read, its last contents stay in use. A credential
/// plugin runs at first use, and again when what it printed has expired or was rejected; meanwhile
/// all callers wait. Thread-safe.
/// Source: client-go transport/token_source.go, transport/cert_rotation.go,
/// plugin/pkg/client/auth/exec/exec.go.
class Credentials {
 public:
  /// Reads all files once, and checks that the plugin is there. `clock` must outlive the
  /// credentials. Errors: those of base::read_file and check_exec_plugin.
  static base::Result<std::unique_ptr<Credentials>> load(const Config& config, base::Clock& clock);

  /// Errors: those of run_exec_plugin.
  base::Result<Identity> identity(const std::stop_token& stop) CW_EXCLUDES(mutex_);
  /// Renews the token, because the server rejected `used`: from its file, or by the plugin. Returns
  /// true if the identity is now another one. Errors: those of run_exec_plugin.
  base::Result<bool> refresh(const Identity& used, const std::stop_token& stop) CW_EXCLUDES(mutex_);

 private:
  Credentials(const Config& config, base::Clock& clock);
  base::Status read_token() CW_REQUIRES(mutex_);
  base::Status read_tls() CW_REQUIRES(mutex_);
  base::Status run_plugin(const std::stop_token& stop) CW_REQUIRES(mutex_);
  bool is_expired() const CW_REQUIRES(mutex_);

  const Config config_;
  const bool uses_plugin_;
  base::Clock& clock_;
  base::Mutex mutex_;
  std::string token_ CW_GUARDED_BY(mutex_);
  base::MonotonicTime token_read_ CW_GUARDED_BY(mutex_){};
  std::shared_ptr<const TlsMaterial> tls_ CW_GUARDED_BY(mutex_);
  base::MonotonicTime tls_read_ CW_GUARDED_BY(mutex_){};
  /// The credential that the plugin printed last.
  std::optional<ExecCredential> printed_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::kube
