// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/log.h"
#include "bundle/watch.h"
#include "kube/client.h"

namespace chartwright::cmd {

/// Checks what `doctor` checks, and logs each fault with its fix: the operator then waits for what
/// is missing, and this says at once what that is. `namespaces`: those that are watched; empty:
/// all. Blocks.
void preflight(const std::vector<bundle::Watch>& watches, std::vector<std::string> namespaces,
               kube::Client& client, const base::Logger& log, const std::stop_token& stop);

}  // namespace chartwright::cmd
