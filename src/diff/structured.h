// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "diff/fleet.h"

namespace chartwright::diff {

/// Returns the changes of all members as a line of JSON, in the form of helm-diff's `--output
/// structured`: an array of objects with apiVersion, kind, namespace, name, changeType,
/// resourceStatus and changes. Items of lists are named by their keys, as in every report. Errors:
/// those of value::to_json. Source: databus23/helm-diff diff/structured.go.
base::Result<std::string> to_structured(const std::vector<Member>& fleet);

}  // namespace chartwright::diff
