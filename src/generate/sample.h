// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bundle/watch.h"
#include "yaml/document.h"

namespace chartwright::generate {

/// Returns a custom resource to begin with, as YAML. It has the required fields only, because the
/// chart has a default for every other one: with the value of values.yaml or, if that is empty, one
/// of the right type from `spec`, the schema of the spec. Credentials are left empty.
/// `ordinal`, from 1, tells kinds of one name apart: two samples of one name would be two releases
/// of one name.
std::string sample_of(const bundle::Watch& watch, const yaml::DocumentNode& spec,
                      size_t ordinal = 1);

/// Returns the other values of a chart with their defaults, as comments below the spec of such a
/// sample: so that it shows what may be set. Credentials are left empty, and long values out.
std::string values_as_comments(const bundle::Watch& watch, const yaml::DocumentNode& spec);

}  // namespace chartwright::generate
