// SPDX-License-Identifier: Apache-2.0
#pragma once

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
};

/// Reads the files of --crd and --role; with an empty path, no file. Errors: those of
/// base::read_file, kParse, and kInvalidArgument for a file without such an object and for several
/// CRDs.
base::Result<GivenManifests> read_given(const std::string& crd_path, const std::string& role_path);

/// Finds what an operator with this chart would refuse or lack: faults in its operator/ folder,
/// fields that the CRD drops or that nothing reads, and rights that the roles do not grant.
helm::lint::Messages lint_bundle(const std::string& chart_path, const helm::RenderableChart& loaded,
                                 const GivenManifests& given);

}  // namespace chartwright::cmd
