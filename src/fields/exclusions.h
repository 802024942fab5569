// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kube/client.h"
#include "value/value.h"

namespace chartwright::fields {

/// The members of a live object that exclude what an apply sets beside them.
struct Exclusions {
  /// The managed fields of the live object, with these members as ours, so that the next apply
  /// removes them; nil if there are none.
  value::Value managers;
  std::vector<std::string> fields;  ///< "spec.strategy.rollingUpdate (set by kubectl)", for people.
  value::Value tried;               ///< The live object without them, of a dry run.
  value::Value body;                ///< To be applied then: it has no null, which would keep one.
};

/// An apply of `body` over `live` that the API server has refused.
struct RefusedApply {
  const value::Value& live;
  const value::Value& body;
  const base::Error& refusal;
  std::string manager;
};

/// Finds out which members of the live object the API server means when it refuses an apply:
/// members that the body lacks, beside those that it has (`value` beside `valueFrom`, the default
/// `rollingUpdate` beside `type: Recreate`). Tries by dry runs, no more than a few dozen, whether
/// the refused part is valid without them, and needs no knowledge of kinds. No member is named that
/// could stay. Blocks. Fails if a dry run ends in anything but a success or a refusal.
base::Result<Exclusions> find_exclusions(kube::Client& client, const RefusedApply& refused,
                                         const kube::Call& call);

}  // namespace chartwright::fields
