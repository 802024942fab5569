// SPDX-License-Identifier: Apache-2.0
#include "doctor/doctor.h"

#include "base/strings.h"
#include "cmd/cluster.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "doctor/named_kinds.h"

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

base::Result<Findings> examine(DoctorOptions options) {
  CW_TRY_VOID(check_naming(options.naming));
  CW_TRY(const auto cluster, Cluster::open(options.cluster));
  CW_TRY_VOID(cluster->check_reachable());
  // The rights of a Pod's account are those of a role that is bound to it.
  doctor::name_caller(options.naming, cluster->client(), cluster->call());
  const std::string path = options.arguments.empty() ? "watches.yaml" : options.arguments.front();
  CW_TRY(const Project project, load_project(path, options));
  CW_TRY(const generate::Access access, generate::access_of(project.watches, project.served));
  Findings found;
  CW_TRY(found.complaints, doctor::check_cluster(project.watches, access, options.naming,
                                                 cluster->client(), cluster->call()));
  CW_TRY(const auto named, doctor::named_kinds(project.watches, project.served));
  CW_TRY(const auto unserved, doctor::check_named_kinds(named, cluster->client(), cluster->call()));
  found.complaints.insert(found.complaints.end(), unserved.begin(), unserved.end());
  found.arguments = fix_arguments(options);
  return found;
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
    bool is_sufficient = true;
    for (const doctor::Complaint& complaint : found->complaints) {
      if (complaint.weight == doctor::Complaint::Weight::kNote) {
        streams.tell("note: " + complaint.text + "\n");
        continue;
      }
      is_sufficient = false;
      streams.tell("✗ " + complaint.text + "\n    fix: " + complaint.fix(found->arguments) + "\n");
    }
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
