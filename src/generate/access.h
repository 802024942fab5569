// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "generate/resource.h"
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
};

/// The text above the rules of a purpose: whole sentences, one a line.
std::string_view describe(Purpose purpose);

/// One rule of a role: what may be done with one resource, and where the need comes from.
struct Rule {
  Purpose purpose = Purpose::kChildren;
  std::string group;
  std::string resource;            ///< "deployments", "bookstores/status".
  std::vector<std::string> names;  ///< Restricts the rule to these objects; empty: all.
  std::set<std::string> verbs;
  kube::Scope scope = kube::Scope::kNamespaced;
  std::set<std::string> sources;  ///< Files of charts; empty if the purpose says it all.
  auto operator<=>(const Rule&) const = default;
};

/// A finding about the rules: a line for standard error.
struct AccessNote {
  std::string place;  ///< "charts/x/templates/y.yaml:3:6" or the chart.
  std::string text;
  bool is_gap = false;  ///< The rules may lack something that values decide.
};

/// The rights that an operator of some watches needs.
struct Access {
  std::vector<Rule> rules;  ///< By purpose, group, resource.
  std::vector<AccessNote> notes;
};

/// Finds the rights that the operator needs for any values of any custom resource, by static
/// analysis of the charts. A right that an earlier purpose includes is not repeated. Errors: those
/// of helm::lint::written_kinds.
base::Result<Access> access_of(const std::vector<bundle::Watch>& watches);

/// Returns the kinds of the watches and of the charts' crds/ folders, as far as these can be read.
DefinedKinds defined_kinds(const std::vector<bundle::Watch>& watches);

}  // namespace chartwright::generate
