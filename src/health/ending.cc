// SPDX-License-Identifier: Apache-2.0
#include "health/ending.h"

#include <chrono>
#include <limits>

#include "health/conditions.h"

namespace chartwright::health {
namespace {

using value::Value;

constexpr std::string_view kComplete = "Complete";
constexpr std::string_view kFailed = "Failed";
constexpr base::Duration kSkew = std::chrono::minutes(1);

std::optional<base::WallTime> time_in(std::string_view text) {
  auto time = base::parse_rfc3339(text);
  return time.ok() ? std::optional(*time) : std::nullopt;
}

// The time since when a condition is true.
std::optional<base::WallTime> since_when(const Value& object, std::string_view type) {
  const Value* c = condition_of(object, type);
  return c != nullptr && c->string_at({"status"}) == "True"
             ? time_in(c->string_at({"lastTransitionTime"}))
             : std::nullopt;
}

// The server takes a number of 32 bits.
std::optional<std::chrono::seconds> ttl_of(const Value& job) {
  const Value* ttl = job.find_path({"spec", "ttlSecondsAfterFinished"});
  const bool is_valid = ttl != nullptr && ttl->is_int() && ttl->as_int() >= 0 &&
                        ttl->as_int() <= std::numeric_limits<int32_t>::max();
  return is_valid ? std::optional(std::chrono::seconds(ttl->as_int())) : std::nullopt;
}

}  // namespace

bool may_end(const kube::GroupKind& kind) { return kind.kind == "Job" && kind.group == "batch"; }

std::optional<Ending> ending_of(const Value& object) {
  if (!may_end(kube::gvk_of(object).group_kind())) {
    return std::nullopt;
  }
  const auto ttl = ttl_of(object);
  const auto failed = since_when(object, kFailed);
  const auto finished = failed ? failed : since_when(object, kComplete);
  if (!ttl || !finished || *finished > base::WallTime::max() - *ttl) {
    return std::nullopt;
  }
  // A Job may count its pods as failed because they are deleted along with it.
  const auto deleted = time_in(kube::deletion_timestamp_of(object));
  if (deleted && *deleted < *finished) {
    return std::nullopt;
  }
  return Ending{failed.has_value(), *finished + *ttl};
}

bool explains_absence(const Ending& ending, base::WallTime now) {
  return ending.removed_at <= now + kSkew;
}

std::string to_text(const Ending& ending) {
  return std::string(ending.failed ? kFailed : kComplete) + " " +
         base::format_rfc3339(ending.removed_at);
}

std::optional<Ending> ending_in(std::string_view text) {
  const size_t space = text.find(' ');
  const std::string_view how = text.substr(0, space);
  if (space == std::string_view::npos || (how != kComplete && how != kFailed)) {
    return std::nullopt;
  }
  const auto removed_at = time_in(text.substr(space + 1));
  return removed_at ? std::optional(Ending{how == kFailed, *removed_at}) : std::nullopt;
}

}  // namespace chartwright::health
