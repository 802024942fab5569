// SPDX-License-Identifier: Apache-2.0
#include "console/report_reader.h"

#include <algorithm>

#include "console/tree_reader.h"
#include "console/why_reader.h"
#include "kube/list_refs.h"
#include "release/owner.h"
#include "report/get_lines.h"
#include "report/revisions.h"
#include "report/status_page.h"
#include "report/table.h"
#include "report/why_report.h"
#include "revision/listed_record.h"

namespace chartwright::cmd {
namespace {

using Path = ReportDraft::Path;
using value::Value;

/// Each pod costs a request, and a resource may have any number.
constexpr size_t kReportedPodsMax = 10;
constexpr size_t kReportedRevisionsMax = 256;
const kube::Gvk kDefinition{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"};

release::Owner reported_owner(const Value& cr, const std::string& home) {
  const kube::ObjectRef ref = kube::ref_of(cr);
  return {ref.gvk, ref.ns, ref.name, std::string(kube::uid_of(cr)), home};
}

}  // namespace

std::vector<kube::ObjectRef> ReportReader::refs_of(const Wanted& wanted) {
  Connection& connection = draft_.connection();
  const kube::ResourceMapping& mapping = wanted.kind.mapping;
  const std::string ns = mapping.scope == kube::Scope::kCluster ? "" : connection.ns();
  std::vector<kube::ObjectRef> refs;
  for (const std::string& name : wanted.names) {
    refs.push_back({mapping.gvk, ns, name});
  }
  if (wanted.names.empty()) {
    auto listed =
        kube::list_refs(connection.client(), mapping.gvk, {ns, "", ""}, connection.call());
    if (listed.ok()) {
      return *std::move(listed);
    }
    draft_.files().gap(list_gap(mapping.gvk, ns, listed.error()));
    is_complete_ = false;
  }
  return refs;
}

void ReportReader::add(const Wanted& wanted) {
  const kube::ResourceMapping& mapping = wanted.kind.mapping;
  const kube::ObjectRef crd{kDefinition, "", mapping.plural + "." + mapping.gvk.group};
  if (const auto live = draft_.read(crd)) {
    draft_.add_object({"crds", crd.name + ".yaml"}, *live);
  }
  for (const kube::ObjectRef& ref : refs_of(wanted)) {
    if (summaries_.size() == kCustomResourcesMax) {
      draft_.files().gap("only " + std::to_string(kCustomResourcesMax) +
                         " custom resources are in the report: name those that matter");
      return;
    }
    tell_(ref);
    add_resource(ref);
  }
}

void ReportReader::add_resource(const kube::ObjectRef& ref) {
  const auto cr = draft_.read(ref);
  if (!cr) {
    is_complete_ = false;
    return;
  }
  Connection& connection = draft_.connection();
  const base::WallTime now = connection.clock().wall();
  const Path folder = below({"resources"}, path_of(ref, ""));
  ReportFiles& files = draft_.files();
  summaries_.push_back(summary_of(*cr));
  draft_.add_object(below(folder, {"resource.yaml"}), *cr);
  files.add(below(folder, {"status.txt"}), text_of(page_of(*cr), Detail::kAll, now));
  files.add(below(folder, {"why.txt"}), text_of(read_why(*cr, connection), now));
  add_history(folder, *cr);
  TreeReport report = read_tree(*cr, connection);
  files.add(below(folder, {"tree.txt"}), table_of({report}, {now, TreeLines::kUnicode, true}));
  add_children(folder, *cr, report);
  add_pods(folder, report);
  draft_.add_tree(std::move(report));
}

void ReportReader::add_history(const Path& folder, const Value& cr) {
  Connection& connection = draft_.connection();
  RevisionReport report = revisions_of(cr, kReportedRevisionsMax);
  const release::Owner owner = reported_owner(cr, connection.ns());
  const std::string name = owner.ref().to_string();
  if (owner.release_namespace().empty()) {
    draft_.files().gap(name +
                       ": its records are in the namespace of the operator, to be named by -n");
  } else {
    const auto records = release::list_records(connection.client(), connection.call(), owner);
    if (records.ok()) {
      draft_.files().add(below(folder, {"records.txt"}), add_records(report, *records));
    } else {
      draft_.files().gap(name + ": its records could not be listed: " + records.error().message());
    }
  }
  draft_.files().add(below(folder, {"history.txt"}), table_of({report}, true));
}

void ReportReader::add_children(const Path& folder, const Value& cr, const TreeReport& report) {
  for (const TreeNode& node : report.tree.nodes()) {
    const bool is_child = node.relation == Relation::kChild || node.relation == Relation::kHook;
    // One that the tree has not read has no UID; the tree bounds how many it reads, and says so.
    if (is_child && !node.uid.empty()) {
      add_child(folder, cr, node);
    }
  }
}

// Leaves out what says itself that it is another's: anyone who may write a status could name any
// object in it, and a report leaves the cluster.
void ReportReader::add_child(const Path& folder, const Value& cr, const TreeNode& node) {
  const auto object = draft_.read(node.ref);
  if (!object) {
    return;
  }
  const release::Owner owner = reported_owner(cr, draft_.connection().ns());
  if (release::claim_on(*object, owner) != release::Claim::kOurs) {
    draft_.files().gap(owner.ref().to_string() + ": " + node.ref.to_string() +
                       " does not belong to it, and is left out");
    return;
  }
  draft_.add_object(below(folder, below({"children"}, path_of(node.ref, ".yaml"))), *object);
}

void ReportReader::add_pods(const Path& folder, const TreeReport& report) {
  size_t read = 0;
  for (const TreeNode& node : report.tree.nodes()) {
    const bool is_pod = node.ref.group_kind() == kube::GroupKind{"", "Pod"};
    const bool is_shown = node.relation == Relation::kOwned && node.state != "Ready";
    if (!is_pod || !is_shown || node.uid.empty()) {
      continue;
    }
    if (read++ == kReportedPodsMax) {
      draft_.files().gap(report.tree.nodes().front().ref.to_string() + ": only " +
                         std::to_string(kReportedPodsMax) + " of its pods are in the report");
      return;
    }
    if (const auto pod = draft_.read(node.ref)) {
      draft_.add_object(below(folder, {"pods", node.ref.name + ".yaml"}), *pod);
      if (logs_ == PodLogs::kYes) {
        draft_.add_logs(below(folder, {"pods"}), *pod);
      }
    }
  }
}

void ReportReader::add_list() {
  const GetTable form{true, true, true};
  Table table(get_header(form));
  for (const Summary& one : summaries_) {
    table.add(get_row(one, form, draft_.connection().clock().wall()));
  }
  draft_.files().add({"resources.txt"}, table.text());
}

}  // namespace chartwright::cmd
