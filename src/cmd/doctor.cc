// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/strings.h"
#include "cli/environment.h"
#include "cmd/commands.h"
#include "doctor/cluster_state.h"
#include "doctor/named_kinds.h"
#include "project/cluster.h"
#include "project/project.h"

namespace chartwright::cmd {
namespace {

struct DoctorOptions : ProjectFlags {
  std::vector<std::string> arguments;
  ClusterFlags cluster;
};

/// The faults of a cluster, and the arguments with which `chartwright generate` repairs them.
struct Findings {
  std::vector<doctor::Complaint> complaints;
  doctor::FixArguments arguments;
  /// Nothing says which namespaces the operator watches: all of them are a guess.
  bool assumes_all_namespaces = false;
};

/// Returns the arguments that name what is examined, as they were given.
doctor::FixArguments fix_arguments(const DoctorOptions& options) {
  std::vector<std::string> project = options.arguments;
  if (!options.group.empty()) {
    project.push_back("--group " + options.group + " --version " + options.version);
  }
  if (!options.kind.empty()) {
    project.push_back("--kind " + options.kind);
  }
  return {base::join(project, " "), doctor::role_flags(options.naming, options.views)};
}

/// Returns the folder of the manifests that `init` has written for a project, which need not be
/// there: beside its watches file.
std::string manifests_beside(const std::string& path) {
  const ClassifiedPath at = classify(path);
  const bool has_watches = at.kind == PathKind::kProject || at.kind == PathKind::kFile;
  return (std::filesystem::path(has_watches ? at.path : "").parent_path() / "deploy").string();
}

/// Takes what no flag gives from where the operator itself has it: its environment, in its Pod, or
/// the manifests.
base::Status recall_operator(const std::string& path, DoctorOptions& options) {
  if (environment("WATCH_NAMESPACE") && !options.given.watched) {
    options.naming.watched = watched_namespaces();
    options.given.watched = true;
  }
  return recall_flags(path, manifests_beside(path), options);
}

base::Result<Findings> examine(DoctorOptions options) {
  const std::string path = options.arguments.empty() ? "watches.yaml" : options.arguments.front();
  CW_TRY_VOID(recall_operator(path, options));
  CW_TRY_VOID(check_naming(options.naming));
  CW_TRY(const auto cluster, Cluster::open(options.cluster));
  CW_TRY_VOID(cluster->check_reachable());
  // The rights of a Pod's account are those of a role that is bound to it.
  doctor::name_caller(options.naming, cluster->client(), cluster->call());
  CW_TRY(const Project project, load_project(path, options));
  CW_TRY(const generate::Access access, generate::access_of(project.watches, project.served));
  Findings found;
  CW_TRY(found.complaints,
         doctor::check_cluster(project.watches, access, options.naming,
                               {cluster->client(), cluster->call(), cluster->clock()}));
  CW_TRY(const auto named, doctor::named_kinds(project.watches, project.served));
  CW_TRY(const auto unserved, doctor::check_named_kinds(named, cluster->client(), cluster->call()));
  found.complaints.insert(found.complaints.end(), unserved.begin(), unserved.end());
  found.arguments = fix_arguments(options);
  std::error_code error;
  found.assumes_all_namespaces =
      options.naming.watched.empty() && !options.given.watched &&
      !std::filesystem::exists(manifests_beside(path) + "/manager/deployment.yaml", error);
  return found;
}

/// Prints notes, and the faults with their fixes. Reports whether there is no fault.
bool print_findings(const Findings& found, Streams& streams) {
  for (const doctor::Complaint& complaint : found.complaints) {
    if (complaint.weight == doctor::Complaint::Weight::kNote) {
      streams.tell("note: " + complaint.text + "\n");
    }
  }
  const auto repairs = doctor::repairs_of(found.complaints, found.arguments);
  for (const doctor::Repair& repair : repairs) {
    for (const std::string& fault : repair.faults) {
      streams.tell("✗ " + fault + "\n");
    }
    streams.tell("    fix: " + repair.fix + "\n");
    if (found.assumes_all_namespaces && repair.fix.starts_with("chartwright generate rbac")) {
      streams.tell(
          "    That role is for all namespaces: give --watch-namespaces, if the operator "
          "watches only some.\n");
    }
  }
  return repairs.empty();
}

class DoctorCommand final : public Command {
 public:
  std::string_view name() const override { return "doctor"; }
  std::string_view summary() const override {
    return "Check that a cluster has the CRDs and the rights that an operator needs";
  }

  void declare(FlagSet& flags) override {
    declare_kind_flags(flags, options_);
    declare_naming_flags(flags, options_);
    declare_views_flag(flags, options_);
    declare_cluster_flags(flags, options_.cluster);
    flags.arguments(options_.arguments, "CHART|WATCHES|VIEWS",
                    "a chart's folder or archive, a watches file (default: watches.yaml), or a "
                    "folder of views",
                    kTakesFile);
  }

  base::Result<int> run(Streams& streams) override {
    base::Result<Findings> found = Findings();
    CW_TRY_VOID(on_render_stack([&]() -> base::Status {
      found = examine(options_);
      return {};
    }));
    if (!found.ok()) {
      return with_place(found.error());
    }
    const bool is_sufficient = print_findings(*found, streams);
    if (is_sufficient) {
      streams.tell("✓ the CRDs and the rights of this account are sufficient\n");
    }
    return is_sufficient ? kExitOk : kExitError;
  }

 private:
  DoctorOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace chartwright::cmd
