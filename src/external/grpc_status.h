// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error.h"

namespace chartwright::external {

/// gRPC's code for what is not there, which is a reply and no error.
inline constexpr int kGrpcNotFound = 5;

/// Returns the error for a status of gRPC other than 0, with HTTP's number for it, so that one rule
/// (`was_refused`) tells what the server has not acted on. `said` is the server's message.
base::Error grpc_error(int code, const std::string& said);

}  // namespace chartwright::external
