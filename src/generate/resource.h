// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kube/discovery.h"
#include "kube/object.h"
#include "release/definition.h"

namespace chartwright::generate {

/// How the API server names a kind, as far as that is known without one.
struct Resource {
  std::string plural;
  kube::Scope scope = kube::Scope::kNamespaced;
  bool guessed = false;  ///< Neither built in nor defined by the chart: both are derived.
};

/// The CRDs that come with charts, by the kind that they define.
using DefinedKinds = std::map<kube::GroupKind, Resource>;

/// Adds a CRD to `into`.
void add_definition(const release::Definition& definition, DefinedKinds& into);

/// Adds the CRDs that a template writes, as far as they stand there literally: names, group and
/// scope without an action of the template.
void add_written_definitions(std::string_view text, DefinedKinds& into);

/// Returns the resource of a kind: of `defined`, else of Kubernetes, else guessed from the name.
Resource resource_of(const kube::GroupKind& kind, const DefinedKinds& defined);

/// Returns the plural that Kubernetes guesses for a kind: "networkpolicies", "ingresses".
/// Source: k8s.io/apimachinery pkg/api/meta UnsafeGuessKindToResource.
std::string plural_of(std::string_view kind);
/// Returns an English plural for a kind of one's own: "gateways", "boxes".
std::string own_plural_of(std::string_view kind);

}  // namespace chartwright::generate
