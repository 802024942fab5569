// SPDX-License-Identifier: Apache-2.0
#include "cmd/preflight.h"

#include <utility>

#include "cmd/cli.h"
#include "generate/doctor.h"

namespace chartwright::cmd {
namespace {

/// Namespaces that are asked about: rights are usually the same in all.
constexpr size_t kNamespacesMax = 10;

base::Result<std::vector<generate::Complaint>> examine(const std::vector<bundle::Watch>& watches,
                                                       const generate::Naming& naming,
                                                       kube::Client& client,
                                                       const kube::Call& call) {
  std::vector<generate::Complaint> all;
  for (const bundle::Watch& watch : watches) {
    CW_TRY(const auto some, generate::check_kind(watch, client, call));
    all.insert(all.end(), some.begin(), some.end());
  }
  CW_TRY(const generate::Access access, generate::access_of(watches));
  CW_TRY(const auto rights, generate::check_rights(access, naming, client, call));
  all.insert(all.end(), rights.begin(), rights.end());
  return all;
}

}  // namespace

void preflight(const std::vector<bundle::Watch>& watches, std::vector<std::string> namespaces,
               kube::Client& client, const base::Logger& log, const std::stop_token& stop) {
  generate::Naming naming;
  naming.watched = std::move(namespaces);
  if (naming.watched.size() > kNamespacesMax) {
    naming.watched.resize(kNamespacesMax);
  }
  const base::Status done = on_render_stack([&]() -> base::Status {
    CW_TRY(const auto complaints, examine(watches, naming, client, {.stop = stop}));
    for (const generate::Complaint& complaint : complaints) {
      log.warn("The cluster lacks something that the operator needs",
               {{"problem", complaint.text}, {"fix", complaint.fix}});
    }
    if (complaints.empty()) {
      log.info("The CRDs and the rights of this account are sufficient");
    }
    return {};
  });
  if (!done.ok() && !stop.stop_requested()) {
    log.warn("CRDs and rights could not be checked", {{"error", done.error().to_string()}});
  }
}

}  // namespace chartwright::cmd
