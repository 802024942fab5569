// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "bundle/bundle.h"
#include "bundle/schema_place.h"

namespace chartwright::exposure {

/// Finds the externals whose server, or the Secret with the credentials for it, a spec may choose.
/// Who may write such a custom resource has the operator connect to where only its network reaches
/// (server-side request forgery), or send it Secrets that they may not read. `spec` is the schema
/// of the spec in the CRD, if it is known: fields that it lacks are dropped, as are those of
/// `crd.omit`. Returns a warning with the place for each.
std::vector<base::Error> exposed_externals(const bundle::Bundle& bundle,
                                           const std::optional<bundle::SchemaPlace>& spec);

}  // namespace chartwright::exposure
