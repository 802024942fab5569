// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace chartwright::sim {

/// Sends `count` sequences of random requests to the server in memory and to a real one, which must
/// serve the kind Sample of model.example.com/v1 with a status, and compares the answers and what
/// the servers store. Prints the first difference of each sequence, and removes what it has made.
/// Returns how many sequences differ. Errors: those of the kubeconfig.
base::Result<int> compare_with(const std::string& kubeconfig, const std::string& ns, uint64_t seed,
                               int count);

}  // namespace chartwright::sim
