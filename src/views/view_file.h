// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/faults.h"
#include "base/result.h"
#include "bundle/watch.h"
#include "views/view.h"

namespace chartwright::views {

/// Loads every *.yaml and *.yml file of `folder` (not of its subfolders), one view each, sorted
/// by name. Errors: kNotFound (no such folder, or no view in it); kParse and kInvalidArgument with
/// file:line:column, what is wrong and what would be right; kBudget (too large).
base::Result<std::vector<View>> load_views(const std::string& folder);
/// Like the overload above, with a fault for each wrong file.
std::vector<View> load_views(const std::string& folder, base::Faults& faults);

/// Parses one view. `file` is its name in errors; the path of inline data is relative to its
/// folder. Errors: as load_views.
base::Result<View> parse_view(const std::string& text, const std::string& file);

/// Checks what the templates of a view read of `.source`, which has a structural schema, as CRDs
/// have it: the API server drops other fields. Error: kInvalidArgument with file:line:column, and
/// the field that may be meant.
base::Status check_source_names(const View& view, const value::Value& schema);

/// Rejects views whose names clash within a group and version. Error: kInvalidArgument at the
/// second of two views, which names the first.
base::Status check_names(const std::vector<View>& views);

/// Rejects a view in the group and version of a kind that is watched, whose CRD the API server
/// serves itself: each group and version has one server. Error: kInvalidArgument at the view's
/// group.
base::Status check_groups(const std::vector<View>& views,
                          const std::vector<bundle::Watch>& watches);

}  // namespace chartwright::views
