// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "kube/config.h"

namespace chartwright::kube {

/// PEM texts for one TLS connection; empty where not configured.
struct TlsMaterial {
  std::string ca;
  std::string cert;
  std::string key;
};

/// The current secrets of a Config: a token file is read again after 60 s, certificate files after
/// 5 min. A file that cannot be read any more leaves what was read last in use. Thread-safe.
/// Source: client-go transport/token_source.go, transport/cert_rotation.go.
class Credentials {
 public:
  /// Reads everything once. Both must outlive it. Errors: those of base::read_file.
  static base::Result<std::unique_ptr<Credentials>> load(const Config& config, base::Clock& clock);

  /// The bearer token to send; empty = none.
  std::string token() CW_EXCLUDES(mutex_);
  /// The server refused `used`: reads the token file now. True when it holds another token.
  bool refresh_token(const std::string& used) CW_EXCLUDES(mutex_);
  /// Never null. A caller keeps it for as long as a request uses the texts.
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
