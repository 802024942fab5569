// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "revision/listed_record.h"
#include "revision/record.h"
#include "value/value.h"

namespace chartwright::cmd {

/// The record of a revision, as far as the caller may see it.
enum class RecordState : uint8_t {
  kUnknown,  ///< Not looked at: the caller may not, or there are too many.
  kPresent,
  kMissing,
  kForeign,  ///< Another object controls the Secret of that name.
  kDamaged,  ///< The Secret holds no record.
};
std::string_view to_string(RecordState state);  ///< "Unknown", "Present", ...

/// A revision in one line. Its texts are one printable line of at most 1024 bytes.
struct RevisionLine {
  int64_t revision = 0;
  std::string updated;  ///< In RFC 3339; may be empty.
  std::string status;   ///< Helm's word; "pending" of an attempt whose record cannot be read.
  std::string chart;
  std::string app_version;  ///< Only its record has it.
  std::string description;
  int64_t generation = 0;  ///< The generation of the spec in its record; 0: not known.
  std::string by;          ///< The field manager that changed the spec; may be empty.
  bool is_in_force = false;
  RecordState record = RecordState::kUnknown;
};

/// The revisions of a custom resource.
struct RevisionReport {
  kube::ObjectRef ref;
  std::vector<RevisionLine> revisions;  ///< The oldest first.
  std::vector<std::string> gaps;        ///< Sentences about what is missing.
};

/// Returns the newest `max` revisions that the status of a live custom resource names, with the one
/// that is being attempted. The custom resource may have any content.
RevisionReport revisions_of(const value::Value& cr, size_t max);

/// Adds what only the record has: the version of the application, the change of the spec, and all
/// of an attempt.
void add_record(RevisionLine& line, const release::Revision& record);

/// Returns a table with the columns of `helm history`, and the change of the spec after them.
/// `is_wide`: with whole descriptions, and the state of each record. Several reports have their
/// names in the first column.
std::string table_of(const std::vector<RevisionReport>& reports, bool is_wide);

/// Notes which records the Secrets of a custom resource are, by their metadata alone, and returns
/// them in a table, those of revisions that the status does not name among them.
std::string add_records(RevisionReport& report, const std::vector<release::ListedRecord>& records);

/// Returns the report as JSON has it: the form that docs/operate/history.md describes.
value::Value to_value(const RevisionReport& report);

}  // namespace chartwright::cmd
