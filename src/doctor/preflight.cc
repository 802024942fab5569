// SPDX-License-Identifier: Apache-2.0
#include "doctor/preflight.h"

#include <algorithm>

#include "go/path.h"

namespace chartwright::doctor {
namespace {

/// Namespaces that are asked about: rights are usually the same in all.
constexpr size_t kNamespacesMax = 10;

/// Returns the arguments that make what this operator lacks, for its own account.
FixArguments fix_arguments(const Preflight& plan, const generate::Naming& naming) {
  FixArguments arguments;
  // The default of `generate`, too.
  if (go::clean_path(plan.watches_file) != "watches.yaml") {
    arguments.project = plan.watches_file;
  }
  arguments.roles = role_flags(naming, plan.views_flag);
  return arguments;
}

void log_complaints(const std::vector<Complaint>& complaints, const FixArguments& arguments,
                    const base::Logger& log) {
  for (const Repair& repair : repairs_of(complaints, arguments)) {
    const std::string message = "The cluster lacks something that the operator needs";
    for (const std::string& fault : repair.faults) {
      if (fault == repair.faults.front()) {
        log.warn(message, {{"problem", fault}, {"fix", repair.fix}});
      } else {
        log.warn(message, {{"problem", fault}});
      }
    }
  }
}

}  // namespace

base::Status preflight(const Preflight& plan, const Server& server, const base::Logger& log) {
  generate::Naming naming;
  naming.watched = plan.namespaces;
  name_caller(naming, server.client, server.call);
  generate::Naming sample = naming;
  sample.watched.resize(std::min(naming.watched.size(), kNamespacesMax));
  CW_TRY(const generate::Access access, generate::access_of(plan.watches, plan.served));
  CW_TRY(const auto complaints, check_cluster(plan.watches, access, sample, server));
  if (complaints.empty()) {
    log.info("The CRDs and the rights of this account are sufficient");
  }
  log_complaints(complaints, fix_arguments(plan, naming), log);
  return {};
}

}  // namespace chartwright::doctor
