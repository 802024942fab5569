// SPDX-License-Identifier: Apache-2.0
#include "generate/role.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/strings.h"

namespace chartwright::generate {
namespace {

/// The order in which kubectl and the documentation of Kubernetes list verbs.
constexpr std::array<std::string_view, 10> kVerbOrder = {
    "get", "list", "watch", "create", "patch", "update", "delete", "bind", "escalate", "use"};
constexpr size_t kSourcesMax = 2;
constexpr size_t kRoleColumnsMax = 120;

std::string header(std::string_view api_version, std::string_view kind, std::string_view name,
                   std::string_view ns, const Naming& naming) {
  std::string text = "apiVersion: " + std::string(api_version) + "\nkind: " + std::string(kind) +
                     "\nmetadata:\n  name: " + std::string(name) + "\n";
  if (!ns.empty()) {
    text += "  namespace: " + std::string(ns) + "\n";
  }
  return text + "  labels:\n    app.kubernetes.io/name: " + naming.name + "\n";
}

std::string binding(std::string_view kind, std::string_view role, std::string_view ns,
                    const Naming& naming) {
  const std::string role_kind = kind == "RoleBinding" ? "Role" : "ClusterRole";
  return "---\n" + header("rbac.authorization.k8s.io/v1", kind, role, ns, naming) +
         "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: " + role_kind +
         "\n  name: " + std::string(role) +
         "\nsubjects:\n- kind: ServiceAccount\n  name: " + naming.name +
         "\n  namespace: " + naming.ns + "\n";
}

std::string verbs_of(const Rule& rule) {
  std::vector<std::string> ordered;
  for (std::string_view verb : kVerbOrder) {
    if (rule.verbs.contains(std::string(verb))) {
      ordered.emplace_back(verb);
    }
  }
  return base::join(ordered, ", ");
}

std::string sources_of(const std::set<std::string>& sources) {
  std::vector<std::string> named(
      sources.begin(), std::next(sources.begin(), static_cast<std::ptrdiff_t>(
                                                      std::min(sources.size(), kSourcesMax))));
  std::string text = base::join(named, ", ");
  if (sources.size() > kSourcesMax) {
    text += " and " + std::to_string(sources.size() - kSourcesMax) + " more";
  }
  return text;
}

/// Returns "KEY: [A, B]", or one item a line if that is too long.
std::string list_line(std::string_view key, const std::vector<std::string>& items) {
  std::string line = "  " + std::string(key) + ": [" + base::join(items, ", ") + "]\n";
  if (line.size() <= kRoleColumnsMax) {
    return line;
  }
  line = "  " + std::string(key) + ":\n";
  for (const std::string& item : items) {
    line += "  - " + item + "\n";
  }
  return line;
}

bool joins(const Rule& a, const Rule& b) {
  return a.purpose == b.purpose && a.group == b.group && a.verbs == b.verbs && a.names == b.names;
}

/// Returns the rules as YAML. Resources of one group with the same verbs share a rule.
std::string rules_yaml(const std::vector<Rule>& rules) {
  std::string text = rules.empty() ? "rules: []\n" : "rules:\n";
  for (size_t i = 0; i < rules.size();) {
    const Rule& first = rules[i];
    if (i == 0 || rules[i - 1].purpose != first.purpose) {
      text += "# " + std::string(describe(first.purpose)) + "\n";
    }
    std::vector<std::string> resources;
    for (; i < rules.size() && joins(first, rules[i]); ++i) {
      resources.push_back(rules[i].resource);
      // Each resource has its own reason: another branch of the chart may be all that needs it.
      if (!rules[i].sources.empty()) {
        text += "# " + rules[i].resource + ": " + sources_of(rules[i].sources) + "\n";
      }
    }
    const std::string group = first.group.empty() ? "\"\"" : first.group;
    text += "- apiGroups: [" + group + "]\n" + list_line("resources", resources);
    if (!first.names.empty()) {
      text += list_line("resourceNames", first.names);
    }
    text += "  verbs: [" + verbs_of(first) + "]\n";
  }
  return text;
}

template <typename Predicate>
std::vector<Rule> selected(const std::vector<Rule>& rules, Predicate predicate) {
  std::vector<Rule> some;
  std::copy_if(rules.begin(), rules.end(), std::back_inserter(some), predicate);
  return some;
}

std::string cluster_role(const std::vector<Rule>& rules, const Naming& naming) {
  return header("rbac.authorization.k8s.io/v1", "ClusterRole", naming.name, "", naming) +
         rules_yaml(rules) + binding("ClusterRoleBinding", naming.name, "", naming);
}

std::string role(const std::vector<Rule>& rules, const std::string& name, const std::string& ns,
                 const Naming& naming) {
  return header("rbac.authorization.k8s.io/v1", "Role", name, ns, naming) + rules_yaml(rules) +
         binding("RoleBinding", name, ns, naming);
}

/// Returns the roles for the rules that are about one namespace, which may be watched as well.
std::vector<std::string> local_roles(const Access& access, const Naming& naming) {
  std::set<std::string> namespaces;
  for (const Rule& rule : access.rules) {
    namespaces.insert(rule.ns);
  }
  namespaces.erase("");
  std::vector<std::string> roles;
  for (const std::string& ns : namespaces) {
    const auto rules = selected(access.rules, [&ns](const Rule& rule) { return rule.ns == ns; });
    roles.push_back(role(rules, naming.name + "-views", ns, naming));
  }
  return roles;
}

/// Returns the roles for the other rules.
std::vector<std::string> wide_roles(const Access& access, const Naming& naming) {
  const auto wide = selected(access.rules, [](const Rule& rule) { return rule.ns.empty(); });
  if (naming.watched.empty()) {
    return {cluster_role(wide, naming)};
  }
  const auto with_scope = [&wide](kube::Scope scope) {
    return selected(wide, [scope](const Rule& rule) { return rule.scope == scope; });
  };
  std::vector<std::string> roles;
  for (const std::string& ns : naming.watched) {
    roles.push_back(role(with_scope(kube::Scope::kNamespaced), naming.name, ns, naming));
  }
  if (const auto cluster = with_scope(kube::Scope::kCluster); !cluster.empty()) {
    roles.push_back(cluster_role(cluster, naming));
  }
  return roles;
}

/// A Role of the operator in its own namespace, with its binding.
std::string own_role(const Naming& naming, const std::string& suffix, const std::string& purpose,
                     const std::string& rules) {
  const std::string name = naming.name + "-" + suffix;
  return std::string(kLicenseLine) + "# Generated by \"chartwright generate manifests\".\n# " +
         purpose + "\n" + header("rbac.authorization.k8s.io/v1", "Role", name, naming.ns, naming) +
         "rules:\n" + rules + binding("RoleBinding", name, naming.ns, naming);
}

using Verbs = std::vector<std::string>;

/// A role for users, and the roles of Kubernetes that include it.
struct UserRole {
  std::string name;
  Verbs verbs;
  std::vector<std::string> taken_up_by;
  bool reads_secrets = false;  ///< Whether they let a user read Secrets.
};

/// Returns the resources that users may reach, by group and by the verbs among those of the role.
/// Who may not read Secrets may not read a view of them, either.
std::map<std::pair<std::string, Verbs>, std::vector<std::string>> resources_of(
    const Access& access, const ServedViews& served, const UserRole& role) {
  std::map<std::pair<std::string, Verbs>, std::vector<std::string>> resources;
  for (const Rule& rule : access.rules) {
    if (rule.purpose == Purpose::kCustomResources) {
      resources[{rule.group, role.verbs}].push_back(rule.resource);
    }
  }
  for (const views::View& view : served.views) {
    Verbs verbs;
    std::ranges::copy_if(role.verbs, std::back_inserter(verbs),
                         [&view](const std::string& verb) { return view.allows(verb); });
    const bool has_secrets = view.source.gvk.group_kind() == kube::GroupKind{"", "Secret"};
    if (!verbs.empty() && (role.reads_secrets || !has_secrets)) {
      resources[{view.resource.group, verbs}].push_back(view.resource.plural);
    }
  }
  return resources;
}

std::string user_role(const Access& access, const ServedViews& served, const Naming& naming,
                      const UserRole& role) {
  std::string text = header("rbac.authorization.k8s.io/v1", "ClusterRole",
                            naming.name + "-" + role.name, "", naming);
  for (const std::string& taken_up_by : role.taken_up_by) {
    text += "    rbac.authorization.k8s.io/aggregate-to-" + taken_up_by + ": \"true\"\n";
  }
  const auto resources = resources_of(access, served, role);
  text += resources.empty() ? "rules: []\n" : "rules:\n";
  for (const auto& [granted, names] : resources) {
    text += "- apiGroups: [" + granted.first + "]\n" + list_line("resources", names) +
            "  verbs: [" + base::join(granted.second, ", ") + "]\n";
  }
  return text;
}

}  // namespace

std::string role_yaml(const Access& access, const Naming& naming) {
  std::string text(kLicenseLine);
  text +=
      "# Generated by \"chartwright generate rbac\": the rights that the operator needs for any "
      "values.\n";
  std::vector<std::string> roles = wide_roles(access, naming);
  for (std::string& local : local_roles(access, naming)) {
    roles.push_back(std::move(local));
  }
  return text + base::join(roles, "---\n");
}

std::string user_roles_yaml(const Access& access, const ServedViews& served, const Naming& naming) {
  const UserRole view = {"view", {"get", "list", "watch"}, {"view"}};
  const UserRole edit = {
      "edit",
      {"get", "list", "watch", "create", "patch", "update", "delete", "deletecollection"},
      {"edit", "admin"},
      true};
  return std::string(kLicenseLine) +
         "# Generated by \"chartwright generate user-roles\". Whoever has view, edit or admin in a "
         "namespace gets these\n# rights there. A user who may create a custom resource gets what "
         "its chart renders, with the rights of the operator." +
         (served.views.empty() ? "\n"
                               : "\n# A user who may read or write a view reads or writes its "
                                 "source, with the same rights.\n") +
         user_role(access, served, naming, view) + "---\n" +
         user_role(access, served, naming, edit);
}

std::string leader_election_yaml(const Naming& naming) {
  return own_role(naming, "leader-election",
                  "Access to the Lease with which replicas of the operator elect a leader.",
                  "- apiGroups: [coordination.k8s.io]\n  resources: [leases]\n"
                  "  verbs: [get, create, update]\n");
}

std::string master_key_yaml(const Naming& naming) {
  return own_role(naming, "master-key",
                  "Access to the Secret with the key of signatures, which the operator makes once. "
                  "Nobody else should read it.",
                  "- apiGroups: [\"\"]\n  resources: [secrets]\n"
                  "  resourceNames: [chartwright-master-key]\n  verbs: [get]\n"
                  "- apiGroups: [\"\"]\n  resources: [secrets]\n  verbs: [create]\n");
}

}  // namespace chartwright::generate
