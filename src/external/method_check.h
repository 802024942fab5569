// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "yaml/document.h"

namespace chartwright::external {

/// Checks the gRPC calls of a file of externals/, whose document is `root`, against a descriptor
/// set: services and methods exist, and reply with one message or a stream as the file expects.
/// Calls that are templates pass. `bytes` are the content of the set, which the file names at
/// driver.grpc.descriptors. Error: kInvalidArgument at the entry that is wrong.
base::Status check_methods(const yaml::DocumentNode& root, const std::string& bytes);

}  // namespace chartwright::external
