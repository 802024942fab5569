// SPDX-License-Identifier: Apache-2.0
#include "doctor/doctor.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"

namespace chartwright::doctor {
namespace {

using generate::Access;
using generate::AccessNote;
using generate::Naming;
using generate::Purpose;
using generate::Rule;
using value::Value;

constexpr std::string_view kCrd = "crd";
constexpr std::string_view kRoles = "rbac";

/// Reports whether a schema keeps the member `name` of its objects, whatever is in it.
bool keeps(const Value& schema, std::string_view name) {
  const Value* member = schema.find_path({"properties", name});
  return member != nullptr || schema.bool_at({"x-kubernetes-preserve-unknown-fields"});
}

const Value* find_version(const Value& crd, const std::string& name) {
  for (const Value& version : crd.items_at({"spec", "versions"})) {
    if (version.string_at({"name"}) == name && version.bool_at({"served"})) {
      return &version;
    }
  }
  return nullptr;
}

Complaint without_status(const std::string& name) {
  return {name + " has no status subresource: the operator cannot report", std::string(kCrd)};
}

/// Finds what the schema of a custom resource drops.
void check_schema(const Value& schema, const std::string& name, std::vector<Complaint>& found) {
  const Value* spec = schema.find_path({"properties", "spec"});
  if (spec != nullptr && spec->find("properties") == nullptr &&
      spec->find("additionalProperties") == nullptr &&
      !spec->bool_at({"x-kubernetes-preserve-unknown-fields"})) {
    found.push_back(
        {name + " drops every key of the spec: its schema has no properties", std::string(kCrd)});
  }
  for (const auto& [part, member] : {std::pair{"spec", ""}, std::pair{"status", "conditions"}}) {
    const Value* inner = schema.find_path({"properties", part});
    const bool is_kept =
        keeps(schema, part) && (inner == nullptr || *member == '\0' || keeps(*inner, member));
    if (!is_kept) {
      found.push_back({name + " drops " + (*member == '\0' ? "the spec" : "the operator's status") +
                           ": its schema does not have it",
                       std::string(kCrd)});
    }
  }
}

/// Reports whether a list of a role has `text`, or "*".
bool lists(const Value& rule, std::string_view key, std::string_view text) {
  const Value* list = rule.find(key);
  return list != nullptr && list->is_list() &&
         std::any_of(
             list->as_list().items.begin(), list->as_list().items.end(), [text](const Value& item) {
               return item.is_string() && (item.as_string() == text || item.as_string() == "*");
             });
}

/// Source: k8s.io/kubernetes pkg/apis/rbac/v1/evaluation_helpers.go.
bool lists_resource(const Value& rule, const std::string& resource) {
  const size_t slash = resource.find('/');
  return lists(rule, "resources", resource) ||
         (slash != std::string::npos && lists(rule, "resources", "*" + resource.substr(slash)));
}

bool grants(const Value& granted, const Rule& rule, const std::string& verb,
            const std::string& name) {
  const Value* names = granted.find("resourceNames");
  const bool is_limited = names != nullptr && names->is_list() && !names->as_list().items.empty();
  return lists(granted, "apiGroups", rule.group) && lists_resource(granted, rule.resource) &&
         lists(granted, "verbs", verb) &&
         (!is_limited || (!name.empty() && lists(granted, "resourceNames", name)));
}

/// Reports whether a role is one of the places that a rule is about.
bool reaches(const Value& role, const Rule& rule) {
  if (role.string_at({"kind"}) == "ClusterRole") {
    return true;
  }
  const std::string_view ns = kube::namespace_of(role);
  return rule.scope == kube::Scope::kNamespaced && (rule.ns.empty() || ns.empty() || rule.ns == ns);
}

bool any_grants(const std::vector<Value>& roles, const Rule& rule, const std::string& verb,
                const std::string& name) {
  for (const Value& role : roles) {
    const Value* rules = role.find("rules");
    if (reaches(role, rule) && rules != nullptr && rules->is_list() &&
        std::any_of(rules->as_list().items.begin(), rules->as_list().items.end(),
                    [&](const Value& granted) { return grants(granted, rule, verb, name); })) {
      return true;
    }
  }
  return false;
}

/// The members of a list of a role.
std::vector<std::string> texts_of(const Value& rule, std::string_view key) {
  std::vector<std::string> texts;
  for (const Value& item : rule.items_at({key})) {
    texts.emplace_back(item.is_string() ? item.as_string() : std::string_view());
  }
  return texts;
}

bool contains(const std::vector<std::string>& all, std::string_view one) {
  return std::ranges::find(all, one) != all.end();
}

/// Reports whether the process needs a resource for itself: for leader election, and for access to
/// its metrics.
bool is_of_process(const std::string& group, const std::string& resource) {
  return (group == "coordination.k8s.io" && resource == "leases") ||
         (group == "authentication.k8s.io" && resource == "tokenreviews") ||
         (group == "authorization.k8s.io" && resource == "subjectaccessreviews");
}

/// Looks for rights of roles that no rule of an access needs.
class Surplus {
 public:
  explicit Surplus(const Access& access) : access_(access) {}

