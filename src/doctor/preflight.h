// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "bundle/watch.h"
#include "doctor/cluster_state.h"
#include "generate/view_rules.h"

namespace chartwright::doctor {

/// The inputs of an operator, and the flags that it was given.
struct Preflight {
  const std::vector<bundle::Watch>& watches;
  generate::ServedViews served;
  std::vector<std::string> namespaces;  ///< Those that are watched; empty: all.
  std::string watches_file;
  std::string views_flag;  ///< --views; empty: not given.
};

/// Checks CRDs and rights as `chartwright doctor` does, and logs each fault, the first of those
/// that have a fix in common with that fix: the operator then waits for what is missing, and this
/// says at once what that is. Errors: those of check_cluster and generate::access_of. Blocks.
base::Status preflight(const Preflight& plan, const Server& server, const base::Logger& log);

}  // namespace chartwright::doctor
