// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/signer.h"
#include "value/value.h"

namespace chartwright::op {

/// Returns `status`, a dict, with the signature of what it says is ours: the objects of
/// `resources`, how those of them ended that did, and all of `externals`. Errors: those of
/// value::to_json and of the signer.
base::Result<value::Value> signed_status(const value::Value& status, const base::Signer& signer);

/// Reports whether a status has the signature that signed_status gives it. Without one, others may
/// have named anything as ours. Errors: as signed_status.
base::Result<bool> is_signed(const value::Value& status, const base::Signer& signer);

}  // namespace chartwright::op
