// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chartwright::go {

/// A period during which a zone has one name and one offset.
struct ZonePeriod {
  std::string name;           ///< Abbreviation, e.g. "CEST".
  int64_t offset = 0;         ///< Seconds east of UTC.
  int64_t start = INT64_MIN;  ///< Seconds since the epoch, inclusive.
  int64_t end = INT64_MAX;    ///< Seconds since the epoch, exclusive.
};

/// Returns the period that the rule of a TZ string ("CET-1CEST,M3.5.0,M10.5.0/3") defines for the
/// instant `seconds`. If the rule has no daylight saving, that period starts at `since`. Returns
/// nullopt for a malformed rule. Source: Go time.tzset.
std::optional<ZonePeriod> apply_posix_rule(std::string_view rule, int64_t since, int64_t seconds);

}  // namespace chartwright::go
