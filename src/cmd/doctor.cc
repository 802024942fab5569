// SPDX-License-Identifier: Apache-2.0
#include "generate/doctor.h"

#include "base/strings.h"
#include "cmd/cluster.h"
#include "cmd/commands.h"
#include "cmd/project.h"

namespace chartwright::cmd {
namespace {

struct DoctorOptions : ProjectFlags {
  std::vector<std::string> arguments;
  ClusterFlags cluster;
};

/// The faults of a cluster, and the arguments with which `chartwright generate` repairs them.
struct Findings {
  std::vector<generate::Complaint> complaints;
  std::string arguments;
};

/// Returns the flags that name the caller, whose rights are examined; "" unless it is the account
/// of a Pod.
std::string account_flags(kube::Client& client, const kube::Call& call) {
  constexpr std::string_view kAccount = "system:serviceaccount:";
  using value::Value;
  const auto reviewed =
      client.create(Value::dict({{"apiVersion", Value::string("authentication.k8s.io/v1")},
                                 {"kind", Value::string("SelfSubjectReview")},
                                 {"metadata", Value::dict()}}),
                    {}, call);
  const std::string user(reviewed.ok() ? reviewed->string_at({"status", "userInfo", "username"})
                                       : "");
  const size_t colon = user.rfind(':');
  if (!user.starts_with(kAccount) || colon < kAccount.size()) {
    return "";
  }
  return " --name " + user.substr(colon + 1) + " --namespace " +
         user.substr(kAccount.size(), colon - kAccount.size());
}

/// Returns the arguments that name what is examined, as they were given.
std::string project_arguments(const DoctorOptions& options) {
  std::string text = options.arguments.empty() ? "" : options.arguments.front();
  if (!options.group.empty()) {
    text += " --group " + options.group + " --version " + options.version;
  }
  if (!options.kind.empty()) {
    text += " --kind " + options.kind;
  }
  if (!options.naming.watched.empty()) {
    text += " --watch-namespaces " + base::join(options.naming.watched, ",");
  }
  return text;
}

base::Result<Findings> examine(const DoctorOptions& options) {
  CW_TRY_VOID(check_naming(options.naming));
  const std::string path = options.arguments.empty() ? "watches.yaml" : options.arguments.front();
  CW_TRY(const std::vector<bundle::Watch> watches, load_project(path, options));
  CW_TRY(const generate::Access access, generate::access_of(watches));
  CW_TRY(const auto cluster, Cluster::open(options.cluster));
  CW_TRY_VOID(cluster->check_reachable());
  Findings found;
  CW_TRY(found.complaints, generate::check_cluster(watches, access, options.naming,
                                                   cluster->client(), cluster->call()));
  if (!found.complaints.empty()) {
    found.arguments = std::string(
        base::trim(project_arguments(options) + account_flags(cluster->client(), cluster->call())));
  }
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
    base::Result<Findings> found = Findings();
    CW_TRY_VOID(on_render_stack([&]() -> base::Status {
      found = examine(options_);
      return {};
    }));
    if (!found.ok()) {
      return with_place(found.error());
    }
    for (const generate::Complaint& complaint : found->complaints) {
      streams.out("✗ " + complaint.text + "\n    fix: " + complaint.fix(found->arguments) + "\n");
    }
    if (found->complaints.empty()) {
      streams.out("✓ the CRDs and the rights of this account are sufficient\n");
    }
    return found->complaints.empty() ? kExitOk : kExitError;
  }

 private:
  DoctorOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace chartwright::cmd
