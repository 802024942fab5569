// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "console/connection.h"
#include "kube/object.h"
#include "report/tree_report.h"
#include "value/value.h"

namespace chartwright::cmd {

/// As many namespaces are looked into for each kind.
inline constexpr size_t kNamespacesMax = 10;

/// Reads what belongs to a custom resource: its children one by one, and what these own from lists
/// of the few kinds that built-in controllers make, in the namespaces of their owners. An
/// object that cannot be read is a gap in the report. Blocks.
TreeReport read_tree(const value::Value& cr, Connection& connection);

/// Adds a text to gaps, unless they have it.
void add_gap(std::vector<std::string>& gaps, std::string gap);

/// Returns "no right to list Pods in team", or another reason why a list could not be had.
std::string list_gap(const kube::Gvk& gvk, const std::string& ns, const base::Error& error);

}  // namespace chartwright::cmd
