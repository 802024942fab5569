// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kube/discovery.h"
#include "kube/object.h"

namespace chartwright::kinds {

/// How the API server names a kind, as far as that is known without one.
struct Resource {
  std::string plural;
  kube::Scope scope = kube::Scope::kNamespaced;
  bool guessed = false;  ///< Neither known nor defined by the chart: both are derived.
};

/// Returns the resource of a kind of another project that many charts use, as the CRD of that
/// project has it; nullopt for others.
std::optional<Resource> known_resource(const kube::GroupKind& kind);

}  // namespace chartwright::kinds
