// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "release/definition.h"
#include "release/definitions.h"

namespace chartwright::op {

/// Returns the CRDs in files of crds/, in their order. Errors: kParse (not YAML) and those of
/// release::read_definition, with file and line.
base::Result<std::vector<release::Definition>> read_definitions(
    const std::vector<helm::Crd>& files);

/// Reports whether one of the files defines a CRD of that name. Files that cannot be read define
/// none.
bool bring_definition(const std::vector<helm::Crd>& files, std::string_view name);

/// Returns the CRDs among rendered objects. A malformed one is left out: the API server will refuse
/// it.
std::vector<release::Definition> definitions_among(const std::vector<value::Value>& objects);

/// Returns the CRDs of crds/ that the policy installs.Errors: those of read_definitions.
base::Result<std::vector<release::Definition>> chosen_definitions(
    const std::vector<helm::Crd>& files, release::DefinitionPolicy policy);

}  // namespace chartwright::op
