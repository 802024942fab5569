// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "kube/config.h"

namespace chartwright::kube {

/// The PEM data of one TLS connection. A member that is not configured is empty.
struct TlsMaterial {
  std::string ca;
  std::string cert;
  std::string key;
};

/// The current token and TLS material of a Config. A token file is re-read after 60 s, certificate
/// files after 5 min. If a file can no longer be read, its last contents stay in use. Thread-safe.
/// Source: client-go transport/token_source.go, transport/cert_rotation.go.
class Credentials {
 public:
  /// Reads all files once. `clock` must outlive the credentials. Errors: those of base::read_file.
  static base::Result<std::unique_ptr<Credentials>> load(const Config& config, base::Clock& clock);

  /// Returns the bearer token to send; empty = none.
  std::string token() CW_EXCLUDES(mutex_);
  /// Re-reads the token file because the server rejected the token `used`. Returns true if the
  /// file now holds a different token.
  bool refresh_token(const std::string& used) CW_EXCLUDES(mutex_);
  /// Never null. The caller holds on to the result for as long as a request uses the data.
  std::shared_ptr<const TlsMaterial> tls() CW_EXCLUDES(mutex_);

 private:
  Credentials(const Config& config, base::Clock& clock) : config_(config), clock_(clock) {}
  base::Status read_token() CW_REQUIRES(mutex_);
  base::Status read_tls() CW_REQUIRES(mutex_);

  const Config config_;
  base::Clock& clock_;
  base::Mutex mutex_;
  std::string token_ CW_GUARDED_BY(mutex_);
  base::MonotonicTime token_read_ CW_GUARDED_BY(mutex_){};
  std::shared_ptr<const TlsMaterial> tls_ CW_GUARDED_BY(mutex_);
  base::MonotonicTime tls_read_ CW_GUARDED_BY(mutex_){};
};

}  // namespace chartwright::kube
