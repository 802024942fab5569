// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kube/transport.h"
#include "kubeconfig/config.h"

namespace chartwright::kube {

/// Makes a Transport over libcurl. A call runs on the calling thread, over HTTP/1.1 on a connection
/// that no other call uses at the same time. Streams share one thread and, if the server speaks
/// HTTP/2, one connection. Source: docs/design/004. Token files are re-read at least every 60 s,
/// certificate files every 5 min. `clock` must outlive the transport. Error: kInvalidArgument or
/// kNotFound when a certificate or token file cannot be used.
base::Result<std::unique_ptr<Transport>> make_transport(const Config& config, base::Clock& clock,
                                                        TransportOptions options = {});

}  // namespace chartwright::kube
