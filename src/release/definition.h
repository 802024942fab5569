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

// What a CustomResourceDefinition (CRD) says, in a chart and in a cluster. Pure.
namespace chartwright::release {

/// A CRD as a chart brings it.
struct Definition {
  kube::ObjectRef ref;                           ///< Of the CRD itself.
  kube::GroupKind kind;                          ///< That it defines.
  kube::Scope scope = kube::Scope::kNamespaced;  ///< Of that kind.
  std::vector<std::string> versions;             ///< All, served or not.
  std::vector<std::string> served;
  value::Value object;

  bool serves(const kube::Gvk& gvk) const;
};

/// Whether objects of that kind are CRDs.
bool is_definition(const kube::GroupKind& kind);

/// Reads a CRD. Error: kInvalidArgument with what is wrong and what would be right: another kind of
/// object, another version of the API than v1, a name that is not `<plural>.<group>`, no versions.
base::Result<Definition> read_definition(value::Value object);

/// How far the API server is with a CRD.
enum class Establishment : uint8_t {
  kEstablished,  ///< Its kind is, or is about to be, served.
  kPending,
  kRefused,  ///< Another CRD has the names.
  kLeaving,  ///< It is being deleted, with all its instances.
};
struct EstablishmentReport {
  Establishment state = Establishment::kPending;
  std::string message;  ///< The API server's, where it refuses.
};
EstablishmentReport establishment_of(const value::Value& live);

/// Versions in which objects are stored (status.storedVersions of the live CRD) that `wanted` does
/// not have: with them gone, those objects could not be read any more.
std::vector<std::string> dropped_stored_versions(const value::Value& live,
                                                 const Definition& wanted);

/// The merge patch that takes from a live object everything by which `owner` holds it: owner
/// reference, annotations, labels, and the fields that `manager` applied; the fields stay as they
/// are. Only over the version that was read.
value::Value release_patch(const value::Value& live, const Owner& owner, std::string_view manager);

}  // namespace chartwright::release
