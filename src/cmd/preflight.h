// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/log.h"
#include "bundle/watch.h"
#include "generate/view_rules.h"
#include "kube/client.h"

namespace chartwright::cmd {

/// The inputs of an operator, and the flags that it was given.
struct Preflight {
  const std::vector<bundle::Watch>& watches;
  generate::ServedViews served;
  std::vector<std::string> namespaces;  ///< Those that are watched; empty: all.
  std::string watches_file;
  std::string views_flag;  ///< --views; empty: not given.
};

/// Checks CRDs and rights as `doctor` does, and logs each fault with its fix: the operator then
/// waits for what is missing, and this says at once what that is. Blocks.
void preflight(const Preflight& plan, kube::Client& client, const base::Logger& log,
               const std::stop_token& stop);

}  // namespace chartwright::cmd
