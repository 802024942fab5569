// SPDX-License-Identifier: Apache-2.0
#include "migration/live_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "doctor/cluster_state.h"
#include "generate/access.h"

namespace chartwright::cmd {
namespace {

/// More lines nobody reads; the worst come first.
constexpr size_t kMembersShownMax = 100;

std::string count_of(size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// Adds what a cluster lacks, and whether that is nothing.
base::Status check_cluster_state(const Project& project, Cluster& cluster,
                                 std::vector<Finding>& findings) {
  CW_TRY(const generate::Access access, generate::access_of(project.watches, project.served));
  generate::Naming naming;
  doctor::name_caller(naming, cluster.client(), cluster.call());
  CW_TRY(const auto complaints,
         doctor::check_cluster(project.watches, access, naming,
                               {cluster.client(), cluster.call(), cluster.clock()}));
  const size_t before = findings.size();
  for (const doctor::Complaint& complaint : complaints) {
    if (complaint.weight == doctor::Complaint::Weight::kFault) {
      findings.push_back({Grade::kFail, "cluster", complaint.text,
                          complaint.fix({"", doctor::role_flags(naming)})});
    }
  }
  if (findings.size() == before) {
    findings.push_back(
        {Grade::kOk, "cluster", "the CRDs and the rights of this account are sufficient"});
  }
  return {};
}

}  // namespace

Finding finding_of(const diff::Member& member) {
  const std::string name = member.cr.to_string();
  const std::string command = "chartwright diff " + member.cr.gvk.kind + "/" + member.cr.name +
                              (member.cr.ns.empty() ? "" : " -n " + member.cr.ns);
  const diff::Report& report = member.report;
  if (report.failure) {
    return {
        Grade::kFail, "release",
        name + ": the reconcile would fail: " + report.secrets.masked(*report.failure).message(),
        command};
  }
  if (diff::has_changes(report)) {
    const auto changed = std::ranges::count_if(
        report.objects, [](const diff::ObjectChange& one) { return diff::is_change(one.fate); });
    return {Grade::kWarn, "release",
            name + ": " + count_of(static_cast<size_t>(changed), "object") + " would change",
            command};
  }
  if (!report.notes.empty()) {
    return {Grade::kWarn, "release", name + ": " + report.secrets.masked(report.notes.front()), ""};
  }
  return {Grade::kOk, "release", name + " goes on, and no object changes"};
}

base::Result<std::vector<Finding>> check_live(const Project& project, const DiffPlace& place,
                                              Cluster& cluster) {
  CW_TRY_VOID(cluster.check_reachable());
  std::vector<Finding> findings;
  CW_TRY_VOID(check_cluster_state(project, cluster, findings));
  std::vector<Finding> members;
  for (const bundle::Watch& watch : project.watches) {
    CW_TRY(const auto differ, Differ::make(place, watch, cluster));
    auto fleet = differ->plan_all();
    if (!fleet.ok()) {
      members.push_back({Grade::kFail, "release",
                         watch.gvk.kind + " could not be listed: " + fleet.error().message(), ""});
      continue;
    }
    for (diff::Member& member : *fleet) {
      diff::hide_overrides(member.report, bundle::OverrideMask(watch.override_values));
      members.push_back(finding_of(member));
    }
  }
  std::ranges::stable_sort(members, std::ranges::greater{}, &Finding::grade);
  if (members.size() > kMembersShownMax) {
    const size_t more = members.size() - kMembersShownMax;
    members.resize(kMembersShownMax);
    members.push_back({members.back().grade, "release",
                       count_of(more, "other custom resource") + " not shown, none of them worse",
                       "chartwright diff KIND --summary"});
  }
  findings.insert(findings.end(), std::make_move_iterator(members.begin()),
                  std::make_move_iterator(members.end()));
  return findings;
}

}  // namespace chartwright::cmd
