// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace chartwright::runtime {

/// The identity of an HTTPS server: its certificate (with the chain) and private key, in PEM.
struct TlsIdentity {
  std::string certificate;
  std::string key;
};

}  // namespace chartwright::runtime
