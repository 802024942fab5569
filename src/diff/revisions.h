// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "diff/report.h"
#include "revision/revision.h"

namespace chartwright::diff {

/// Two revisions of a release.
struct RevisionRange {
  int from = 0;
  int to = 0;
};

/// Parses "3..4". Error: kInvalidArgument.
base::Result<RevisionRange> parse_revisions(std::string_view text);

/// Reads the records of the revisions of a custom resource. `owner` needs no uid. Errors:
/// kNotFound where there is no such record of a custom resource of that kind, with those that
/// there are, and those of release::RevisionStore.
base::Result<std::pair<release::Revision, release::Revision>> load_revisions(
    kube::Client& client, const kube::Call& call, const release::Owner& owner,
    const RevisionRange& range);

/// Returns the differences of two recorded manifests. Pure. Error: kParse.
base::Result<Report> compare_revisions(const release::Revision& from, const release::Revision& to);

}  // namespace chartwright::diff
