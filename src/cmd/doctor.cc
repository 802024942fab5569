// SPDX-License-Identifier: Apache-2.0
#include "generate/doctor.h"
#include "cmd/cluster.h"
#include "cmd/commands.h"
#include "cmd/project.h"

namespace chartwright::cmd {
namespace {

struct DoctorOptions : ProjectFlags {
  std::vector<std::string> arguments;
  ClusterFlags cluster;
};

base::Result<std::vector<generate::Complaint>> examine(const DoctorOptions& options) {
  CW_TRY_VOID(check_naming(options.naming));
  const std::string path = options.arguments.empty() ? "watches.yaml" : options.arguments.front();
  CW_TRY(const std::vector<bundle::Watch> watches, load_project(path, options));
  CW_TRY(const generate::Access access, generate::access_of(watches));
  CW_TRY(const auto cluster, Cluster::open(options.cluster));
  CW_TRY_VOID(cluster->check_reachable());
  return generate::check_cluster(watches, access, options.naming, cluster->client(),
                                 cluster->call());
}

class DoctorCommand final : public Command {
 public:
  std::string_view name() const override { return "doctor"; }
  std::string_view summary() const override {
    return "Check that a cluster has the CRDs and the rights that an operator needs";
  }

  void declare(FlagSet& flags) override {
    declare_kind_flags(flags, options_);
    flags.comma_texts(options_.naming.watched,
                      {"watch-namespaces",
                       '\0',
                       "namespaces that the operator watches (WATCH_NAMESPACE)",
                       {},
                       "all"});
    declare_cluster_flags(flags, options_.cluster);
    flags.arguments(options_.arguments, "CHART|WATCHES",
                    "a chart's folder or archive, or a watches file; default: watches.yaml",
                    kTakesFile);
  }

  base::Result<int> run(Streams& streams) override {
    base::Result<std::vector<generate::Complaint>> complaints = std::vector<generate::Complaint>();
    CW_TRY_VOID(on_render_stack([&]() -> base::Status {
      complaints = examine(options_);
      return {};
    }));
    if (!complaints.ok()) {
      return with_place(complaints.error());
    }
    for (const generate::Complaint& complaint : *complaints) {
      streams.out("✗ " + complaint.text + "\n    fix: " + complaint.fix + "\n");
    }
    streams.out(complaints->empty() ? "✓ the CRDs and the rights of this account are sufficient\n"
                                    : "");
    return complaints->empty() ? kExitOk : kExitError;
  }

 private:
  DoctorOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace chartwright::cmd
