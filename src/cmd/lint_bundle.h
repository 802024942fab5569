// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/lint/message.h"
#include "helm/render/renderable_chart.h"
#include "value/value.h"

namespace chartwright::cmd {

/// The CRD and the roles that charts are checked against; empty ones are not checked.
struct GivenManifests {
  std::string crd_path;
  value::Value crd;
  std::string role_path;
  std::vector<value::Value> roles;  ///< Roles and ClusterRoles.
  std::set<std::string> bound;  ///< Those that bindings beside them name: "ClusterRole/manager".

  /// Returns the roles that are the operator's: those that are bound, or all if there is no
  /// binding. Others may be for people.
  std::vector<value::Value> bound_roles() const;
};

/// Reads the files of --crd and --role; with an empty path, no file. Errors: those of
/// base::read_file, kParse, and kInvalidArgument for a file without such an object and for several
/// CRDs.
base::Result<GivenManifests> read_given(const std::string& crd_path, const std::string& role_path);

/// Finds what an operator with this chart would refuse or lack: faults in its operator/ folder,
/// fields that the CRD drops, that nothing reads or that the values' schema refuses, and rights
/// that the roles do not grant or that nothing needs.
helm::lint::Messages lint_bundle(const std::string& chart_path, const helm::RenderableChart& loaded,
                                 const GivenManifests& given);

}  // namespace chartwright::cmd
