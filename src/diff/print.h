// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "diff/report.h"
#include "value/value.h"

namespace chartwright::diff {

enum class Color : uint8_t { kNo, kYes };
/// Whether objects are shown that stay as they are.
enum class Unchanged : uint8_t { kHidden, kShown };

/// Returns the report for people: a line for each object and for each of its fields, notes, and the
/// counts. The contents of Secrets are masked, long values are cut, and characters that a terminal
/// would obey are escaped.
std::string to_text(const Report& report, Color color, Unchanged unchanged);

/// Returns an object as every JSON of a report names it. Its namespace may be missing.
value::Value ref_value(const kube::ObjectRef& ref);

/// Returns to_text without the counts.
std::string changes_text(const Report& report, Color color, Unchanged unchanged);

/// Returns the report as to_json has it.
value::Value to_value(const Report& report);

/// Returns the report for machines, with the same masks and limits, as a line of JSON. Errors:
/// those of value::to_json.
base::Result<std::string> to_json(const Report& report);

}  // namespace chartwright::diff
