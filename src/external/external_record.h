// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "value/value.h"

namespace chartwright::external {

/// The record of one external in the status of its custom resource, as `status.externals.<name>`.
struct Record {
  std::string id;      ///< The id of the object outside; empty: not known.
  std::string intent;  ///< Since when a create may have been sent (RFC 3339), or until when, if
                       ///< that is presumed; empty: none was.
  std::string sent;    ///< Body of that create (JSON), if `adopt` reads it.
  std::string held;    ///< Why nothing is done, for people; empty: work goes on.

  bool empty() const { return id.empty() && intent.empty() && held.empty(); }
  /// Reports whether nothing but the age of the custom resource, or a trace that it left, says that
  /// a create may have been sent.
  bool is_presumed() const { return id.empty() && intent.starts_with(kPresumed); }
  bool operator==(const Record&) const = default;

  /// Begins an intent that is presumed: "before 2026-01-02T03:04:05Z".
  static constexpr std::string_view kPresumed = "before ";
};

/// Returns the record of an external whose own one is lost: a create may have been sent before
/// `now`.
Record presumed_record(base::WallTime now);

/// The records of a custom resource, by the names of the externals.
using Records = std::map<std::string, Record, std::less<>>;

/// Reads `status.externals`. Never fails: members of another type read as empty.
Records read_records(const value::Value& externals);
/// Returns what `status.externals` has; nil if there is no record.
value::Value to_status(const Records& records);

}  // namespace chartwright::external
