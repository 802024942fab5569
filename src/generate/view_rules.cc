// SPDX-License-Identifier: Apache-2.0
#include "generate/view_rules.h"

#include <algorithm>

#include "apiserver/discovery.h"
#include "apiserver/serving_certificate.h"

namespace chartwright::generate {
namespace {

using kube::Scope;
using views::View;

bool allows_any(const View& view, std::initializer_list<std::string_view> verbs) {
  return std::any_of(verbs.begin(), verbs.end(),
                     [&view](std::string_view verb) { return view.allows(verb); });
}

/// The requests for a source: views/served_view.cc watches it, views/reader.cc reads single
/// objects, also before each write, and views/view_writer.cc writes.
std::set<std::string> source_verbs(const View& view) {
  std::set<std::string> verbs{"list", "watch"};
  if (allows_any(view, {"get", "update", "patch", "delete", "deletecollection"})) {
    verbs.insert("get");
  }
  if (view.allows("create")) {
    verbs.insert("create");
  }
  if (allows_any(view, {"update", "patch"})) {
    verbs.insert("update");
  }
  if (allows_any(view, {"delete", "deletecollection"})) {
    verbs.insert("delete");
  }
  return verbs;
}

/// The requests of apiserver/registration.cc, and of the informer that watches for changes.
std::vector<Rule> registration_rules(const std::vector<View>& views) {
  std::vector<std::string> names;
  for (const auto& [group, versions] : apiserver::groups_of(views)) {
    for (const std::string& version : versions) {
      names.push_back(version + "." + group);
    }
  }
  std::sort(names.begin(), names.end());
  const std::string group = "apiregistration.k8s.io";
  return {
      {Purpose::kRegistration,
       group,
       "apiservices",
       {},
       {"create", "list", "watch"},
       Scope::kCluster,
       {}},
      {Purpose::kRegistration,
       group,
       "apiservices",
       names,
       {"delete", "get", "patch"},
       Scope::kCluster,
       {}},
  };
}

/// The requests of apiserver/serving_certificate.cc and apiserver/server.cc. A list or watch of one
/// name is allowed by a rule with that name.
std::vector<Rule> local_rules(const apiserver::ServiceRef& service) {
  const auto in = [](const std::string& ns, Purpose purpose, const std::string& resource,
                     std::vector<std::string> names, std::set<std::string> verbs) {
    return Rule{purpose, "", resource, std::move(names), std::move(verbs), Scope::kNamespaced,
                {},      ns};
  };
  const std::string secret = apiserver::serving_secret(service.name);
  return {
      in(service.ns, Purpose::kServing, "secrets", {}, {"create"}),
      in(service.ns, Purpose::kServing, "secrets", {secret}, {"get", "update"}),
      in(service.ns, Purpose::kServing, "services", {service.name}, {"get", "list", "watch"}),
      in("kube-system", Purpose::kAggregator, "configmaps", {"extension-apiserver-authentication"},
         {"get", "list", "watch"}),
  };
}

}  // namespace

std::vector<Rule> view_rules(const ServedViews& served, const kinds::DefinedKinds& defined) {
  std::vector<Rule> rules;
  for (const View& view : served.views) {
    if (view.source.is_inline()) {
      continue;
    }
    const kube::GroupKind kind = view.source.gvk.group_kind();
    // A view shows the objects of all namespaces, whichever the operator watches.
    rules.push_back({Purpose::kViews,
                     kind.group,
                     kinds::resource_of(kind, defined).plural,
                     {},
                     source_verbs(view),
                     Scope::kCluster,
                     {view.file}});
  }
  for (const auto& more : {registration_rules(served.views), local_rules(served.service)}) {
    rules.insert(rules.end(), more.begin(), more.end());
  }
  if (served.reviews_access) {
    rules.push_back({Purpose::kReviews,
                     "authorization.k8s.io",
                     "subjectaccessreviews",
                     {},
                     {"create"},
                     Scope::kCluster,
                     {}});
  }
  return rules;
}

}  // namespace chartwright::generate
