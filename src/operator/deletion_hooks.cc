// SPDX-License-Identifier: Apache-2.0
#include "operator/deletion_hooks.h"

#include <utility>

#include "resource/failure_policy.h"

namespace chartwright::op {

using release::Hook;

base::Result<Candidate> DeletionHooks::render() {
  CW_TRY_VOID(parts_.digests.prepare());
  return parts_.candidates.render();
}

// Inputs that cannot be made are not those of any record.
base::Result<bool> DeletionHooks::is_of_today(const release::Revision& revision) {
  if (!parts_.digests.prepare().ok()) {
    return false;
  }
  if (is_settled_for(parts_.subject, parts_.inputs)) {
    return true;
  }
  return parts_.attempts.is_of_today(revision);
}

base::Result<std::vector<Hook>> DeletionHooks::find(int record) {
  CW_TRY(release::Finding<release::Revision> known, parts_.records.find(record));
  bool is_current = false;
  if (known.found()) {
    parts_.key = known.thing().key;
    CW_TRY(is_current, is_of_today(known.thing()));
    if (is_current && !parts_.takeover.has_claims()) {
      return std::move(known.thing().hooks);
    }
  }
  auto rendered = render();
  if (rendered.ok()) {
    CW_TRY_VOID(parts_.takeover.take_elsewhere(*rendered, Takeover::Purpose::kUninstall));
    CW_TRY_VOID(parts_.digests.ensure_key());
    return is_current ? std::move(known.thing().hooks) : std::move(rendered->hooks);
  }
  return without_render(parts_.candidates.secrets().masked(rendered.error()), record,
                        std::move(known));
}

// Objects elsewhere would be left behind without a render that names them.
base::Result<std::vector<Hook>> DeletionHooks::without_render(
    base::Error error, int record, release::Finding<release::Revision> known) {
  const bool has_hooks = known.found() && known.thing().reach == release::Reach::kEverything;
  const bool is_final = classify(error.code()).retry == runtime::Retry::kNever;
  const bool may_go_on = is_final || (has_hooks && !parts_.takeover.has_claims());
  if (error.code() == base::ErrorCode::kCancelled || !may_go_on) {
    return error;
  }
  if (has_hooks) {
    return std::move(known.thing().hooks);
  }
  const std::string why = known.found() ? "the record of revision " + std::to_string(record) +
                                              " was made without a signature, and is not believed "
                                              "for hooks"
                                        : known.proof().message();
  std::string& missing = parts_.missing_hooks;
  missing = "the chart cannot be rendered (" + error.message() + "), and " + why;
  parts_.subject.context.log.warn("Hooks of the deletion cannot run",
                                  {{"revision", record}, {"reason", missing}});
  return std::vector<Hook>();
}

}  // namespace chartwright::op
