// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "diff/print.h"
#include "diff/report.h"
#include "kube/object.h"

namespace chartwright::diff {

/// One of several custom resources, and the effects of its next reconcile. If it could not be
/// looked at, `report.failure` says why.
struct Member {
  kube::ObjectRef cr;
  Report report;
};

/// Members whose reconciles do the same, but for the names and namespaces of the custom resources.
using Group = std::vector<const Member*>;

/// Groups members by what happens to them; the largest group comes first, those that fail after
/// those that change, and those that stay as they are last. Within a group the order stays. Pure.
std::vector<Group> groups_of(const std::vector<Member>& fleet);

/// Returns for people, for each group: the report of its first member, and the names of the
/// others; then the counts. Masked and cut as to_text is.
std::string to_summary(const std::vector<Member>& fleet, Color color);

/// Returns for people the report of each member below its name; then the counts.
std::string to_text(const std::vector<Member>& fleet, Color color, Unchanged unchanged);

/// Returns a line of JSON with `items`, each a report with `customResource`, and `counts`. Errors:
/// those of value::to_json.
base::Result<std::string> to_json(const std::vector<Member>& fleet);

}  // namespace chartwright::diff
