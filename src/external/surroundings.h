// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "external/external_record.h"
#include "helm/render/inputs.h"
#include "value/value.h"

namespace chartwright::external {

/// Whether the copy of the records may know of a create that the status does not.
enum class Surprise : uint8_t { kPossible, kRuledOut };
/// Whether the copy was written.
enum class Copied : uint8_t {
  kYes,
  kKnowsMore,  ///< No: the status has lost what it says.
};

/// The services of a custom resource and its operator that its externals need.
class Surroundings {
 public:
  using Work = std::function<base::Status(const helm::RenderContext&)>;

  virtual ~Surroundings() = default;
  /// Returns a new dict that templates get as dot, without `.External`.
  virtual base::Result<value::Value> scope() = 0;
  /// Runs work that evaluates templates or builds values, in its turn and within memory limits.
  virtual base::Status in_turn(const Work& work) = 0;
  /// Returns a Secret in the namespace of the custom resource. Errors: those of the client.
  virtual base::Result<value::Value> secret(const std::string& name) = 0;
  /// Sees to it that the custom resource stays, when it is deleted, until remove() has succeeded.
  /// Persistent on return.
  virtual base::Status hold() = 0;
  /// Writes the records to the status. Persistent on return.
  virtual base::Status save() = 0;
  /// Writes the records to a copy that outlives the status, unless it surprises with a record of
  /// `external`. Persistent on return.
  virtual base::Result<Copied> copy(const std::string& external, Surprise surprise) = 0;
  /// Returns what the copy has of an external, if it is certain that only this operator can have
  /// written it; nullopt: it is not.
  virtual base::Result<std::optional<Record>> vouched(const std::string& external) = 0;
  /// Returns the ids that other custom resources of the kind have recorded for an external, with
  /// the operator's signature.
  virtual std::set<std::string> ids_of_others(const std::string& external) = 0;
  /// Returns the id that the author of the custom resource has set by annotation for an external:
  /// "none" where there is none to find; nullopt: not set.
  virtual std::optional<std::string> decided_id(const std::string& external) = 0;
  /// Reports whether the author may name any object of the server, and so take over and delete what
  /// may be another's.
  virtual bool trusts_author() const = 0;
};

}  // namespace chartwright::external
