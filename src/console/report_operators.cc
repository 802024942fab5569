// SPDX-License-Identifier: Apache-2.0
// The operators in a report: their Deployments, pods and logs.
#include <algorithm>

#include "base/printable.h"
#include "base/strings.h"
#include "console/report_reader.h"
#include "console/tree_reader.h"
#include "kube/label_selector.h"
#include "kube/names.h"
#include "report/object_tree.h"
#include "report/operator_mark.h"

namespace chartwright::cmd {
namespace {

using Path = ReportDraft::Path;
using value::Value;

constexpr size_t kOperatorsMax = 10;
constexpr int64_t kOperatorPodsMax = 10;
constexpr int64_t kDeploymentsPage = 200;
constexpr size_t kDeploymentsMax = 5000;
const kube::Gvk kDeployment{"apps", "v1", "Deployment"};
const kube::Gvk kPodKind{"", "v1", "Pod"};

/// Adds the Deployments of operators in a namespace, "" for all, to `found`.
base::Status find_operators(const std::string& ns, Connection& connection,
                            std::vector<Value>& found) {
  kube::ListOptions options;
  options.selection.ns = ns;
  options.limit = kDeploymentsPage;
  for (size_t listed = 0; listed < kDeploymentsMax;) {
    CW_TRY(const kube::ListPage page,
           connection.client().list(kDeployment, options, connection.call()));
    std::ranges::copy_if(page.items, std::back_inserter(found), is_operator);
    listed += page.items.size();
    options.continue_token = page.continue_token;
    if (options.continue_token.empty()) {
      return {};
    }
  }
  return base::Error(base::ErrorCode::kBudget,
                     "there are more than " + std::to_string(kDeploymentsMax));
}

/// Returns all Deployments of operators that the caller may see.
std::vector<Value> all_operators(ReportDraft& draft) {
  std::vector<Value> found;
  Connection& connection = draft.connection();
  std::string where;
  if (const base::Status all = find_operators("", connection, found); !all.ok()) {
    draft.files().gap(list_gap(kDeployment, "", all.error()));
    where = connection.ns();
    if (!where.empty()) {
      found.clear();
      if (const base::Status own = find_operators(where, connection, found); !own.ok()) {
        draft.files().gap(list_gap(kDeployment, where, own.error()));
      }
    }
  }
  if (found.empty()) {
    draft.files().gap("no Deployment of an operator was found" +
                      (where.empty() ? "" : " in " + where) +
                      ": name it by --operator NAMESPACE/NAME, if there is one");
  }
  return found;
}

/// Returns the Deployment that NAME or NAMESPACE/NAME means.
kube::ObjectRef deployment_ref(const std::string& name, const std::string& default_namespace) {
  const size_t slash = name.find('/');
  return slash == std::string::npos
             ? kube::ObjectRef{kDeployment, default_namespace, name}
             : kube::ObjectRef{kDeployment, name.substr(0, slash), name.substr(slash + 1)};
}

std::vector<Value> named_operators(ReportDraft& draft, const std::vector<std::string>& names) {
  std::vector<Value> found;
  for (const std::string& name : names) {
    if (auto live = draft.read(deployment_ref(name, draft.connection().ns()))) {
      found.push_back(*std::move(live));
    }
  }
  return found;
}

void add_operator_pods(ReportDraft& draft, const Path& folder, const Value& deployment) {
  const auto selector = kube::LabelSelector::of(deployment);
  if (!selector.ok()) {
    return;  // The API server takes no such Deployment.
  }
  std::vector<std::string> requirements;
  for (const kube::LabelRequirement& one : selector->requirements()) {
    requirements.push_back(one.to_string());
  }
  const std::string ns(kube::namespace_of(deployment));
  kube::ListOptions options;
  options.selection = {ns, base::join(requirements, ","), ""};
  options.limit = kOperatorPodsMax;
  Connection& connection = draft.connection();
  const auto page = connection.client().list(kPodKind, options, connection.call());
  if (!page.ok()) {
    draft.files().gap(list_gap(kPodKind, ns, page.error()));
    return;
  }
  for (const Value& pod : page->items) {
    draft.add_object(below(folder, {"pods", std::string(kube::name_of(pod)) + ".yaml"}), pod);
    draft.add_logs(below(folder, {"pods"}), pod);
    draft.add_tree({ObjectTree(pod), {}});
  }
}

}  // namespace

base::Status check_operator_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const kube::ObjectRef ref = deployment_ref(name, "default");
    if (!kube::is_dns_label(ref.ns) || !kube::is_dns_subdomain(ref.name)) {
      return base::Error(base::ErrorCode::kInvalidArgument,
                         "--operator=" + base::printable(name) +
                             ": give NAME or NAMESPACE/NAME of a Deployment, such as "
                             "chartwright-system/chartwright");
    }
  }
  return {};
}

size_t add_operators(ReportDraft& draft, const std::vector<std::string>& names) {
  std::vector<Value> found = names.empty() ? all_operators(draft) : named_operators(draft, names);
  if (found.size() > kOperatorsMax) {
    draft.files().gap("only " + std::to_string(kOperatorsMax) + " of " +
                      std::to_string(found.size()) +
                      " operators are in the report: name others by --operator NAMESPACE/NAME");
    found.resize(kOperatorsMax);
  }
  for (const Value& deployment : found) {
    const kube::ObjectRef ref = kube::ref_of(deployment);
    const Path folder = {"operators", ref.ns, ref.name};
    draft.add_object(below(folder, {"deployment.yaml"}), deployment);
    draft.add_tree({ObjectTree(deployment), {}});
    add_operator_pods(draft, folder, deployment);
  }
  return found.size();
}

}  // namespace chartwright::cmd
