// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "helm/schema/schema.h"
#include "helm/values/value_origins.h"
#include "tmpl/failure.h"
#include "value/value.h"

// The help under Helm's error text: source lines, the way of includes, where the values come from.
// It names places, keys and kinds, and shows lines of templates; never a value.
namespace chartwright::helm {

/// What the help for one error is made from.
struct Evidence {
  /// The text of a template file; nullptr where there is none to be shown.
  std::function<const std::string*(std::string_view file)> source;
  value::Value scope;           ///< Dot of the root chart: its Values are those that origins knows.
  const ValueOrigins& origins;  ///< Where those come from.
};

/// Help for an execution that failed: the failing line with a caret, notes about the values that it
/// reads, suggestions, then the calls that led there. "" when nothing is known.
std::string diagnose(const tmpl::Failure& failure, const Evidence& evidence);

/// Help for values that a schema objects to: where each is set, and which name may have been meant.
/// Paths are those of the root chart's values. "" when nothing is known.
std::string note_faulty(const std::vector<FaultyMember>& members, const ValueOrigins& origins);

/// "FILE:LINE:COLUMN" and below it that line of the source with a caret; only the former where
/// there is no such line. Long lines are shown around the column, control characters as U+FFFD.
std::string snippet(const base::SourcePos& pos, std::string_view source);

}  // namespace chartwright::helm
