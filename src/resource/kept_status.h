// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "value/value.h"

namespace chartwright::op {

/// The way to a member of a status that the schema of a CRD lacks: the keys that lead to it. The
/// key
/// "[]" stands for each item of a list.
using StatusPath = std::vector<std::string>;

/// Returns the members of `sent`, a status, that `stored` lacks, in order and each once: a member
/// below a missing one is not named. Nested deeper than 20 levels, a member counts as kept. Pure.
std::vector<StatusPath> dropped_members(const value::Value& sent, const value::Value& stored);

/// Adds paths to `all`, which stays in order and has each once. Pure.
void add_paths(const std::vector<StatusPath>& more, std::vector<StatusPath>& all);

/// Returns a status with examples of the operator's own members that it does not have yet. Pure.
value::Value with_members_to_come(const value::Value& status);

/// Returns a status without the members at those paths. Pure.
value::Value without_members(const value::Value& status, const std::vector<StatusPath>& paths);

/// Says which members the schema lacks, and what to do: "the schema of the CRD has no
/// status.resources, ...". Pure.
std::string describe_dropped(const std::vector<StatusPath>& paths);

}  // namespace chartwright::op
