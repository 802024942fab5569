// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "grpc/exchange.h"
#include "grpc/schema.h"

namespace chartwright::rpc {

/// Sends a call to the server.
using Send = std::function<Incoming(const Outgoing&)>;

/// Fills `schema` with the files that define a service, by the server's reflection: version v1, or
/// v1alpha where that is not served. `limits` has the limits of all calls. The result has code 0,
/// or says what failed. Source: grpc/grpc-proto grpc/reflection/v1/reflection.proto.
Incoming reflect(const std::string& service, const Outgoing& limits, const Send& send,
                 Schema& schema);

}  // namespace chartwright::rpc
