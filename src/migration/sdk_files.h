// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migration/finding.h"
#include "value/value.h"

// The files of a project of operator-sdk, as helm-operator and kustomize read them. All is pure.
namespace chartwright::cmd {

/// The flags of a program by their names, "--leader-elect".
using FlagNames = std::set<std::string, std::less<>>;

/// Returns whether the image of a Dockerfile is based on that of Chartwright; no finding for one
/// that is based on neither of the two programs.
std::vector<Finding> check_dockerfile(std::string_view text);

/// Returns a finding for each flag that the manager's manifests give and `known` lacks. `documents`
/// are Deployments and the patches of kustomize, among other things.
std::vector<Finding> check_arguments(const std::vector<value::Value>& documents,
                                     const FlagNames& known);

/// Returns a finding for each annotation of a custom resource that has no effect.
std::vector<Finding> check_annotations(const value::Value& cr);

/// Returns the Roles and ClusterRoles that a binding among `documents` gives somebody; all of them
/// if there is no binding.
std::vector<value::Value> bound_roles(const std::vector<value::Value>& documents);

}  // namespace chartwright::cmd