  /// Reports whether each right that is not needed is known.
  bool is_certain(const std::vector<Value>& roles) const {
    return std::ranges::none_of(access_.notes, &AccessNote::is_gap) &&
           std::ranges::none_of(
               access_.rules, [](const Rule& rule) { return rule.purpose == Purpose::kGrants; }) &&
           std::ranges::none_of(roles, [this](const Value& role) { return serves_others(role); });
  }

  void add(const Value& role) {
    const std::string name =
        std::string(role.string_at({"kind"})) + " " + std::string(kube::name_of(role));
    for (const Value& rule : role.items_at({"rules"})) {
      // Resources of one rule with the same verbs share a sentence.
      std::map<std::string, std::vector<std::string>> resources;
      for (const std::string& group : texts_of(rule, "apiGroups")) {
        for (const std::string& resource : texts_of(rule, "resources")) {
          const std::string verbs = unneeded_verbs(rule, group, resource);
          if (!verbs.empty()) {
            resources[verbs].push_back(resource + (group.empty() ? "" : "." + group));
          }
        }
      }
      for (const auto& [verbs, names] : resources) {
        found_.push_back(name + " grants more than the chart needs: " + verbs + " " +
                         base::join(names, ", "));
      }
    }
  }

  std::vector<std::string> found() && { return std::move(found_); }

 private:
  /// Returns the verbs that are needed on a resource.
  std::set<std::string> needed_verbs(const std::string& group, const std::string& resource) const {
    std::set<std::string> verbs;
    for (const Rule& rule : access_.rules) {
      if (rule.group == group && rule.resource == resource) {
        verbs.insert(rule.verbs.begin(), rule.verbs.end());
      }
    }
    return verbs;
  }

  std::string unneeded_verbs(const Value& granted, const std::string& group,
                             const std::string& resource) const {
    const std::set<std::string> needed = needed_verbs(group, resource);
    // A rule has all its groups for all its resources, of which most pairs do not exist.
    const bool is_elsewhere =
        std::ranges::any_of(texts_of(granted, "apiGroups"), [&](const std::string& other) {
          return other != group &&
                 (!needed_verbs(other, resource).empty() || is_of_process(other, resource));
        });
    if (is_of_process(group, resource) || (needed.empty() && is_elsewhere)) {
      return "";
    }
    std::vector<std::string> verbs = texts_of(granted, "verbs");
    std::erase_if(verbs, [&needed](const std::string& verb) { return needed.contains(verb); });
    return base::join(verbs, ", ");
  }

  /// Reports whether a right is one of an operator of another kind, or of a server of views.
  bool is_of_others(const std::string& group, const std::string& resource) const {
    const bool is_status = resource.ends_with("/status") && group.find('.') != std::string::npos &&
                           !group.ends_with(".k8s.io");
    return (is_status && needed_verbs(group, resource).empty()) ||
           (group == "apiregistration.k8s.io" && resource == "apiservices");
  }

  bool serves_others(const Value& role) const {
    for (const Value& rule : role.items_at({"rules"})) {
      const std::vector<std::string> verbs = texts_of(rule, "verbs");
      const bool writes = contains(verbs, "patch") || contains(verbs, "update");
      for (const std::string& group : texts_of(rule, "apiGroups")) {
        const std::vector<std::string> resources = texts_of(rule, "resources");
        if (writes && std::ranges::any_of(resources, [&](const std::string& resource) {
              return is_of_others(group, resource);
            })) {
          return true;
        }
      }
    }
    return false;
  }

