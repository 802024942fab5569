// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generate/access.h"

namespace chartwright::generate {

/// A file to be written below a folder.
struct GeneratedFile {
  std::string path;  ///< "crd/bookstores.blog.velotio.com.yaml"
  std::string text;
};

/// The word for no objects that tell Prometheus of the operator.
inline constexpr std::string_view kNoMonitor = "none";

/// Names in generated manifests.
struct Naming {
  std::string name = "chartwright";  ///< The name of the Deployment, its account and its roles.
  std::string ns = "chartwright-system";
  std::vector<std::string> watched = {};       ///< Namespaces that are watched; empty: all.
  std::string image = "chartwright-operator";  ///< The image of the Deployment, without its tag.
  std::string tag = CW_VERSION;
  std::string monitor{kNoMonitor};  ///< One of monitor_words().
};

/// Returns the roles that grant `access`, and their bindings, as YAML: a ClusterRole, or a Role in
/// each watched namespace and a ClusterRole for what is cluster-scoped; and a Role `<name>-views`
/// in each namespace that a rule is about.
std::string role_yaml(const Access& access, const Naming& naming);

/// Returns the Role and its binding for the Lease of the operator, as YAML.
std::string leader_election_yaml(const Naming& naming);

/// Returns the Role and its binding for the Secret with the key of signatures, as YAML.
std::string master_key_yaml(const Naming& naming);

/// Returns ClusterRoles for users, as YAML, which the roles view, edit and admin of Kubernetes take
/// up: NAME-view to read the custom resources and the views, NAME-edit to write them. Views of
/// Secrets are for NAME-edit only.
std::string user_roles_yaml(const Access& access, const ServedViews& served, const Naming& naming);

/// The first line of every generated file.
inline constexpr std::string_view kLicenseLine = "# SPDX-License-Identifier: Apache-2.0\n";

}  // namespace chartwright::generate
