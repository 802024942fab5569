// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "kube/discovery.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::scenario {

/// The kinds that the API server of a scenario serves, each in one version.
class KindTable {
 public:
  /// The kinds of Kubernetes, in their stable versions.
  KindTable();

  /// Adds the kind of the custom resources of a watch.
  void add(const bundle::Watch& watch);
  /// Adds the kind of an object that is there from the beginning, and, if that is a CRD, the kind
  /// that it defines. Error: kInvalidArgument for a CRD that is malformed.
  base::Status add(const value::Value& object);

  const std::vector<kube::ResourceMapping>& all() const { return kinds_; }
  /// Returns a kind by its name: "Deployment", or "Deployment.apps" where several groups have one.
  /// Error: kInvalidArgument, with the nearest name.
  base::Result<kube::ResourceMapping> find(std::string_view name) const;
  /// Reads "KIND/NAME" or "KIND/NAMESPACE/NAME"; `ns` is the namespace that the former means. See
  /// means() for a name that ends in "*".
  /// Errors: kInvalidArgument for another form, an unknown kind, and a name that no object can
  /// have.
  base::Result<kube::ObjectRef> ref(std::string_view text, const std::string& ns) const;

 private:
  void add(kube::ResourceMapping kind);

  std::vector<kube::ResourceMapping> kinds_;  ///< Those that a name means first come first.
};

/// Reports whether `ref`, as a scenario names it, means that object: a name with "*" at its end, of
/// a child whose name is generated, means all that begin so. Pure.
bool means(const kube::ObjectRef& ref, const kube::ObjectRef& object);

/// Returns an object as scenarios write it: "Deployment/shop", or with a namespace other than `ns`
/// "Deployment/other/shop".
std::string short_text(const kube::ObjectRef& ref, std::string_view ns);

}  // namespace chartwright::scenario
