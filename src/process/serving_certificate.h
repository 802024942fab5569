// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "runtime/tls_identity.h"

namespace chartwright::process {

/// Returns the certificate and key of the metrics server over HTTPS: tls.crt and tls.key of
/// `folder` if both exist, otherwise a self-signed certificate for localhost, valid for ten years.
/// Errors: kBudget and those of reading a file. Source: kubernetes-sigs/controller-runtime
/// pkg/metrics/server/server.go.
base::Result<runtime::TlsIdentity> serving_identity(const std::string& folder,
                                                    const base::Clock& clock);

/// Returns the end of the validity of its certificate in seconds since the epoch; 0 if that cannot
/// be read.
int64_t end_of(const runtime::TlsIdentity& identity);

}  // namespace chartwright::process
