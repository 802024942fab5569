// SPDX-License-Identifier: Apache-2.0
#include "doctor/named_kinds.h"

#include "go/path.h"
#include "helm/analysis/written_kinds.h"

namespace chartwright::doctor {
namespace {

using Need = NamedKind::Need;

constexpr std::string_view kRules = "operator/operator.yaml";

/// Adds the kinds that the operator/ folder of a chart names.
base::Status add_kinds(const bundle::Watch& watch, std::vector<NamedKind>& named) {
  CW_TRY(const auto written, helm::analysis::written_kinds(*watch.bundle.chart));
  const auto add = [&](const kube::Gvk& gvk, std::string_view file, const std::string& part) {
    named.push_back({gvk, go::join_path(watch.chart_path, std::string(file)) + part});
  };
  for (const release::ChildRule& rule : watch.bundle.rules.children) {
    const release::ChildMatch& match = rule.match;
    if (!match.api_version.empty() && !match.kind.empty()) {
      add(kube::Gvk::from_api_version(match.api_version, match.kind), kRules, " (children)");
      const bool may_render = written.kinds.contains({match.api_version, match.kind});
      named.back().need = may_render ? Need::kIfRendered : Need::kAlways;
    }
  }
  for (const bundle::RelatedConfig& related : watch.bundle.rules.related) {
    add(related.gvk, kRules, " (related." + related.name + ")");
  }
  for (const auto& [name, kind] : written.patches) {
    add(kube::Gvk::from_api_version(name.first, name.second), *kind.files.begin(), "");
  }
  return {};
}

/// Returns why a kind cannot be found, or nullopt if it is served.
base::Result<std::optional<Complaint>> check_kind(const NamedKind& named, kube::Client& client,
                                                  const kube::Call& call) {
  const auto mapping = client.mapping_for(named.gvk, call);
  if (mapping.ok()) {
    return std::optional<Complaint>();
  }
  if (mapping.error().reason() != kube::kNoMatchReason) {
    return mapping.error();
  }
  Complaint complaint{"the API server does not serve " + named.gvk.to_string() + ", which " +
                          named.place + " names",
                      ""};
  if (named.need == Need::kIfRendered) {
    complaint.weight = Complaint::Weight::kNote;
    complaint.text += ": needed only where the chart renders it";
    return std::optional<Complaint>(std::move(complaint));
  }
  const auto preferred = client.preferred_mapping(named.gvk.group_kind(), call);
  complaint.remedy = preferred.ok()
                         ? "write apiVersion: " + preferred->gvk.api_version() + " there"
                         : "install the CRD of " + named.gvk.group_kind().to_string() +
                               ", or name another kind (kubectl api-resources shows all)";
  return std::optional<Complaint>(std::move(complaint));
}

}  // namespace

base::Result<std::vector<NamedKind>> named_kinds(const std::vector<bundle::Watch>& watches,
                                                 const generate::ServedViews& served) {
  std::vector<NamedKind> named;
  for (const bundle::Watch& watch : watches) {
    CW_TRY_VOID(add_kinds(watch, named));
  }
  for (const views::View& view : served.views) {
    if (!view.source.is_inline()) {
      named.push_back({view.source.gvk, view.kind_pos.to_string()});
    }
  }
  return named;
}

base::Result<std::vector<Complaint>> check_named_kinds(const std::vector<NamedKind>& named,
                                                       kube::Client& client,
                                                       const kube::Call& call) {
  std::vector<Complaint> found;
  for (const NamedKind& one : named) {
    CW_TRY(std::optional<Complaint> complaint, check_kind(one, client, call));
    if (complaint) {
      found.push_back(*std::move(complaint));
    }
  }
  return found;
}

}  // namespace chartwright::doctor
