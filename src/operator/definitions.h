// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "release/definition.h"

namespace chartwright::op {

/// The CRDs in files of crds/, in their order. Errors: kParse (no YAML) and those of
/// release::read_definition, with file and line.
base::Result<std::vector<release::Definition>> read_definitions(
    const std::vector<helm::Crd>& files);

/// Whether one of the files brings a CRD of that name. Files that cannot be read bring none.
bool bring_definition(const std::vector<helm::Crd>& files, std::string_view name);

/// The CRDs among rendered objects; what is no sound CRD is left to the API server to judge.
std::vector<release::Definition> definitions_among(const std::vector<value::Value>& objects);

}  // namespace chartwright::op