  const Access& access_;
  std::vector<std::string> found_;
};

/// The names that a rule is about; "" for all objects.
std::vector<std::string> names_of(const Rule& rule) {
  return rule.names.empty() ? std::vector<std::string>{""} : rule.names;
}

}  // namespace

Complaint missing_right(const Rule& rule, const std::vector<std::string>& verbs,
                        const std::string& ns) {
  const std::string where = ns.empty() ? "" : " in namespace " + ns;
  const std::string group = rule.group.empty() ? "" : "." + rule.group;
  const std::string source = rule.sources.empty() ? "" : " (for " + *rule.sources.begin() + ")";
  return {"no right to " + base::join(verbs, ", ") + " " + rule.resource + group + where + source,
          std::string(kRoles)};
}

std::string Complaint::fix(const FixArguments& arguments) const {
  if (!remedy.empty()) {
    return remedy;
  }
  std::string command = "chartwright generate " + product;
  for (const std::string& part :
       {arguments.project, product == kRoles ? arguments.roles : std::string()}) {
    command += part.empty() ? "" : " " + part;
  }
  return command + " | kubectl apply -f -";
}

std::vector<Repair> repairs_of(const std::vector<Complaint>& complaints,
                               const FixArguments& arguments) {
  std::vector<Repair> repairs;
  for (const Complaint& complaint : complaints) {
    if (complaint.weight == Complaint::Weight::kNote) {
      continue;
    }
    const std::string fix = complaint.fix(arguments);
    const auto known = std::ranges::find(repairs, fix, &Repair::fix);
    Repair& repair = known != repairs.end() ? *known : repairs.emplace_back(Repair{fix, {}});
    repair.faults.push_back(complaint.text);
  }
  return repairs;
}

std::string role_flags(const Naming& naming, const std::string& views) {
  const Naming usual;
  std::vector<std::string> flags;
  if (!views.empty()) {
    flags.push_back("--views " + views);
  }
  if (!naming.watched.empty()) {
    flags.push_back("--watch-namespaces " + base::join(naming.watched, ","));
  }
  if (naming.name != usual.name || naming.ns != usual.ns) {
    flags.push_back("--name " + naming.name + " --namespace " + naming.ns);
  }
  return base::join(flags, " ");
}

std::vector<Complaint> check_definition(const Value& crd, const bundle::Watch& watch) {
  const std::string name = "CRD " + std::string(kube::name_of(crd));
  const Value* version = find_version(crd, watch.gvk.version);
  if (version == nullptr) {
    return {{name + " does not serve the version " + watch.gvk.version, std::string(kCrd)}};
  }
  std::vector<Complaint> found;
  if (version->find_path({"subresources", "status"}) == nullptr) {
    found.push_back(without_status(name));
  }
  if (const Value* schema = version->find_path({"schema", "openAPIV3Schema"})) {
    check_schema(*schema, name, found);
  }
  return found;
}

std::vector<Complaint> check_roles(const std::vector<Value>& roles, const Access& access) {
  std::vector<Complaint> found;
  for (const Rule& rule : access.rules) {
    if (generate::is_optional(rule.purpose)) {
      continue;
    }
    std::vector<std::string> missing;
    for (const std::string& verb : rule.verbs) {
      const std::vector<std::string> names = names_of(rule);
      if (!std::all_of(names.begin(), names.end(), [&](const std::string& name) {
            return any_grants(roles, rule, verb, name);
          })) {
        missing.push_back(verb);
      }
    }
    if (!missing.empty()) {
      found.push_back(missing_right(rule, missing, rule.ns));
    }
  }
  return found;
}

std::vector<std::string> unneeded_rights(const std::vector<Value>& roles, const Access& access) {
  Surplus surplus(access);
  if (!surplus.is_certain(roles)) {
    return {};
  }
  for (const Value& role : roles) {
    surplus.add(role);
  }
  return std::move(surplus).found();
}

}  // namespace chartwright::doctor
