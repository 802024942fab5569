// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "go/posix_zone.h"

namespace chartwright::go {

/// A time zone and its history. Immutable and thread-safe. Source: Go time zoneinfo.go,
/// zoneinfo_read.go.
class TimeZone {
 public:
  using Ptr = std::shared_ptr<const TimeZone>;
  static Ptr utc();
  /// Returns the zone of this process, as the C library determines it: TZ, else /etc/localtime,
  /// else UTC.
  static Ptr local();
  static Ptr fixed(std::string_view name, int64_t offset_seconds);
  /// Returns UTC for "" and "UTC", the process's zone for "Local", and looks up other names in the
  /// system's zoneinfo. Returns nullptr if there is no such zone.
  static Ptr load(const std::string& name);

  ZonePeriod lookup(int64_t unix_seconds) const;
  /// Returns the offset of the abbreviation, preferring a period in which it is in effect at the
  /// given local time; nullopt if the zone never uses that abbreviation.
  std::optional<int64_t> offset_of(std::string_view abbreviation, int64_t local_seconds) const;
  const std::string& name() const { return name_; }

 private:
  struct Kind {
    std::string name;
    int64_t offset = 0;
    bool is_saving = false;
  };
  struct Transition {
    int64_t when = 0;
    size_t kind = 0;
  };
  static std::shared_ptr<TimeZone> parse(std::string_view data);
  static std::shared_ptr<TimeZone> read_file(const std::string& path);
  static std::shared_ptr<TimeZone> find(const std::string& name);
  size_t first_kind() const;
  std::vector<Kind> kinds_around(int64_t seconds) const;

  std::string name_;
  std::vector<Kind> kinds_;              // Empty for UTC.
  std::vector<Transition> transitions_;  // Sorted; not empty unless kinds_ is.
  std::string rule_;                     // TZ string that applies after the last transition.
  bool is_local_ = false;                // Periods are looked up in the C library instead.
};

}  // namespace chartwright::go
