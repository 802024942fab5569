// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "bundle/bundle.h"
#include "bundle/schema_place.h"

namespace chartwright::exposure {

/// Finds the namespaces that are written to or read, and the Secrets that are read, by the choice
/// of a spec: in templates, in operator/patches/ and by `related`. Who may write such a custom
/// resource has the operator use its rights where they have none. `spec` is the schema of the spec
/// in the CRD, if it is known. Returns a warning with the place for each.
std::vector<base::Error> exposed_names(const bundle::Bundle& bundle,
                                       const std::optional<bundle::SchemaPlace>& spec);

}  // namespace chartwright::exposure
