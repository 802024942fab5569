// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string_view>

#include "bundle/watch.h"
#include "kinds/known_kinds.h"
#include "kube/object.h"
#include "release/definition.h"

namespace chartwright::kinds {

/// The CRDs that come with charts, by the kind that they define.
using DefinedKinds = std::map<kube::GroupKind, Resource>;

/// Adds a CRD to `into`.
void add_definition(const release::Definition& definition, DefinedKinds& into);

/// Adds the CRDs that a template writes, as far as they stand there literally: names, group and
/// scope without an action of the template.
void add_written_definitions(std::string_view text, DefinedKinds& into);

/// Returns the resource of the custom resources of a watch: as operator.yaml names it, else as
/// operator-sdk would (plural.h).
Resource own_resource(const bundle::Watch& watch);

/// Returns the resource of a kind: of `defined`, else of Kubernetes and of other projects whose
/// kinds are known (known_kinds.h), else guessed from the name.
Resource resource_of(const kube::GroupKind& kind, const DefinedKinds& defined);

}  // namespace chartwright::kinds
