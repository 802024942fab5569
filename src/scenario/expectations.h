// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "scenario/scenario.h"
#include "scenario/world.h"
#include "value/value.h"

namespace chartwright::scenario {

/// The state that expectations look at: pure data, from any kind of cluster.
struct Seen {
  std::vector<value::Value> objects;  ///< All of the cluster.
  std::vector<Request> requests;      ///< Those of this step.

  /// Returns the object, or nullptr.
  const value::Value* find(const kube::ObjectRef& ref) const;
  /// Returns the objects that `ref` means, see means().
  std::vector<const value::Value*> all(const kube::ObjectRef& ref) const;
};

/// Checks an expectation. Returns the lines that say why it fails: what was expected and what there
/// is; none if it holds.
std::vector<std::string> check(const Expectation& expectation, const Scenario& scenario,
                               const Seen& seen);

}  // namespace chartwright::scenario
