// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "console/connection.h"
#include "resource/cr_state.h"
#include "value/value.h"

namespace chartwright::cmd {

/// Returns the text of how the revision `target` differs from the one in force, by their records:
/// that is what a rollback to it would change. `state`: that of `cr`, a live custom resource whose
/// history has the target. Blocks. Errors: kOwnership for a record that the operator would not
/// apply, as far as its content tells; kForbidden, kNotFound and kParse for one that cannot be
/// read.
base::Result<std::string> rollback_preview(const value::Value& cr, const op::CrState& state,
                                           int target, Connection& connection);

}  // namespace chartwright::cmd
