// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/discovery.h"
#include "kube/object.h"
#include "release/owner.h"
#include "value/value.h"

// Reads CustomResourceDefinitions (CRDs) of charts and clusters. All functions here are pure.
namespace chartwright::release {

/// A CRD from a chart.
struct Definition {
  kube::ObjectRef ref;                           ///< The CRD itself.
  kube::GroupKind kind;                          ///< The kind that it defines.
  kube::Scope scope = kube::Scope::kNamespaced;  ///< The scope of that kind.
  std::vector<std::string> versions;             ///< All versions, served or not.
  std::vector<std::string> served;
  value::Value object;

  bool serves(const kube::Gvk& gvk) const;
};

/// Reports whether objects of `kind` are CRDs.
bool is_definition(const kube::GroupKind& kind);

/// Reads a CRD. Error: kInvalidArgument, saying what is wrong and what is expected: another kind of
/// object, an API version other than v1, a name that is not `<plural>.<group>`, no versions.
base::Result<Definition> read_definition(value::Value object);

/// The state of a CRD in the API server.
enum class Establishment : uint8_t {
  kEstablished,  ///< The kind that it defines is served, or is about to be.
  kPending,
  kRefused,  ///< Another CRD has the same names.
  kLeaving,  ///< It is being deleted, with all its instances.
};
struct EstablishmentReport {
  Establishment state = Establishment::kPending;
  std::string message;  ///< The API server's reason for a refusal.
};
EstablishmentReport establishment_of(const value::Value& live);

/// Returns the versions in which objects are stored (status.storedVersions of the live CRD) but
/// which `wanted` lacks. Without them, those objects could no longer be read.
std::vector<std::string> dropped_stored_versions(const value::Value& live,
                                                 const Definition& wanted);

/// Returns the merge patch that ends the ownership of a live object by `owner`: it removes the
/// owner reference, annotations, labels, and the field manager of the owner, whose values stay. It
/// applies only to the version of the object in `live`.
value::Value release_patch(const value::Value& live, const Owner& owner);

}  // namespace chartwright::release
