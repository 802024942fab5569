// SPDX-License-Identifier: Apache-2.0
#include "cmd/preflight.h"

#include <utility>

#include "base/strings.h"
#include "cmd/cli.h"
#include "generate/doctor.h"

namespace chartwright::cmd {
namespace {

/// Namespaces that are asked about: rights are usually the same in all.
constexpr size_t kNamespacesMax = 10;

}  // namespace

void preflight(const std::vector<bundle::Watch>& watches, std::vector<std::string> namespaces,
               kube::Client& client, const base::Logger& log, const std::stop_token& stop) {
  generate::Naming naming;
  naming.watched = std::move(namespaces);
  if (naming.watched.size() > kNamespacesMax) {
    naming.watched.resize(kNamespacesMax);
  }
  const std::string arguments =
      naming.watched.empty() ? "" : "--watch-namespaces " + base::join(naming.watched, ",");
  const base::Status done = on_render_stack([&]() -> base::Status {
    CW_TRY(const generate::Access access, generate::access_of(watches));
    CW_TRY(const auto complaints,
           generate::check_cluster(watches, access, naming, client, {.stop = stop}));
    for (const generate::Complaint& complaint : complaints) {
      log.warn("The cluster lacks something that the operator needs",
               {{"problem", complaint.text}, {"fix", complaint.fix(arguments)}});
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
