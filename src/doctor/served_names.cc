// SPDX-License-Identifier: Apache-2.0
#include "doctor/served_names.h"

#include <algorithm>

#include "base/strings.h"
#include "go/path.h"

namespace chartwright::doctor {
namespace {

using generate::Rule;
using kinds::Resource;

std::string_view without_subresource(std::string_view resource) {
  return resource.substr(0, resource.find('/'));
}

/// Returns what the author of an operator writes so that its own kind has the served names.
std::string own_remedy(const bundle::Watch& watch, const Resource& served) {
  const std::string_view scope = served.scope == kube::Scope::kCluster ? "Cluster" : "Namespaced";
  return "write \"crd: {plural: " + served.plural + ", scope: " + std::string(scope) + "}\" into " +
         go::join_path(watch.chart_path, "operator/operator.yaml") +
         ", and apply what \"chartwright generate rbac\" prints then";
}

/// A group and a resource of it.
using Name = std::pair<std::string, std::string>;

void rename(const std::map<Name, Resource>& served, std::vector<Rule>& rules) {
  for (Rule& rule : rules) {
    const std::string before(without_subresource(rule.resource));
    if (const auto found = served.find({rule.group, before}); found != served.end()) {
      rule.resource = found->second.plural + rule.resource.substr(before.size());
      rule.scope = found->second.scope;
    }
  }
}

}  // namespace

std::string ServedAccess::remedy(const Rule& rule, const std::vector<std::string>& missing,
                                 const std::string& ns) const {
  const auto found = misnamed.find({rule.group, std::string(without_subresource(rule.resource))});
  if (found == misnamed.end() || !found->second.empty()) {
    return found == misnamed.end() ? "" : found->second;
  }
  return "add a rule to the " + (ns.empty() ? "ClusterRole" : "Role in namespace " + ns) +
         " by hand, as \"chartwright generate rbac\" cannot know this resource: {apiGroups: [" +
         rule.group + "], resources: [" + rule.resource + "], verbs: [" +
         base::join(missing, ", ") + "]}";
}

ServedAccess as_served(generate::Access access, const std::vector<bundle::Watch>& watches,
                       kube::Client& client, const kube::Call& call) {
  ServedAccess served{std::move(access), {}};
  std::map<Name, Resource> renamed;
  for (auto& [kind, resource] : served.access.resources) {
    const auto mapping = client.preferred_mapping(kind, call);
    if (!mapping.ok() || (mapping->plural == resource.plural && mapping->scope == resource.scope)) {
      continue;
    }
    const Resource found{mapping->plural, mapping->scope, false};
    const auto own = std::ranges::find_if(
        watches, [&kind = kind](const auto& watch) { return watch.gvk.group_kind() == kind; });
    renamed.emplace(Name(kind.group, resource.plural), found);
    served.misnamed[{kind.group, found.plural}] =
        own != watches.end() ? own_remedy(*own, found) : "";
    resource = found;
  }
  rename(renamed, served.access.rules);
  return served;
}

}  // namespace chartwright::doctor
