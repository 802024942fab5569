// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "release/plan.h"

namespace chartwright::release {

/// The refusals of dry runs that count in a rehearsal (Executor::rehearse).
enum class Foresight : uint8_t {
  kAll,
  kCertain,  ///< Those that the writes before them would not lift; see may_pass.
};

/// Reports whether a write that the API server has refused in a dry run may be taken after those
/// that precede it in a plan: the namespace or the role that an object needs may be among them, and
/// admission webhooks may look at other objects. Errors that are not about the object, such as
/// timeouts, tell nothing, and are not answered with true.
bool may_pass(const Step& step, const base::Error& refusal);

}  // namespace chartwright::release
