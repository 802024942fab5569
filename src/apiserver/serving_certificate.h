// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kube/client.h"
#include "runtime/tls_identity.h"

namespace chartwright::apiserver {

/// The certificate of a server, and the authorities that its clients should trust.
struct Serving {
  runtime::TlsIdentity identity;
  std::string authorities;  ///< PEM; the newest first.
  std::string authority_key;

  bool operator==(const Serving& other) const {
    return identity.certificate == other.identity.certificate && authorities == other.authorities;
  }
};

struct ServingOptions {
  std::vector<std::string> dns_names;
  base::Duration lifetime = std::chrono::hours(24 * 90);  ///< The lifetime of a certificate.
};

/// Returns `old` with what is due for renewal at `now` (the epoch's seconds) renewed: a certificate
/// after two thirds of its lifetime, an authority (which lives ten times as long) when it could not
/// outlive one more certificate. A new authority is announced one check before it signs anything,
/// so that clients know it first; old ones stay until they expire. An empty or unusable `old` is
/// made anew. Errors: those of pki.
base::Result<Serving> renewed(const Serving& old, const ServingOptions& options, int64_t now);

/// Returns the name of the Secret that has the certificate of the server behind a Service.
std::string serving_secret(const std::string& service);

/// The certificate of all replicas of a server, in a Secret. Any of them may renew it.
class ServingCertificate {
 public:
  ServingCertificate(kube::Client& client, kube::ObjectRef secret, ServingOptions options)
      : client_(client), secret_(std::move(secret)), options_(std::move(options)) {}
  /// Reads the Secret, and creates or renews it where that is due. Errors: those of the client and
  /// of pki; kConflict if others keep changing it.
  base::Result<Serving> ensure(int64_t now, const kube::Call& call);

 private:
  base::Status store(const value::Value& live, const Serving& serving, const kube::Call& call);

  kube::Client& client_;
  const kube::ObjectRef secret_;
  const ServingOptions options_;
};

}  // namespace chartwright::apiserver
