// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "console/connection.h"
#include "kube/object.h"
#include "report/pod_choice.h"

namespace chartwright::cmd {

/// Returns a part of the log of a pod, which ends with a line break unless it is empty. Errors:
/// those of the transport and of the server; kBudget if that sends twice the bytes that were asked
/// for. Blocks.
base::Result<std::string> read_log(const kube::ObjectRef& pod, const LogQuery& query,
                                   Connection& connection);

}  // namespace chartwright::cmd
