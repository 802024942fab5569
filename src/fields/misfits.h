// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "value/value.h"

namespace chartwright::fields {

/// Removes from `body`, an unshared object that a server-side apply was refused for, what does not
/// fit the schema of its kind and other writes drop or merge: fields that the schema lacks and, of
/// list items with the same key, all but the last. Returns what was left out, for people; empty,
/// without a change, if the body does not fit for another reason, too.
std::vector<std::string> leave_misfits(const base::Error& refusal, value::Value& body);

}  // namespace chartwright::fields
