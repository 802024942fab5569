// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bundle/watch.h"
#include "generate/access.h"
#include "generate/role.h"
#include "value/value.h"

namespace chartwright::doctor {

/// The arguments with which `chartwright generate` makes what is missing.
struct FixArguments {
  std::string project;  ///< The project and the flags that name its kind; empty: watches.yaml.
  std::string roles;    ///< Flags of roles only: the account, the watched namespaces, the views.
};

/// Something that keeps an operator from working, and the way out.
struct Complaint {
  enum class Weight : uint8_t {
    kFault,
    kNote,  ///< It may be meant, and there is nothing to fix.
  };
  std::string text;
  std::string product;      ///< To be generated and applied: "crd" or "rbac".
  std::string remedy = {};  ///< If nothing can be generated.
  Weight weight = Weight::kFault;

  /// Returns the command that helps, or what else does.
  std::string fix(const FixArguments& arguments) const;
};

/// One fix, and all that it repairs.
struct Repair {
  std::string fix;
  std::vector<std::string> faults;
};

/// Returns the faults among `complaints` by their fix, in the order in which each comes first.
std::vector<Repair> repairs_of(const std::vector<Complaint>& complaints,
                               const FixArguments& arguments);

/// Returns that an account lacks verbs of a rule in a namespace, "" for all: "no right to create,
/// list deployments.apps in namespace shop (for charts/x/...)".
Complaint missing_right(const generate::Rule& rule, const std::vector<std::string>& verbs,
                        const std::string& ns);

/// Returns the flags with which a role is generated for these names, and for a folder of views;
/// empty: --views is not given.
std::string role_flags(const generate::Naming& naming, const std::string& views = {});

/// Returns the faults of a live CRD for a watch: its version is not served, it has no status
/// subresource, or its schema drops the spec or the operator's status.
std::vector<Complaint> check_definition(const value::Value& crd, const bundle::Watch& watch);

/// Returns the rights of `access` that none of `roles`, Roles and ClusterRoles, grants. Only a
/// ClusterRole grants those on cluster-scoped kinds.
std::vector<Complaint> check_roles(const std::vector<value::Value>& roles,
                                   const generate::Access& access);

/// Returns a sentence for each right that `roles` grant and that no branch of the charts needs, nor
/// the operator for itself. None if that is not certain: a kind depends on the values, the charts
/// make roles, whose rights the operator may have to have itself, or the roles serve other kinds of
/// custom resources, too.
std::vector<std::string> unneeded_rights(const std::vector<value::Value>& roles,
                                         const generate::Access& access);

}  // namespace chartwright::doctor
