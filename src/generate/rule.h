// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/discovery.h"

namespace chartwright::generate {

/// Why the operator needs a right, in the order in which a role lists them.
enum class Purpose : uint8_t {
  kCustomResources,
  kStatus,
  kOwnerReferences,
  kChildren,
  kHooks,
  kPatches,
  kRelated,
  kLookups,
  kDefinitions,
  kCapabilities,
  kGrants,  ///< Roles and bindings that the chart makes.
  kRevisions,
  kEvents,
  kCauses,  ///< Lists that say why children are not ready.
  kViews,   ///< The sources of served views.
  kRegistration,
  kServing,
  kAggregator,
  kReviews,
};

/// The text above the rules of a purpose: whole sentences, one a line.
std::string_view describe(Purpose purpose);

/// Reports whether the operator does its work without the rights of a purpose, too.
bool is_optional(Purpose purpose);

/// One rule of a role: what may be done with one resource, and where the need comes from.
struct Rule {
  Purpose purpose = Purpose::kChildren;
  std::string group;
  std::string resource;            ///< "deployments", "bookstores/status".
  std::vector<std::string> names;  ///< Restricts the rule to these objects; empty: all.
  std::set<std::string> verbs;
  kube::Scope scope = kube::Scope::kNamespaced;
  std::set<std::string> sources;  ///< Files; empty if the purpose says it all.
  /// The only namespace that it is about; empty: all, or all that are watched.
  std::string ns = {};
  auto operator<=>(const Rule&) const = default;
};

}  // namespace chartwright::generate
