// SPDX-License-Identifier: Apache-2.0
#include "generate/doctor.h"

#include <map>

#include "base/strings.h"
#include "generate/resource.h"

namespace chartwright::generate {
namespace {

using base::ErrorCode;
using value::Value;

constexpr std::string_view kCrdFix = "chartwright generate crd | kubectl apply -f -";
constexpr std::string_view kRoleFix = "chartwright generate rbac | kubectl apply -f -";
constexpr std::string_view kCrdVersion = "apiextensions.k8s.io/v1";

bool is_true(const Value* value) {
  return value != nullptr && value->is_bool() && value->as_bool();
}

/// Reports whether a schema keeps the member `name` of its objects, whatever is in it.
bool keeps(const Value& schema, std::string_view name) {
  const Value* member = schema.find_path({"properties", name});
  return member != nullptr || is_true(schema.find("x-kubernetes-preserve-unknown-fields"));
}

const Value* find_version(const Value& crd, const std::string& name) {
  const Value* versions = crd.find_path({"spec", "versions"});
  if (versions == nullptr || !versions->is_list()) {
    return nullptr;
  }
  for (const Value& version : versions->as_list().items) {
    if (version.string_at({"name"}) == name && is_true(version.find("served"))) {
      return &version;
    }
  }
  return nullptr;
}

Value text(std::string_view value) { return Value::string(value); }

Value review_of(const Rule& rule, const std::string& verb, const std::string& ns,
                const std::string& name) {
  const size_t slash = rule.resource.find('/');
  const Value attributes = Value::dict(
      {{"group", text(rule.group)},
       {"resource", text(rule.resource.substr(0, slash))},
       {"subresource", text(slash == std::string::npos ? "" : rule.resource.substr(slash + 1))},
       {"verb", text(verb)},
       {"namespace", text(ns)},
       {"name", text(name)}});
  return Value::dict({{"apiVersion", text("authorization.k8s.io/v1")},
                      {"kind", text("SelfSubjectAccessReview")},
                      {"metadata", Value::dict()},
                      {"spec", Value::dict({{"resourceAttributes", attributes}})}});
}

/// Returns the verbs of a rule that the caller lacks in a namespace.
base::Result<std::vector<std::string>> missing_verbs(const Rule& rule, const std::string& ns,
                                                     kube::Client& client, const kube::Call& call) {
  std::vector<std::string> missing;
  const std::vector<std::string> all{""};
  for (const std::string& verb : rule.verbs) {
    for (const std::string& name : rule.names.empty() ? all : rule.names) {
      CW_TRY(const Value reviewed, client.create(review_of(rule, verb, ns, name), {}, call));
      if (!is_true(reviewed.find_path({"status", "allowed"}))) {
        missing.push_back(verb);
        break;
      }
    }
  }
  return missing;
}

}  // namespace

std::vector<Complaint> check_definition(const Value& crd, const bundle::Watch& watch) {
  const std::string name = "CRD " + std::string(kube::name_of(crd));
  const std::string fix(kCrdFix);
  const Value* version = find_version(crd, watch.gvk.version);
  if (version == nullptr) {
    return {{name + " does not serve the version " + watch.gvk.version, fix}};
  }
  std::vector<Complaint> found;
  if (version->find_path({"subresources", "status"}) == nullptr) {
    found.push_back({name + " has no status subresource: the operator cannot report", fix});
  }
  const Value* schema = version->find_path({"schema", "openAPIV3Schema"});
  if (schema == nullptr) {
    return found;
  }
  for (const auto& [part, member] : {std::pair{"spec", ""}, std::pair{"status", "conditions"}}) {
    const Value* inner = schema->find_path({"properties", part});
    const bool is_kept =
        keeps(*schema, part) && (inner == nullptr || *member == '\0' || keeps(*inner, member));
    if (!is_kept) {
      found.push_back({name + " drops " + (*member == '\0' ? "the spec" : "the operator's status") +
                           ": its schema does not have it",
                       fix});
    }
  }
  return found;
}

base::Result<std::vector<Complaint>> check_kind(const bundle::Watch& watch, kube::Client& client,
                                                const kube::Call& call) {
  const auto mapping = client.mapping_for(watch.gvk, call);
  if (!mapping.ok() && mapping.error().reason() == kube::kNoMatchReason) {
    return std::vector<Complaint>{
        {"the API server does not serve " + watch.gvk.to_string(), std::string(kCrdFix)}};
  }
  CW_TRY(const kube::ResourceMapping served, mapping);
  const kube::ObjectRef ref{kube::Gvk::from_api_version(kCrdVersion, "CustomResourceDefinition"),
                            "", served.plural + "." + watch.gvk.group};
  auto crd = client.get(ref, call);
  if (crd.ok()) {
    return check_definition(*crd, watch);
  }
  // The operator's own account cannot read CRDs; discovery tells at least this.
  if (crd.error().code() != ErrorCode::kForbidden) {
    return std::move(crd).error();
  }
  std::vector<Complaint> found;
  if (!served.has_status) {
    found.push_back({"CRD " + ref.name + " has no status subresource: the operator cannot report",
                     std::string(kCrdFix)});
  }
  return found;
}

base::Result<std::vector<Complaint>> check_rights(const Access& access, const Naming& naming,
                                                  kube::Client& client, const kube::Call& call) {
  std::vector<Complaint> found;
  const std::vector<std::string> everywhere{""};
  for (const Rule& rule : access.rules) {
    const bool is_local = rule.scope == kube::Scope::kNamespaced && !naming.watched.empty();
    for (const std::string& ns : is_local ? naming.watched : everywhere) {
      CW_TRY(const std::vector<std::string> missing, missing_verbs(rule, ns, client, call));
      if (missing.empty()) {
        continue;
      }
      const std::string where = ns.empty() ? "" : " in namespace " + ns;
      const std::string group = rule.group.empty() ? "" : "." + rule.group;
      const std::string source = rule.sources.empty() ? "" : " (for " + *rule.sources.begin() + ")";
      found.push_back({"no right to " + base::join(missing, ", ") + " " + rule.resource + group +
                           where + source,
                       std::string(kRoleFix)});
    }
  }
  return found;
}

}  // namespace chartwright::generate
