// SPDX-License-Identifier: Apache-2.0
#include "revision/record.h"

#include <algorithm>
#include <array>

namespace chartwright::release {
namespace {

constexpr std::array kStatusNames = {"deployed",        "superseded",      "failed",
                                     "pending-install", "pending-upgrade", "pending-rollback",
                                     "uninstalling",    "uninstalled",     "unknown"};

}  // namespace

bool is_pending(RevisionStatus status) {
  return status == RevisionStatus::kPendingInstall || status == RevisionStatus::kPendingUpgrade ||
         status == RevisionStatus::kPendingRollback;
}

std::string chart_of(const value::Value& metadata) {
  return std::string(metadata.string_at({"name"})) + "-" +
         std::string(metadata.string_at({"version"}));
}

std::string chart_of(const Revision& revision) { return chart_of(revision.chart_metadata); }

std::optional<RevisionStatus> outcome_of_abandoned(RevisionStatus status) {
  if (status == RevisionStatus::kDeployed) {
    return RevisionStatus::kSuperseded;
  }
  const bool is_unfinished = is_pending(status) || status == RevisionStatus::kUninstalling;
  return is_unfinished ? std::optional(RevisionStatus::kFailed) : std::nullopt;
}

std::string_view to_string(RevisionStatus status) {
  return kStatusNames[static_cast<size_t>(status)];
}

base::Result<RevisionStatus> parse_status(std::string_view name) {
  const auto* it = std::find(kStatusNames.begin(), kStatusNames.end(), name);
  if (it == kStatusNames.end()) {
    return base::Error(base::ErrorCode::kParse,
                       "unknown release status \"" + std::string(name) + "\"");
  }
  return static_cast<RevisionStatus>(it - kStatusNames.begin());
}

}  // namespace chartwright::release
