// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "bundle/watch.h"

// The behaviour of an operator, in Markdown for the users of its kind. Each text is
// paragraphs and tables without a title, or "" if there is nothing to say.
namespace chartwright::generate {

/// Returns the kinds of objects that the operator creates or changes, with the templates they come
/// from. Error: that of helm::analysis::written_kinds.
base::Result<std::string> written_objects(const bundle::Watch& watch);

/// Returns what the rules for children in operator/operator.yaml mean for users.
std::string rules_for_children(const bundle::Watch& watch);

/// Returns the objects outside the cluster.
std::string external_objects(const bundle::Watch& watch);

/// Returns the objects that the operator reads but does not own.
std::string related_objects(const bundle::Watch& watch);

}  // namespace chartwright::generate
