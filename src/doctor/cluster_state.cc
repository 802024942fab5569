// SPDX-License-Identifier: Apache-2.0
#include "doctor/cluster_state.h"

#include <algorithm>
#include <functional>

#include "doctor/served_names.h"
#include "runtime/pause.h"

namespace chartwright::doctor {
namespace {

using generate::Access;
using generate::Naming;
using generate::Purpose;
using generate::Rule;
using value::Value;

/// An API server publishes a new CRD within a second or two, a busy one later.
constexpr base::Duration kLagMax = std::chrono::seconds(10);
constexpr base::Duration kLookAgain = std::chrono::milliseconds(250);

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

/// Returns the verbs of a rule that the caller lacks in a namespace, "" for all.
base::Result<std::vector<std::string>> missing_verbs(const Rule& rule, const std::string& ns,
                                                     const Server& server) {
  const std::vector<std::string> names =
      rule.names.empty() ? std::vector<std::string>{""} : rule.names;
  std::vector<std::string> missing;
  for (const std::string& verb : rule.verbs) {
    for (const std::string& name : names) {
      CW_TRY(const Value reviewed,
             server.client.create(review_of(rule, verb, ns, name), {}, server.call));
      if (!reviewed.bool_at({"status", "allowed"})) {
        missing.push_back(verb);
        break;
      }
    }
  }
  return missing;
}

/// Asks until the answer is yes, or the time is over. Returns the last answer.
base::Result<bool> wait_for(const Server& server, const std::function<base::Result<bool>()>& ask) {
  const base::MonotonicTime deadline = server.clock.monotonic() + kLagMax;
  while (true) {
    CW_TRY(const bool is_there, ask());
    if (is_there || server.call.stop.stop_requested() || server.clock.monotonic() >= deadline) {
      return is_there;
    }
    runtime::pause(server.clock, kLookAgain, server.call.stop);
  }
}

/// Returns a CRD; nil if there is none, or the caller may not read it.
base::Result<Value> readable_definition(const std::string& name, const Server& server) {
  const std::string group = "apiextensions.k8s.io";
  const Rule reading{Purpose::kDefinitions, group, "customresourcedefinitions", {name}, {"get"},
                     kube::Scope::kCluster, {}};
  CW_TRY(const auto missing, missing_verbs(reading, "", server));
  if (!missing.empty()) {
    return Value();
  }
  auto read = server.client.get({{group, "v1", "CustomResourceDefinition"}, "", name}, server.call);
  const bool is_none = !read.ok() && read.error().code() == base::ErrorCode::kNotFound;
  return is_none ? Value() : std::move(read);
}

/// Returns a CRD with as much as the API server publishes to those who may not read it; nil if it
/// does not publish the schema.
base::Result<Value> published_definition(const kube::ResourceMapping& served,
                                         const Server& server) {
  Value schema;
  CW_TRY_DISCARD(wait_for(server, [&]() -> base::Result<bool> {
    CW_TRY(schema, server.client.schema_of(served.gvk, server.call));
    return !schema.is_nil();
  }));
  if (schema.is_nil()) {
    return Value();
  }
  const Value subresources =
      served.has_status ? Value::dict({{"status", Value::dict()}}) : Value::dict();
  const Value version = Value::dict({{"name", text(served.gvk.version)},
                                     {"served", Value::boolean(true)},
                                     {"subresources", subresources},
                                     {"schema", Value::dict({{"openAPIV3Schema", schema}})}});
  return Value::dict(
      {{"metadata", Value::dict({{"name", text(served.plural + "." + served.gvk.group)}})},
       {"spec", Value::dict({{"versions", Value::list({version})}})}});
}

bool is_unserved(const base::Result<kube::ResourceMapping>& mapping) {
  return !mapping.ok() && mapping.error().reason() == kube::kNoMatchReason;
}

/// Returns the mapping of a kind, for which it waits if its CRD is there.
base::Result<kube::ResourceMapping> find_mapping(const bundle::Watch& watch, const Server& server) {
  auto mapping = server.client.mapping_for(watch.gvk, server.call);
  if (!is_unserved(mapping)) {
    return mapping;
  }
  const std::string name = kinds::own_resource(watch).plural + "." + watch.gvk.group;
  CW_TRY(const Value definition, readable_definition(name, server));
  const bool will_serve =
      !definition.is_nil() && definition.string_at({"spec", "names", "kind"}) == watch.gvk.kind &&
      std::ranges::any_of(definition.items_at({"spec", "versions"}), [&](const Value& version) {
        return version.string_at({"name"}) == watch.gvk.version && version.bool_at({"served"});
      });
  if (will_serve) {
    const auto is_served = [&]() -> base::Result<bool> {
      CW_TRY_VOID(server.client.refresh_kinds(base::Duration(0), server.call));
      mapping = server.client.mapping_for(watch.gvk, server.call);
      return !is_unserved(mapping);
    };
    CW_TRY_DISCARD(wait_for(server, is_served));
  }
  return mapping;
}

/// Checks the kind of a watch as the API server serves it.
base::Result<std::vector<Complaint>> check_kind(const bundle::Watch& watch, const Server& server) {
  const auto mapping = find_mapping(watch, server);
  if (is_unserved(mapping)) {
    return std::vector<Complaint>{
        {"the API server does not serve " + watch.gvk.to_string(), "crd"}};
  }
  CW_TRY(const kube::ResourceMapping served, mapping);
  const std::string name = served.plural + "." + watch.gvk.group;
  CW_TRY(Value definition, readable_definition(name, server));
  if (definition.is_nil()) {
    CW_TRY(definition, published_definition(served, server));
  }
  if (definition.is_nil()) {
    return std::vector<Complaint>{{"the API server does not publish the schema of CRD " + name +
                                       ": what it drops is not known",
                                   "", "check again a minute later"}};
  }
  return check_definition(definition, watch);
}

/// Returns the namespaces in which the rights of a rule are needed; "" for all.
std::vector<std::string> namespaces_of(const Rule& rule, const Naming& naming) {
  const bool is_watched = rule.scope == kube::Scope::kNamespaced && rule.ns.empty();
  return is_watched && !naming.watched.empty() ? naming.watched : std::vector<std::string>{rule.ns};
}

/// Reports whether the caller may use the custom resources in the namespace of its account, but not
/// in all: it is an operator that watches some namespaces, whatever `naming` says.
base::Result<bool> is_confined(const Access& access, const Naming& naming, const Server& server) {
  bool is_local = false;
  for (const Rule& rule : access.rules) {
    if (!naming.watched.empty() || rule.purpose != Purpose::kCustomResources ||
        rule.scope != kube::Scope::kNamespaced) {
      continue;
    }
    CW_TRY(const auto everywhere, missing_verbs(rule, "", server));
    CW_TRY(const auto at_home, missing_verbs(rule, naming.ns, server));
    if (everywhere.empty() || !at_home.empty()) {
      return false;
    }
    is_local = true;
  }
  return is_local;
}

Complaint confined(const std::string& ns) {
  return {"this account has its rights in namespace " + ns + ", but not in all namespaces", "",
          "if the operator is to watch this namespace alone, set WATCH_NAMESPACE=" + ns +
              ", and give \"--watch-namespaces " + ns + "\" to doctor and generate"};
}

/// Asks the API server whether its caller has the rights, in the watched namespaces.
base::Result<std::vector<Complaint>> check_rights(const ServedAccess& served, const Naming& naming,
                                                  const Server& server) {
  CW_TRY(const bool is_local, is_confined(served.access, naming, server));
  if (is_local) {
    return std::vector<Complaint>{confined(naming.ns)};
  }
  std::vector<Complaint> found;
  for (const Rule& rule : served.access.rules) {
    if (generate::is_optional(rule.purpose)) {
      continue;
    }
    for (const std::string& ns : namespaces_of(rule, naming)) {
      CW_TRY(const std::vector<std::string> missing, missing_verbs(rule, ns, server));
      if (!missing.empty()) {
        found.push_back(missing_right(rule, missing, ns));
        found.back().remedy = served.remedy(rule, missing, ns);
      }
    }
  }
  return found;
}

}  // namespace

void name_caller(Naming& naming, kube::Client& client, const kube::Call& call) {
  constexpr std::string_view kAccount = "system:serviceaccount:";
  const auto reviewed = client.create(Value::dict({{"apiVersion", text("authentication.k8s.io/v1")},
                                                   {"kind", text("SelfSubjectReview")},
                                                   {"metadata", Value::dict()}}),
                                      {}, call);
  const std::string user(reviewed.ok() ? reviewed->string_at({"status", "userInfo", "username"})
                                       : "");
  const size_t colon = user.rfind(':');
  if (user.starts_with(kAccount) && colon >= kAccount.size()) {
    naming.name = user.substr(colon + 1);
    naming.ns = user.substr(kAccount.size(), colon - kAccount.size());
  }
}

base::Result<std::vector<Complaint>> check_cluster(const std::vector<bundle::Watch>& watches,
                                                   const Access& access, const Naming& naming,
                                                   const Server& server) {
  std::vector<Complaint> all;
  for (const bundle::Watch& watch : watches) {
    CW_TRY(const auto some, check_kind(watch, server));
    all.insert(all.end(), some.begin(), some.end());
  }
  const ServedAccess served = as_served(access, watches, server.client, server.call);
  CW_TRY(const auto rights, check_rights(served, naming, server));
  all.insert(all.end(), rights.begin(), rights.end());
  return all;
}

}  // namespace chartwright::doctor
