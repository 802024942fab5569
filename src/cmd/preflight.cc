// SPDX-License-Identifier: Apache-2.0
#include "cmd/preflight.h"

#include "cmd/cli.h"
#include "doctor/doctor.h"
#include "go/path.h"

namespace chartwright::cmd {
namespace {

/// Namespaces that are asked about: rights are usually the same in all.
constexpr size_t kNamespacesMax = 10;

/// Returns the arguments that make what this operator lacks, for its own account.
doctor::FixArguments fix_arguments(const Preflight& plan, kube::Client& client,
                                   const kube::Call& call) {
  generate::Naming naming;
  naming.watched = plan.namespaces;
  doctor::name_caller(naming, client, call);
  doctor::FixArguments arguments;
  // The default of `generate`, too.
  if (go::clean_path(plan.watches_file) != "watches.yaml") {
    arguments.project = plan.watches_file;
  }
  arguments.roles = doctor::role_flags(naming, plan.views_flag);
  return arguments;
}

}  // namespace

void preflight(const Preflight& plan, kube::Client& client, const base::Logger& log,
               const std::stop_token& stop) {
  generate::Naming naming;
  naming.watched = plan.namespaces;
  if (naming.watched.size() > kNamespacesMax) {
    naming.watched.resize(kNamespacesMax);
  }
  const kube::Call call{.stop = stop};
  const base::Status done = on_render_stack([&]() -> base::Status {
    CW_TRY(const generate::Access access, generate::access_of(plan.watches, plan.served));
    CW_TRY(const auto complaints,
           doctor::check_cluster(plan.watches, access, naming, client, call));
    if (complaints.empty()) {
      log.info("The CRDs and the rights of this account are sufficient");
      return {};
    }
    const doctor::FixArguments arguments = fix_arguments(plan, client, call);
    for (const doctor::Complaint& complaint : complaints) {
      log.warn("The cluster lacks something that the operator needs",
               {{"problem", complaint.text}, {"fix", complaint.fix(arguments)}});
    }
    return {};
  });
  if (!done.ok() && !stop.stop_requested()) {
    log.warn("CRDs and rights could not be checked", {{"error", done.error().to_string()}});
  }
}

}  // namespace chartwright::cmd
